"""The paper's tables from the rows of a grid, as markdown.

Table 2 has one row per dataset and one column per method, Table 3 the large datasets. The paper's
claim about the distance to the best semi-supervised method is checked on the rows there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..options import METHODS
from .experiment import Row
from .grid import is_large

# Supervised methods come first, then those without labels with ours last, then references.
COLUMNS = ("supervised", "self-supervised", "ours", "reference")
LEAD = (
    "Percent of accuracy (Yelp: ROC-AUC), mean and deviation; the best of each group in bold; in "
    "parentheses the paper's figure.\n\n"
)


@dataclass
class Claim:
    datasets: int = 0  # that have both graphsurgeon and a semi-supervised method
    mean_gap: float = 0  # points that the best semi-supervised method is ahead, on average


def is_done(row: Row | None) -> bool:
    return row is not None and "mean" in row


def group_of(method: str) -> str:
    return str(METHODS[method]["group"]).replace("_", "-")


def check_claim(rows: list[Row]) -> Claim:
    ours: dict[str, float] = {}
    best: dict[str, float] = {}
    for row in filter(is_done, rows):
        name = row["dataset"]
        if row["method"] == "graphsurgeon":
            ours[name] = row["mean"]
        elif group_of(row["method"]) == "supervised":
            best[name] = max(best.get(name, 0.0), row["mean"])
    gaps = [best[name] - mean for name, mean in sorted(ours.items()) if name in best]
    return Claim(len(gaps), sum(gaps) / len(gaps)) if gaps else Claim()


class Table:
    """Rows by dataset and method: datasets in the order in which they came, methods by group."""

    def __init__(self, rows: list[Row]) -> None:
        self.cells = {(row["method"], row["dataset"]): row for row in rows}
        self.datasets = list(dict.fromkeys(row["dataset"] for row in rows))
        order = list(METHODS)
        self.methods = sorted(
            dict.fromkeys(row["method"] for row in rows),
            key=lambda name: (COLUMNS.index(group_of(name)), order.index(name)),
        )

    def score(self, method: str, dataset: str) -> str:
        """Mean and deviation; in bold when no other of its group does better on the dataset."""
        row = self.cells.get((method, dataset))
        if row is None:
            return ""
        if not is_done(row):
            return "failed" + paper_text(row)
        text = f"{row['mean']:.2f} ±{deviation(row):.2f}"
        best = self.is_best(method, dataset, row["mean"])
        return (f"**{text}**" if best else text) + paper_text(row)

    def logistic(self, method: str, dataset: str) -> str:
        """Mean and deviation by logistic regression; of a method that predicts by itself, its own.
        Empty where it was not measured."""
        row = self.cells.get((method, dataset))
        if row is None or not is_done(row):
            return ""
        found = row.get("logistic") or (row if group_of(method) == "supervised" else None)
        return f"{found['mean']:.2f} ±{deviation(found):.2f}" if found else ""

    def cost(self, method: str, dataset: str) -> str:
        row = self.cells.get((method, dataset))
        if row is None or not is_done(row):
            return ""
        return f"{row['seconds']:.0f} s, {row['peak_mib']:.0f} MiB"

    def is_best(self, method: str, dataset: str, mean: float) -> bool:
        side = side_of(method)
        others = (
            row["mean"]
            for (other, name), row in self.cells.items()
            if name == dataset and side_of(other) == side and is_done(row)
        )
        return side != "reference" and all(value <= mean for value in others)

    def rank(self, dataset: str) -> str:
        """Of ours among the methods that learn without labels; empty where ours is not there."""
        ours = self.cells.get(("graphsurgeon", dataset))
        if ours is None or not is_done(ours):
            return ""
        means = [
            row["mean"]
            for (method, name), row in self.cells.items()
            if name == dataset and side_of(method) == "without labels" and is_done(row)
        ]
        return f"{dataset}: {1 + sum(m > ours['mean'] for m in means)} of {len(means)}"


def side_of(method: str) -> str:
    group = group_of(method)
    return "without labels" if group in ("ours", "self-supervised") else group


def deviation(row: Row) -> float:
    """Over splits, and over encoders too where several were trained."""
    return math.hypot(row["std"], row.get("std_over_encoders") or 0)


def paper_text(row: Row) -> str:
    """' (92.3)' or ' (OOM)'; empty where the paper has none."""
    paper = row.get("paper")
    if paper is None:
        return ""
    return " (OOM)" if isinstance(paper, str) else f" ({paper:.1f})"


def line(columns: list[str]) -> str:
    return f"| {' | '.join(columns)} |\n"


def section(title: str, rows: list[Row]) -> str:
    if not rows:
        return ""
    table = Table(rows)
    head = line(["dataset", *table.methods]) + "|---|" + "--:|" * len(table.methods) + "\n"
    scores, logistic, costs = (
        head
        + "".join(line([name, *(cell(m, name) for m in table.methods)]) for name in table.datasets)
        for cell in (table.score, table.logistic, table.cost)
    )
    out = f"## {title}\n\n{scores}\n"
    if any("logistic" in row for row in rows):
        out += f"The same embeddings, scored by logistic regression:\n\n{logistic}\n"
    if ranks := "; ".join(filter(None, map(table.rank, table.datasets))):
        out += f"GraphSurgeon's rank among the methods that learn without labels: {ranks}.\n\n"
    return out + f"Seconds to train and score a cell, and the most memory it took:\n\n{costs}\n"


def claim_text(rows: list[Row]) -> str:
    claim = check_claim(rows)
    if claim.datasets == 0:
        return ""
    return (
        "The paper's claim, on average at most 2 points behind the best semi-supervised method: "
        f"{'holds' if claim.mean_gap <= 2 else 'does not hold'} ({claim.mean_gap:.2f} points on "
        f"average over {claim.datasets} {'dataset' if claim.datasets == 1 else 'datasets'}).\n"
    )


def bench_markdown(rows: list[Row]) -> str:
    small = [row for row in rows if not is_large(row["dataset"])]
    large = [row for row in rows if is_large(row["dataset"])]
    out = LEAD + section("Small and medium datasets (the paper's Table 2)", small)
    out += section("Large datasets (the paper's Table 3)", large) + claim_text(rows)
    for row in rows:
        if not is_done(row):
            why = row.get("problem", "for an unknown reason")
            out += f"\n- {row['method']} on {row['dataset']} failed: {why}"
    return out
