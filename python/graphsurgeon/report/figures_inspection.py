"""What the learned augmentations do, from the report of `inspect`."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from .figure import DASHES, Figure, color, figure, labels, numbers, plain, short
from .run import Run

GAINS = 2000  # features drawn at most
SPECTRA = {
    "first_head": "first head",
    "second_head": "second head",
    "first_view": "first view",
    "second_view": "second view",
    "embedding": "embedding",
}


def inspection_figures(run: Run, r: int) -> list[Figure]:
    found = run.inspection
    out = [
        gains(found, r),
        told_apart(found, r),
        spectra(found, r),
        angles(found, r),
        agreement(found, r),
        classes(found, r),
    ]
    return [made for made in out if made is not None]


def drawn(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Features to draw: all, or those that the heads treat most differently and some others."""
    order = np.argsort(-np.abs(first - second), kind="stable")
    if len(order) <= GAINS:
        return order
    first_half, rest = order[: GAINS // 2], order[GAINS // 2 :]
    return np.concatenate([first_half, rest[:: -(-len(rest) // (GAINS // 2))]])


def gains(found: dict, r: int) -> Figure:
    measured = found["gains"]
    names = {
        row["column"]: row["name"]
        for rows in measured.values()
        for row in rows
        if isinstance(row, dict)
    }
    first, second = np.array(measured["first"]), np.array(measured["second"])
    chosen = drawn(first, second)
    trace = go.Scatter(
        x=short(first[chosen]),
        y=short(second[chosen]),
        mode="markers",
        text=[plain(names.get(int(f), f), 40) for f in chosen],
        marker={"color": color(0), "size": 6, "opacity": 0.55},
        hovertemplate="%{text}<br>first head %{x:.3g}, second %{y:.3g}<extra></extra>",
    )
    words = (
        f"Gain of each feature in both heads, 1 being the median; "
        f"they correlate by {found['gain_correlation']:.3f}. "
        f"Shown are {len(chosen):,} of {len(first):,}."
    )
    if found["heads_read"] != "features":
        words += (
            " The heads come after the encoder: a gain is how far the view of a node alone moves "
            "by the feature."
        )
    return figure(
        f"gains-{r}",
        "How strongly each head lets a feature through",
        words,
        [trace],
        x="gain of the first head",
        y="gain of the second",
        showlegend=False,
    )


def told_apart(found: dict, r: int) -> Figure | None:
    rows = found["gains"]["told_apart"][:12]
    if not rows:
        return None
    names = labels((row["name"] for row in rows), 24)
    traces = [
        go.Bar(
            y=names,
            x=short(row[head] for row in rows),
            name=f"{head} head",
            orientation="h",
            marker={"color": color(h)},
            hovertemplate="%{y}: %{x:.3g}<extra>" + head + " head</extra>",
        )
        for h, head in enumerate(("first", "second"))
    ]
    words = (
        "Gains in the first and the second head: "
        + ", ".join(f"{row['name']} {row['first']:.3g} and {row['second']:.3g}" for row in rows)
        + "."
    )
    return figure(
        f"told-apart-{r}",
        "Features that the heads treat most differently",
        words,
        traces,
        x="gain",
        barmode="group",
        height=360,
        yaxis={"autorange": "reversed", "type": "category"},
    )


def spectra(found: dict, r: int) -> Figure:
    traces = []
    for s, (key, name) in enumerate(SPECTRA.items()):
        values = found["spectrum"][key]["values"]
        traces.append(
            go.Scatter(
                x=list(range(1, len(values) + 1)),
                y=short(v if v > 0 else None for v in values),
                name=name,
                mode="lines" if len(values) > 1 else "markers",
                line={"color": color(s), "dash": DASHES[s % 4], "width": 2},
                hovertemplate="number %{x}: %{y:.3g}<extra>" + name + "</extra>",
            )
        )
    smallest = min(
        (v for key in SPECTRA for v in found["spectrum"][key]["values"] if v > 0), default=1
    )
    axis = {
        "type": "log",
        "dtick": 1,
        "exponentformat": "power",
        **({"range": [-6, 0.15]} if smallest < 1e-6 else {}),
    }
    ranks = [(name, found["spectrum"][key]["effective_rank"]) for key, name in SPECTRA.items()]
    return figure(
        f"spectra-{r}",
        "Singular values, the largest being 1",
        f"Effective rank: {numbers(ranks)}.",
        traces,
        x="number",
        yaxis=axis,
        height=360,
    )


def angles(found: dict, r: int) -> Figure | None:
    values = found["principal_angles"]
    if not values:
        return None
    trace = go.Scatter(
        x=list(range(1, len(values) + 1)),
        y=short(values),
        mode="lines" if len(values) > 1 else "markers",
        line={"color": color(0), "width": 2},
        hovertemplate="angle %{x}: %{y:.1f}°<extra></extra>",
    )
    what = "write" if found.get("angles_between") == "outputs" else "read"
    words = (
        f"{len(values)} principal angles between what the two heads {what}: "
        f"from {values[0]:.1f} to {values[-1]:.1f} degrees, "
        f"{values[len(values) // 2]:.1f} in the middle. 90 is nothing in common."
    )
    return figure(
        f"angles-{r}",
        f"Angles between what the heads {what}, degrees",
        words,
        [trace],
        x="number",
        showlegend=False,
        yaxis={"range": [0, 95]},
    )


def agreement(found: dict, r: int) -> Figure:
    counts = found["agreement"]["histogram"]
    centers = [round(-1 + (i + 0.5) / 20, 3) for i in range(len(counts))]
    used = np.flatnonzero(counts)
    first = max(0, int(used[0]) - 1) if len(used) else 0
    trace = go.Bar(
        x=centers[first:],
        y=counts[first:],
        marker={"color": color(0)},
        width=0.046,
        hovertemplate="cosine about %{x}: %{y} nodes<extra></extra>",
    )
    quantiles = found["agreement"]["quantiles"]
    words = (
        f"The cosine of a node's two views is {found['agreement']['mean']:.3f} on average; 5 % of "
        "the nodes are below "
        f"{quantiles['5']:.3f}, half below {quantiles['50']:.3f}. Alignment of the views (CKA) is "
        f"{found['cka']:.3f}."
    )
    return figure(
        f"agreement-{r}",
        "How far the two views of a node agree",
        words,
        [trace],
        x="cosine of the views",
        y="nodes",
        showlegend=False,
        bargap=0.05,
    )


def classes(found: dict, r: int) -> Figure | None:
    rows = found["classes"]
    if not rows:
        return None
    names = labels((row["name"] for row in rows), 24)
    trace = go.Bar(
        x=names,
        y=short(row["agreement"] for row in rows),
        marker={"color": color(0)},
        customdata=[[row["nodes"], round(row["effective_rank"], 1)] for row in rows],
        hovertemplate="%{x}: cosine %{y:.3f}<br>%{customdata[0]} nodes, effective rank "
        "%{customdata[1]}<extra></extra>",
    )
    low = min(0.0, *(row["agreement"] for row in rows))
    means = numbers((row["name"], row["agreement"]) for row in rows[:40])
    words = f"Mean cosine of the views: {means}."
    return figure(
        f"agreement-by-class-{r}",
        "Agreement of the views by class",
        words,
        [trace],
        x="class",
        y="mean cosine",
        showlegend=False,
        xaxis={"type": "category"},
        yaxis={"range": [low, 1]},
    )
