"""What a search is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..search_space import Range

# What `--protocol paper` sets where it is not given, as RunOptions::apply_protocol does. It is settled before a search,
# so that what a trial trains and what best.json says are one thing.
PAPER = {"epochs": 500, "select": "val"}
MEASURES = {"validation": "validation score", "rankme": "effective rank"}  # by --objective


@dataclass
class Settings:
    """All that a worker must know."""

    data: str
    folder: str
    storage: str  # a URL, or "" for a journal file in the folder
    study: str
    objective: str  # "validation" or "rankme"
    trials: int
    deadline: float | None  # of time.time()
    base: dict[str, Any]  # keywords and values to start from; what is not searched keeps them
    space: dict[str, Range] = field(default_factory=dict)
    every: int = 10  # epochs between looks
    threads: int = 0
    seed: int = 0
    show: bool = False

    @property
    def measure(self) -> str:
        return MEASURES[self.objective]

    @property
    def start(self) -> dict[str, Any]:
        """Where the search starts, outside of the options' own ranges too; what was typed as a range is kept to."""
        bound = {k for k, r in self.space.items() if (r.choices or r.typed) and not r.holds(self.base[k])}
        return {k: self.base[k] for k in self.space if k not in bound}


def under_protocol(base: dict[str, Any], given: set[str]) -> dict[str, Any]:
    """`base` with what its protocol sets, as on the command line: over a preset, but not over what was `given`."""
    if base["protocol"] != "paper":
        return base
    return base | {keyword: value for keyword, value in PAPER.items() if keyword not in given}
