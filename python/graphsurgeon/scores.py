"""The scores that `eval --json` prints and keeps in a run's scores.json."""

from __future__ import annotations

from typing import Any

# Today's keys by those of older versions.
RENAMED = {"runs": "values", "std_over_seeds": "std_over_encoders"}


def renamed_scores(content: Any) -> Any:
    """`content` with today's keys, at every depth."""
    if isinstance(content, list):
        return [renamed_scores(item) for item in content]
    if not isinstance(content, dict):
        return content
    return {RENAMED.get(key, key): renamed_scores(value) for key, value in content.items()}
