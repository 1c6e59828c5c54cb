"""How the training went, by epoch: loss terms, gradient norm, effective rank, validation."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from .figure import DASHES, Figure, color, figure, log_ticks, plain, rounded, short
from .run import Run

TITLES = {
    "total": "Loss",
    "similarity": "Loss term: similarity",
    "constraint": "Loss term: constraint",
}


def training_figures(runs: list[Run]) -> list[Figure]:
    terms = list(dict.fromkeys(term for run in runs for row in run.metrics for term in row["loss"]))
    terms.sort(key=lambda term: term != "total")
    out = []
    for i, term in enumerate(terms):
        if term != "total" and all(
            set(row["loss"]) == {"total", term} for run in runs for row in run.metrics
        ):
            continue  # the only term is the total
        out.append(
            curve(
                runs,
                f"loss-{i}",
                TITLES.get(term, f"Loss term: {term}"),
                lambda row, t=term: row["loss"].get(t),
                log=True,
            )
        )
    out.append(
        curve(
            runs, "gradient-norm", "Gradient norm", lambda row: row.get("gradient_norm"), log=True
        )
    )
    out.append(
        curve(
            runs,
            "effective-rank",
            "Effective rank of the embeddings",
            lambda row: row.get("effective_rank"),
        )
    )
    out.append(
        curve(runs, "validation", "Validation score, percent", lambda row: row.get("validation"))
    )
    return [made for made in out if made is not None]


def lines_of(run: Run, value: Any) -> list[tuple[int | None, list[int], list[float]]]:
    """Epochs and values, a line a split where the method learns from labels."""
    lines: dict[int | None, tuple[list[int], list[float]]] = {}
    for row in run.metrics:
        found = value(row)
        if isinstance(found, (int, float)) and math.isfinite(found):
            epochs, values = lines.setdefault(row.get("split"), ([], []))
            epochs.append(row["epoch"])
            values.append(float(found))
    return [(split, *line) for split, line in lines.items()]


def curve(runs: list[Run], key: str, title: str, value: Any, log: bool = False) -> Figure | None:
    """`log`: the axis is logarithmic where all values are above 0."""
    traces, words = [], []
    for r, run in enumerate(runs):
        for n, (split, epochs, values) in enumerate(lines_of(run, value)):
            traces.append(trace(run, r, n, split, epochs, values, len(runs) > 1))
            if n == 0:
                words.append(in_words(run, epochs, values, len(runs) > 1))
    if not traces:
        return None
    several = len(runs) > 1
    values = [value for line in traces for value in line.y if value is not None]
    axis: dict[str, Any] = {}
    if log and min(values) > 0 and max(values) > min(values):
        ticks = log_ticks(min(values), max(values))
        axis = {"type": "log", "title": {"text": "log scale"}, "tickvals": ticks}
        axis["ticktext"] = [f"{tick:g}" for tick in ticks]
    elif min(values) == max(values):  # one epoch, or nothing moves
        axis = {"rangemode": "tozero"}
    last = max(max(line.x) for line in traces)
    return figure(
        f"training-{key}",
        title,
        " ".join(words),
        traces,
        x="epoch",
        showlegend=several,
        xaxis={"rangemode": "tozero" if last > 1 else "normal"}
        | ({"dtick": 1} if last <= 8 else {}),
        yaxis=axis,
    )


def trace(
    run: Run,
    r: int,
    n: int,
    split: int | None,
    epochs: list[int],
    values: list[float],
    several: bool,
) -> go.Scatter:
    name = plain(run.name, 30) if several else "value"
    which = "" if split is None else f", split {split}"
    extra = f"<extra>{plain(run.name, 30) if several else ''}</extra>"
    return go.Scatter(
        x=epochs,
        y=short(values),
        name=name,
        legendgroup=f"run{r}",
        showlegend=n == 0,
        mode="lines+markers" if len(epochs) <= 12 else "lines",
        opacity=1 if n == 0 else 0.45,
        line={
            "color": color(r),
            "width": 2,
            "dash": DASHES[n % 4] if n and split is None else "solid",
        },
        marker={"size": 6},
        hovertemplate=f"epoch %{{x}}{which}<br>%{{y:.5g}}{extra}",
    )


def in_words(run: Run, epochs: list[int], values: list[float], several: bool) -> str:
    who = f"{run.name}: " if several else ""
    if len(epochs) == 1:
        return f"{who}{rounded(values[0])} in epoch {epochs[0]}, the only one."
    low, high = min(values), max(values)
    return (
        f"{who}{rounded(values[0])} in epoch {epochs[0]}, {rounded(values[-1])} in epoch "
        f"{epochs[-1]}; between "
        f"{rounded(low)} and {rounded(high)}."
    )
