"""The figures of ablations and benches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from .figure import Figure, color, figure, labels, numbers, plain, short
from .study_folders import Ablation, Bench

Row = dict[str, Any]
# What is compared: the key of a row, its title and unit.
SCORE = ("mean", "Test score", "percent")
MEMORY = ("peak_mib", "Peak memory", "MiB")
TIME = ("ms_per_epoch", "Time of an epoch", "ms")
VALUES = [
    ("parameters", "parameters"),
    ("aug_dim", "width D"),
    ("gamma_scaled", "gamma, scaled constraint"),
    ("lr", "learning rate"),
]
COMPARED = {
    "loss": [SCORE, MEMORY, TIME],
    "pre-vs-post": [SCORE, MEMORY, TIME],
    "symmetry": [SCORE],
    "batch-size": [SCORE, TIME],
    "embedding-size": [SCORE],
}
QUESTIONS = {
    "loss": "Does the improved constraint score as well as the original, at less cost?",
    "batch-size": "How large must a batch be?",
    "embedding-size": "How wide should an embedding be?",
    "pre-vs-post": "Should the heads come before or after the encoder?",
    "symmetry": "Do two networks that differ beat two that are equal?",
    "convergence": "How many epochs are enough?",
}


@dataclass
class Panel:
    """One question with its figures, which share the colors of a legend."""

    question: str
    figures: list[Figure]
    legend: list[tuple[str, str]]  # color and name
    values: list[list[str]]  # a table of what else differs, its head first; may be empty


def ablation_panel(ablation: Ablation, prefix: str) -> Panel:
    rows = [row for row in ablation.rows if "problem" not in row]
    key = f"{prefix}-{re.sub(r'[^a-z0-9-]', '-', ablation.name.lower())}"
    made = Panel(QUESTIONS.get(ablation.name, ablation.name), [], [], [])
    found: list[Figure | None]
    compared = COMPARED.get(ablation.name, [SCORE])
    if any("curve" in row for row in rows):
        names = [str(row["dataset"]) for row in rows if row.get("curve")]
        found = [curves(rows, key)]
    elif ablation.name == "batch-size":
        names = datasets_of(rows)
        found = [lines(rows, key, "nodes of a batch", by_dataset, *what) for what in compared]
    elif ablation.name == "embedding-size":
        names = list(dict.fromkeys(by_method(row)[0] for row in rows))
        found = [
            lines(
                [row for row in rows if row["dataset"] == name],
                f"{key}-{d}",
                "columns of an embedding",
                by_method,
                *SCORE,
                of=name,
                order=names,
            )
            for d, name in enumerate(datasets_of(rows))
        ]
    else:
        names = list(dict.fromkeys(str(row.get("variant", "")) for row in rows))
        found = [dots(rows, key, *what) for what in compared]
        if ablation.name == "pre-vs-post":
            made.values = value_table(rows)
    made.figures = [one for one in found if one is not None]
    for one in made.figures:
        one.layout["showlegend"] = False
    made.legend = [(color(i), name) for i, name in enumerate(names)]
    return made


def value_table(rows: list[Row]) -> list[list[str]]:
    head = ["", "variant", *(title for _, title in VALUES)]
    body = [
        [str(row["dataset"]), str(row.get("variant", ""))]
        + ["" if (v := number_of(row, key)) is None else f"{v:,.5g}" for key, _ in VALUES]
        for row in rows
    ]
    return [head, *body]


def datasets_of(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(str(row["dataset"]) for row in rows))


def number_of(row: Row, key: str) -> float | None:
    value = row.get(key)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def dots(rows: list[Row], prefix: str, key: str, title: str, unit: str) -> Figure | None:
    """A line per dataset with a dot per variant, which a gray line connects."""
    names = datasets_of(rows)
    variants = list(dict.fromkeys(str(row.get("variant", "")) for row in rows))
    values = {
        (str(row["dataset"]), str(row.get("variant", ""))): number_of(row, key) for row in rows
    }
    if all(value is None for value in values.values()):
        return None
    words = numbers((f"{name} {variant}", value) for (name, variant), value in values.items()) + "."
    title = f"{title}, {unit}"
    if key == SCORE[0] and len(variants) > 1:  # datasets differ by more than variants do
        title, unit = f"Test score, points against {variants[0]}", "points"
        values = against_first(values, names, variants)
    known = [value for value in values.values() if value is not None]
    shown = labels(names, 20)
    ends: list[Any] = []
    heights: list[Any] = []
    for name, label in zip(names, shown):
        here = [v for variant in variants if (v := values.get((name, variant))) is not None]
        ends += [*short([min(here), max(here)]), None] if here else []
        heights += [label, label, None] if here else []
    traces = [
        go.Scatter(
            x=ends,
            y=heights,
            mode="lines",
            line={"color": "rgba(139,146,156,0.45)", "width": 3},
            hoverinfo="skip",
        )
    ]
    for v, variant in enumerate(variants):
        traces.append(
            go.Scatter(
                x=short(values.get((name, variant)) for name in names),
                y=shown,
                mode="markers",
                name=plain(variant, 24),
                marker={"color": color(v), "size": 11, "opacity": 0.9},
                hovertemplate="%{y}: %{x:.5g} "
                + unit
                + "<extra>"
                + plain(variant, 24)
                + "</extra>",
            )
        )
    wide = key != SCORE[0] and min(known) > 0 and max(known) > 10 * min(known)
    return figure(
        f"{prefix}-{key.replace('_', '-')}",
        f"{title}{', log scale' if wide else ''}",
        words,
        traces,
        height=70 + 40 * len(names),
        xaxis={"type": "log", "dtick": 1} if wide else {},
        yaxis={"type": "category", "autorange": "reversed"},
    )


def against_first(
    values: dict[tuple[str, str], float | None], names: list[str], variants: list[str]
) -> dict[tuple[str, str], float | None]:
    """Each value less the dataset's first one that is known."""
    out: dict[tuple[str, str], float | None] = {}
    for name in names:
        here = {variant: values.get((name, variant)) for variant in variants}
        first = next((value for value in here.values() if value is not None), 0.0)
        for variant, value in here.items():
            out[name, variant] = None if value is None else value - first
    return out


def by_dataset(row: Row) -> tuple[str, str]:
    return str(row["dataset"]), str(row.get("variant", ""))


def by_method(row: Row) -> tuple[str, str]:
    method, _, width = str(row.get("variant", "")).rpartition("-")
    return method, width


def lines(
    rows: list[Row], prefix: str, x: str, part: Any, key: str, title: str, unit: str, of: str = "",
    order: list[str] | None = None,
) -> Figure | None:  # fmt: skip
    """A line for each first part of a row's name, along the second, which is a number.

    `order` gives the colors.
    """
    series: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        name, at = part(row)
        value = number_of(row, key)
        if value is not None and re.fullmatch(r"[0-9.]+", at):
            series.setdefault(name, []).append((float(at), value))
    if not series:
        return None
    traces, words = [], []
    order = order or list(series)
    heading = of or f"{title}, {unit}"
    relative = key == SCORE[0] and not of  # lines of datasets, which differ by more than a line
    if relative:
        first = min(at for points in series.values() for at, _ in points)
        heading, unit = f"Test score, points against {first:g}", "points"
    for name, points in series.items():
        points.sort()
        base = points[0][1] if relative else 0.0
        traces.append(
            go.Scatter(
                x=short(p[0] for p in points),
                y=short(p[1] - base for p in points),
                name=plain(name, 24),
                mode="lines+markers",
                line={"color": color(order.index(name)), "width": 2},
                hovertemplate="%{x}: %{y:.5g} " + unit + "<extra>" + plain(name, 24) + "</extra>",
            )
        )
        words.append(f"{name}: {numbers(((f'{at:g}', value) for at, value in points))}.")
    ticks = sorted({at for points in series.values() for at, _ in points})
    return figure(
        f"{prefix}-{key.replace('_', '-')}",
        heading,
        " ".join(words),
        traces,
        x=x,
        height=240 if of else 320,
        xaxis={
            "type": "linear" if of else "log",
            "tickvals": ticks,
            "ticktext": [f"{at:g}" for at in ticks],
            "tickangle": 0,
        },
    )


def curves(rows: list[Row], prefix: str) -> Figure:
    traces, words = [], []
    for s, row in enumerate(row for row in rows if row.get("curve")):
        epochs, values = [point[0] for point in row["curve"]], [point[1] for point in row["curve"]]
        highest = max(values)
        traces.append(
            go.Scatter(
                x=epochs,
                y=short(value - highest for value in values),
                customdata=short(values),
                name=plain(row["dataset"], 24),
                mode="lines+markers",
                line={"color": color(s), "width": 2},
                marker={"size": 5},
                hovertemplate="epoch %{x}: %{customdata:.2f} %<extra>"
                + plain(row["dataset"], 24)
                + "</extra>",
            )
        )
        best = max(range(len(values)), key=values.__getitem__)
        words.append(f"{row['dataset']}: best {values[best]:.2f} % in epoch {epochs[best]}.")
    return figure(
        f"{prefix}-curve",
        "Validation score by epoch, points from the best epoch",
        " ".join(words),
        traces,
        x="epoch",
        wide=True,
    )


def bench_figures(bench: Bench, b: int) -> list[Figure]:
    done = [row for row in bench.rows if number_of(row, "mean") is not None]
    names = datasets_of(done)
    methods = list(dict.fromkeys(str(row["method"]) for row in done))
    out = []
    for key, title, unit, log in (
        ("mean", "Test score", "percent", False),
        ("ms_per_epoch", "Time of an epoch", "ms", True),
        ("peak_mib", "Peak memory", "MiB", True),
    ):
        values = {(str(row["dataset"]), str(row["method"])): number_of(row, key) for row in done}
        if all(not value for value in values.values()):
            continue
        traces = []
        for d, name in enumerate(names):
            here = [method for method in methods if values.get((name, method))]
            traces.append(
                go.Scatter(
                    x=short(values[name, method] for method in here),
                    y=here,
                    mode="markers",
                    name=plain(name, 20),
                    marker={
                        "color": color(d),
                        "size": 10,
                        "symbol": ["circle", "diamond", "square", "triangle-up", "x", "star"][
                            d % 6
                        ],
                    },
                    hovertemplate="%{y}: %{x:.5g} "
                    + unit
                    + "<extra>"
                    + plain(name, 20)
                    + "</extra>",
                )
            )
        words = "; ".join(
            f"{name}: {numbers((m, v) for m in methods if (v := values.get((name, m))))}"
            for name in names
        )
        axis = {"type": "log"} if log else {}
        out.append(
            figure(
                f"bench-{b}-{key.replace('_', '-')}",
                title,
                words + ".",
                traces,
                x=unit,
                xaxis=axis,
                wide=True,
                showlegend=True,
                height=130 + 26 * len(methods),
                yaxis={"autorange": "reversed", "type": "category"},
            )
        )
    return out
