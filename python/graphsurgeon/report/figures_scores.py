"""Scores beside their references, the confusion matrix, and accuracy by degree or by class."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from .failures import by_degree, confusion
from .figure import ACCENT, Figure, color, figure, labels, numbers, plain, short
from .run import Run

REFERENCES = {
    "raw": "raw features",
    "smoothed": "two-hop smoothed",
    "diffused": "diffused features",
    "untrained": "untrained encoder",
}
METRICS = {"accuracy": "accuracy", "roc_auc": "ROC-AUC"}


def own_title(run: Run) -> str:
    """How the embeddings of a run came about."""
    return "solved" if run.method == "spectral" else "trained"


OWN = ("solved", "trained")


def score_rows(run: Run) -> list[tuple[str, float, float, list[float]]]:
    """Name, mean, deviation and the splits' scores: references first, the run itself last."""
    scores = run.scores or {}
    found = scores.get("reference_scores", {})
    rows = [
        (title, found[key]["mean"], found[key]["std"], found[key]["values"])
        for key, title in REFERENCES.items()
        if key in found
    ]
    return [*rows, (own_title(run), scores["mean"], scores["std"], scores["values"])]


def score_lines(runs: list[Run]) -> list[tuple[str, int, list[Any]]]:
    """Label, number of the run and row: references first, once where several runs share one."""
    rows = [(r, row) for r, run in enumerate(runs) if run.scores for row in score_rows(run)]
    out = []
    for title in [*REFERENCES.values(), *OWN]:
        groups: dict[str, list[tuple[int, Any]]] = {}
        for r, row in rows:
            if row[0] == title:
                groups.setdefault(str(r) if title in OWN else str(row[3]), []).append((r, row))
        for members in groups.values():
            names = ", ".join(runs[r].name for r, _ in members)
            alone = len(runs) == 1 or (len(groups) == 1 and title not in OWN)
            out.append((title if alone else f"{title}: {names}", members[0][0], members[0][1]))
    return out


def score_figure(runs: list[Run]) -> Figure | None:
    """A dot a split and the mean, a row each."""
    lines = score_lines(runs)
    if not lines:
        return None
    traces = []
    titles = labels((name for name, _, _ in lines), 40)
    for label, (_, r, (title, mean, deviation, splits)) in zip(titles, lines):
        shade = color(r) if title in OWN else "#8b929c"
        traces.append(
            go.Scatter(
                x=short(splits),
                y=[label] * len(splits),
                mode="markers",
                name=label,
                showlegend=False,
                marker={"color": shade, "size": 8, "opacity": 0.45},
                hovertemplate="%{x:.2f}, one split<extra></extra>",
            )
        )
        traces.append(
            go.Scatter(
                x=short([mean]),
                y=[label],
                mode="markers",
                name=label,
                showlegend=False,
                error_x={
                    "type": "data",
                    "array": short([deviation]),
                    "color": shade,
                    "thickness": 2,
                },
                marker={"color": shade, "size": 13, "symbol": "diamond"},
                hovertemplate=f"{mean:.2f} ± {deviation:.2f}<extra></extra>",
            )
        )
    metric = METRICS.get(next(run.scores for run in runs if run.scores).get("metric", ""), "score")
    words = numbers(((name, row[1]) for name, _, row in lines), " %") + "."
    return figure(
        "scores-by-split",
        f"Test {metric}, percent: each split, and the mean",
        words,
        traces,
        x="percent",
        wide=True,
        height=90 + 34 * len(titles),
        yaxis={"autorange": "reversed", "type": "category"},
    )


def confusion_figure(run: Run, r: int, several: bool) -> Figure | None:
    found = run.predictions
    if found is None or found.multi_label:
        return None
    names = labels(run.known_graph.class_names, 18)
    counts = confusion(found, len(names))
    totals = counts.sum(1, keepdims=True)
    shares = 100 * counts / np.maximum(totals, 1)
    few = len(names) <= 12
    text = [[f"{share:.0f}" if n else "" for share, n in zip(*row)] for row in zip(shares, counts)]
    heat = go.Heatmap(
        z=[short(row) for row in shares.round(2)],
        x=names,
        y=names,
        customdata=counts.tolist(),
        colorscale=ACCENT,
        zmin=0,
        zmax=100,
        xgap=1,
        ygap=1,
        colorbar={"title": {"text": "%"}, "thickness": 10, "outlinewidth": 0},
        text=text if few else None,
        texttemplate="%{text}" if few else None,
        hovertemplate="%{y} taken for %{x}<br>%{z:.1f} % of its nodes, %{customdata}"
        "<extra></extra>",
    )
    title = (
        f"Confusion, percent of a class: {run.name}" if several else "Confusion, percent of a class"
    )
    return figure(
        f"confusion-{r}",
        title,
        confusion_words(run, counts),
        [heat],
        height=min(760, 190 + max(22 * len(names), 200)),
        x="predicted",
        y="true class",
        xaxis={"type": "category", "showgrid": False},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False},
        wide=len(names) > 12,
    )


def confusion_words(run: Run, counts: np.ndarray) -> str:
    names, totals = run.known_graph.class_names, counts.sum(1)
    recall = [(names[c], 100 * counts[c, c] / totals[c]) for c in range(len(names)) if totals[c]]
    wrong = counts - np.diag(np.diag(counts))
    worst = [
        divmod(int(i), len(names))
        for i in np.argsort(-wrong, axis=None, kind="stable")[:3]
        if wrong.flat[i]
    ]
    confused = "; ".join(f"{names[a]} taken for {names[b]} ({wrong[a, b]} nodes)" for a, b in worst)
    most = sorted(recall, key=lambda pair: pair[1])
    shown = most if len(most) <= 12 else most[:12]
    return f"Right by class{', the worst' if len(most) > 12 else ''}: {numbers(shown, ' %')}." + (
        f" Most often confused: {confused}." if confused else ""
    )


def degree_figure(runs: list[Run]) -> Figure | None:
    """Accuracy by degree, with how sure it is; micro F1 where a node has several labels."""
    shown = [(r, run, run.predictions) for r, run in enumerate(runs) if run.predictions is not None]
    if not shown:
        return None
    traces, words = [], []
    order: dict[str, int] = {}
    low = 100.0
    for r, run, found in shown:
        buckets = by_degree(found, run.known_graph.degree)
        low = min(low, *(b.low for b in buckets))
        order |= {b.name: b.least for b in buckets}
        traces.append(
            go.Scatter(
                x=[b.name for b in buckets],
                y=short(b.score for b in buckets),
                mode="lines+markers",
                name=plain(run.name, 30),
                customdata=[b.nodes for b in buckets],
                line={"color": color(r), "width": 2},
                marker={"size": 8},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": short(b.high - b.score for b in buckets),
                    "arrayminus": short(b.score - b.low for b in buckets),
                    "thickness": 1.2,
                    "color": color(r),
                },
                hovertemplate="degree %{x}: %{y:.1f} %<br>%{customdata} test nodes<extra>"
                + plain(run.name, 30)
                + "</extra>",
            )
        )
        scores = ", ".join(f"degree {b.name} {b.score:.1f} % of {b.nodes}" for b in buckets)
        words.append(f"{run.name}: {scores}.")
    what = "Micro F1" if all(found.multi_label for _, _, found in shown) else "Accuracy"
    return figure(
        "by-degree",
        f"{what} by degree, percent",
        " ".join(words),
        traces,
        x="degree of the node",
        height=360,
        showlegend=len(runs) > 1,
        yaxis={"range": [max(0, 10 * ((low - 5) // 10)), 101.5]},
        wide=len(runs) > 1,
        xaxis={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": sorted(order, key=order.__getitem__),
        },
    )


def label_figure(runs: list[Run]) -> Figure | None:
    """F1 of each label, where a node may have several."""
    shown = [
        (r, run, run.predictions)
        for r, run in enumerate(runs)
        if run.predictions is not None and run.predictions.multi_label
    ]
    if not shown:
        return None
    traces, words = [], []
    for r, run, found in shown:
        truth, predicted = found.truth.astype(bool), found.predicted.astype(bool)
        right, total = (truth & predicted).sum(0), truth.sum(0) + predicted.sum(0)
        f1 = 200 * right / np.maximum(total, 1)
        names = labels(run.known_graph.class_names, 24)
        traces.append(
            go.Bar(
                x=names,
                y=short(f1),
                name=plain(run.name, 30),
                marker={"color": color(r)},
                customdata=truth.sum(0).tolist(),
                hovertemplate="%{x}: F1 %{y:.1f} %<br>%{customdata} test nodes have it"
                "<extra></extra>",
            )
        )
        worst = sorted(zip(run.known_graph.class_names, f1), key=lambda pair: pair[1])[:12]
        words.append(f"{run.name}, the lowest: {numbers(worst, ' %')}.")
    return figure(
        "by-label",
        "F1 of each label, percent",
        " ".join(words),
        traces,
        x="label",
        showlegend=len(runs) > 1,
        height=360,
        xaxis={"type": "category"},
        barmode="group",
    )
