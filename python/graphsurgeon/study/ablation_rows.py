"""The rows of an ablation by dataset and variant, and how two variants compare over the datasets
that have both."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .experiment import Row


@dataclass
class Share:
    """On how many datasets something holds, and on how many it could be looked at."""

    held: int = 0
    all: int = 0

    @property
    def most(self) -> bool:
        return 2 * self.held > self.all

    def __str__(self) -> str:
        return f"on {self.held} of {self.all}"


class AblationRows:
    """Rows with a "problem" take no part."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = {(r["dataset"], r["variant"]): r for r in rows if "problem" not in r}
        self.datasets = list(dict.fromkeys(row["dataset"] for row in rows))

    def value(self, dataset: str, variant: str, key: str) -> float:
        """NaN where there is none."""
        found = self._rows.get((dataset, variant), {}).get(key)
        return math.nan if found is None else float(found)

    def pairs(self, a: str, b: str, key: str) -> list[tuple[float, float]]:
        """One per dataset that has both; times on different numbers of threads are left out."""
        out = []
        for dataset in self.datasets:
            threads = [self.value(dataset, variant, "threads") for variant in (a, b)]
            if key == "ms_per_epoch" and abs(threads[0] - threads[1]) > 0:  # NaN where unknown
                continue
            x, y = self.value(dataset, a, key), self.value(dataset, b, key)
            if math.isfinite(x - y):
                out.append((x, y))
        return out

    def share(self, a: str, b: str, key: str, holds: Callable[[float, float], bool]) -> Share:
        pairs = self.pairs(a, b, key)
        return Share(sum(holds(x, y) for x, y in pairs), len(pairs))

    def difference(self, a: str, b: str) -> float:
        """Of means, averaged over datasets; NaN where none has both."""
        pairs = self.pairs(a, b, "mean")
        return sum(x - y for x, y in pairs) / len(pairs) if pairs else math.nan

    def ratio(self, a: str, b: str, key: str) -> float:
        """Geometric mean over datasets; NaN where none has both."""
        logs = [math.log(x / y) for x, y in self.pairs(a, b, key)]
        return math.exp(sum(logs) / len(logs)) if logs else math.nan
