"""What a search does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..options import OPTIONS, resolve
from .search_space import Range

MEASURES = {"validation": "validation score", "rankme": "effective rank"}  # by --objective


@dataclass
class Search:
    """All that a worker must know."""

    data: str
    folder: str
    storage: str  # a URL, or "" for a journal file in the folder
    study: str
    objective: str  # "validation" or "rankme"
    trials: int
    deadline: float | None  # as time.time()
    base: dict[str, Any]  # starting value of every keyword; kept by those that are not searched
    space: dict[str, Range] = field(default_factory=dict)
    every: int = 10  # epochs between scores
    threads: int = 0
    seed: int = 0
    show: bool = False

    @property
    def measure(self) -> str:
        return MEASURES[self.objective]

    @property
    def start(self) -> dict[str, Any]:
        """The values of the first trial.

        They may lie outside the declared ranges, but not outside those given with --search.
        """
        outside = {
            keyword
            for keyword, r in self.space.items()
            if (r.choices or r.typed) and not r.holds(self.base[keyword])
        }
        return {keyword: self.base[keyword] for keyword in self.space if keyword not in outside}


def under_protocol(base: dict[str, Any], given: set[str]) -> dict[str, Any]:
    """`base` with what its protocol sets: it replaces values of a preset, but not `given` ones.

    Applied before the search, so that best.json names what a trial trains.
    """
    fixed = {keyword: base[keyword] for keyword in {*given, "method", "protocol"}}
    plain = resolve(fixed | {"protocol": OPTIONS["protocol"].default})
    changed = {k: value for k, value in resolve(fixed).items() if value != plain[k]}
    return base | changed
