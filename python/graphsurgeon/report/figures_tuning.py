"""The figures of searches."""

from __future__ import annotations

import re

import plotly.graph_objects as go

from .figure import Figure, color, figure, numbers, plain, rounded, short
from .figures_study import Row, number_of
from .study_folders import Tuning


def tuning_figures(tuning: Tuning, t: int) -> list[Figure]:
    out = [history(tuning, t), intermediate(tuning, t), importance(tuning, t)]
    out += [slice_of(tuning, t, name) for name in tuning.searched]
    return [made for made in out if made is not None]


def named(tuning: Tuning) -> str:
    """The measure, as a title begins."""
    return tuning.measure.capitalize()


def complete(tuning: Tuning) -> list[Row]:
    return [
        row
        for row in tuning.trials
        if row["state"] == "complete" and number_of(row, "value") is not None
    ]


def history(tuning: Tuning, t: int) -> Figure | None:
    done = complete(tuning)
    if not done:
        return None
    best = [max(row["value"] for row in done[: i + 1]) for i in range(len(done))]
    pruned = [
        row
        for row in tuning.trials
        if row["state"] == "pruned" and number_of(row, "value") is not None
    ]
    traces = [
        go.Scatter(
            x=[row["trial"] for row in done],
            y=short(row["value"] for row in done),
            mode="markers",
            name="trial",
            marker={"color": color(0), "size": 8},
            hovertemplate="trial %{x}: %{y:.2f}<extra></extra>",
        ),
        go.Scatter(
            x=[row["trial"] for row in done],
            y=short(best),
            mode="lines",
            name="best so far",
            line={"color": color(1), "width": 2, "shape": "hv"},
            hovertemplate="best by trial %{x}: %{y:.2f}<extra></extra>",
        ),
    ]
    if pruned:
        traces.append(
            go.Scatter(
                x=[row["trial"] for row in pruned],
                y=short(row["value"] for row in pruned),
                mode="markers",
                name="pruned",
                marker={"color": "#8b929c", "size": 7, "symbol": "x"},
                hovertemplate="trial %{x}, pruned at %{y:.2f}<extra></extra>",
            )
        )
    top = max(done, key=lambda row: row["value"])
    words = (
        f"{len(done)} trials were completed and {len(pruned)} pruned; "
        f"the best is trial {top['trial']} with a {tuning.measure} of {rounded(top['value'])}, "
        f"the first had {rounded(done[0]['value'])}."
    )
    title = f"{named(tuning)} of each trial"
    return figure(
        f"tuning-{t}-history", title, words, traces, x="trial", y=plain(tuning.measure), height=340
    )


def intermediate(tuning: Tuning, t: int) -> Figure | None:
    if not tuning.curves:
        return None
    traces = [
        go.Scatter(
            x=[p[0] for p in points],
            y=short(p[1] for p in points),
            mode="lines+markers",
            showlegend=False,
            line={"color": color(0), "width": 1.2},
            marker={"size": 4},
            opacity=0.5,
            hovertemplate="epoch %{x}: %{y:.2f}<extra></extra>",
        )
        for points in tuning.curves
    ]
    words = f"{named(tuning)} of {len(traces)} trials while they trained; pruned ones end early."
    title = "Trials as they trained"
    return figure(
        f"tuning-{t}-curves", title, words, traces, x="epoch", y=plain(tuning.measure), height=340
    )


def importance(tuning: Tuning, t: int) -> Figure | None:
    if not tuning.importance:
        return None
    names = list(tuning.importance)
    trace = go.Bar(
        y=[plain(name, 24) for name in names],
        x=short(tuning.importance.values()),
        orientation="h",
        marker={"color": color(0)},
        hovertemplate="%{y}: %{x:.3f}<extra></extra>",
    )
    shares = numbers(tuning.importance.items())
    what = f"Share of the variance of the {tuning.measure} that each option explains (fANOVA)"
    words = f"{what}: {shares}."
    return figure(
        f"tuning-{t}-importance",
        "Which options matter",
        words,
        [trace],
        x="importance",
        showlegend=False,
        height=120 + 34 * len(names),
        yaxis={"autorange": "reversed", "type": "category"},
    )


def slice_of(tuning: Tuning, t: int, name: str) -> Figure | None:
    done = [row for row in complete(tuning) if row.get(name) is not None]
    values = [row[name] for row in done]
    if len(set(map(str, values))) < 2:
        return None
    numeric = all(isinstance(value, (int, float)) for value in values)
    wide = numeric and min(values) > 0 and max(values) / min(values) >= 20
    trace = go.Scatter(
        x=short(values) if numeric else [plain(value, 24) for value in values],
        y=short(row["value"] for row in done),
        mode="markers",
        marker={"color": color(0), "size": 8, "opacity": 0.7},
        text=[f"trial {row['trial']}" for row in done],
        hovertemplate="%{text}: %{x} gave %{y:.2f}<extra></extra>",
    )
    top = max(done, key=lambda row: row["value"])
    key = re.sub(r"[^a-z0-9-]", "-", name.lower())
    return figure(
        f"tuning-{t}-by-{key}",
        f"{named(tuning)} by {plain(name, 24)}",
        f"The best trial has {name} {top[name]}.",
        [trace],
        x=plain(name, 24),
        y=plain(tuning.measure),
        showlegend=False,
        height=280,
        xaxis={"type": "log" if wide else "linear" if numeric else "category"},
    )
