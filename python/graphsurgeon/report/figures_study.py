"""The figures of ablations and benches."""

from __future__ import annotations

import re
from typing import Any

import plotly.graph_objects as go

from .figure import Figure, color, figure, numbers, plain, short
from .study_folders import Ablation, Bench

Row = dict[str, Any]
# What each ablation compares: the key of a row, its title and unit.
SCORE, MEMORY, TIME = (
    ("mean", "Score", "percent"),
    ("peak_mib", "Peak memory", "MiB"),
    ("ms_per_epoch", "Time of an epoch", "ms"),
)
COMPARED = {
    "loss": [SCORE, MEMORY, TIME],
    "pre-vs-post": [
        SCORE,
        MEMORY,
        TIME,
        ("parameters", "Parameters", ""),
        ("aug_dim", "Width D", "columns"),
        ("gamma_scaled", "Gamma, in units of the scaled constraint", ""),
        ("lr", "Learning rate", ""),
    ],
    "symmetry": [SCORE],
    "batch-size": [SCORE, TIME],
    "embedding-size": [SCORE],
}

LOGARITHMIC = {"gamma_scaled", "lr"}  # whose values are of several orders


def ablation_figures(ablation: Ablation, prefix: str) -> list[Figure]:
    rows = [row for row in ablation.rows if "problem" not in row]
    key = f"{prefix}-{re.sub(r'[^a-z0-9-]', '-', ablation.name.lower())}"
    if any("curve" in row for row in rows):
        return [curves(rows, key)]
    compared = COMPARED.get(ablation.name, [SCORE])
    if ablation.name == "batch-size":
        made = [lines(rows, key, "nodes of a batch", by_dataset, *what) for what in compared]
    elif ablation.name == "embedding-size":
        methods = list(
            dict.fromkeys(by_method(row)[0] for row in rows)
        )  # of one color in every figure
        made = [
            lines(
                [row for row in rows if row["dataset"] == name],
                f"{key}-{d}",
                "columns of an embedding",
                by_method,
                *SCORE,
                of=name,
                order=methods,
            )
            for d, name in enumerate(datasets_of(rows))
        ]
    else:
        made = [bars(rows, key, *what) for what in compared]
    return [one for one in made if one is not None]


def datasets_of(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(str(row["dataset"]) for row in rows))


def number_of(row: Row, key: str) -> float | None:
    value = row.get(key)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def bars(rows: list[Row], prefix: str, key: str, title: str, unit: str) -> Figure | None:
    """Datasets along the axis, a bar a variant."""
    names = datasets_of(rows)
    variants = list(dict.fromkeys(str(row.get("variant", "")) for row in rows))
    values = {
        (str(row["dataset"]), str(row.get("variant", ""))): number_of(row, key) for row in rows
    }
    if all(value is None for value in values.values()):
        return None
    traces = [
        go.Bar(
            x=[plain(name, 20) for name in names],
            y=short(values.get((name, variant)) for name in names),
            name=plain(variant, 24),
            marker={"color": color(v)},
            hovertemplate="%{x}: %{y:.5g} " + unit + "<extra>" + plain(variant, 24) + "</extra>",
        )
        for v, variant in enumerate(variants)
    ]
    words = numbers((f"{name} {variant}", value) for (name, variant), value in values.items()) + "."
    layout: dict[str, Any] = {
        "barmode": "group",
        "showlegend": True,
        "xaxis": {"type": "category"},
        "y": unit,
    }
    known = [value for value in values.values() if value is not None]
    if key == "mean":  # scores are close to each other and far from 0
        low = min(known)
        layout["yaxis"] = {"range": [max(0, low - 10), min(100, max(known) + 5)]}
        title += f" (axis from {max(0, low - 10):.0f})"
    if key in LOGARITHMIC:
        layout["yaxis"] = {"type": "log", "dtick": "D2"}  # ticks at 1, 2 and 5
    return figure(f"{prefix}-{key.replace('_', '-')}", title, words, traces, **layout)


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
    for name, points in series.items():
        points.sort()
        traces.append(
            go.Scatter(
                x=short(p[0] for p in points),
                y=short(p[1] for p in points),
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
        f"{title}, {of}" if of else title,
        " ".join(words),
        traces,
        x=x,
        y=unit,
        showlegend=True,
        xaxis={"type": "log", "tickvals": ticks, "ticktext": [f"{at:g}" for at in ticks]},
    )


def curves(rows: list[Row], prefix: str) -> Figure:
    traces, words = [], []
    for s, row in enumerate(row for row in rows if row.get("curve")):
        epochs, values = [point[0] for point in row["curve"]], [point[1] for point in row["curve"]]
        traces.append(
            go.Scatter(
                x=epochs,
                y=short(values),
                name=plain(row["dataset"], 24),
                mode="lines+markers",
                line={"color": color(s), "width": 2},
                marker={"size": 5},
                hovertemplate="epoch %{x}: %{y:.2f} %<extra>"
                + plain(row["dataset"], 24)
                + "</extra>",
            )
        )
        best = max(range(len(values)), key=values.__getitem__)
        words.append(f"{row['dataset']}: best {values[best]:.2f} % in epoch {epochs[best]}.")
    return figure(
        f"{prefix}-curve",
        "Validation score by epoch",
        " ".join(words),
        traces,
        x="epoch",
        y="percent",
        showlegend=True,
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
