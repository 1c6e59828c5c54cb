"""The program, asked for its JSON."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from ..errors import DataError, Error, InternalError, UsageError
from ..program import PROGRAM, environment


def ask(*words: object) -> dict[str, Any]:
    """What `graphsurgeon WORDS --json` prints; its error is raised with message and hint."""
    command = [str(PROGRAM), *map(str, words), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment())
    if done.returncode != 0:
        raise error_of(done.returncode, done.stderr)
    return json.loads(done.stdout)


def error_of(code: int, said: str) -> Error:
    parts = {"error": "", "hint": ""}
    for line in said.splitlines():
        key, _, text = line.partition(": ")
        if key in parts and not parts[key]:
            parts[key] = text
    kind = {2: UsageError, 3: DataError}.get(code, InternalError)
    if code == 4:
        raise KeyboardInterrupt
    return kind(parts["error"] or f"the program ended with code {code}", parts["hint"])
