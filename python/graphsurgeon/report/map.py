"""The embedding map's data, small: 16-bit coordinates and labels in base64. page.js draws it."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from .figure import plain
from .graph import Graph
from .run import Run

UNKNOWN = 65535  # the label of a node without


def packed(values: np.ndarray, dtype: str) -> dict[str, str]:
    return {
        "type": dtype,
        "data": base64.b64encode(np.ascontiguousarray(values, dtype).tobytes()).decode(),
    }


def graph_payload(graph: Graph, order: np.ndarray) -> dict[str, Any]:
    """What runs of one graph share, of the nodes in `order`."""
    out: dict[str, Any] = {"degree": packed(graph.degree[order], "<i4")}
    if graph.node_ids:
        out["ids"] = [plain(graph.node_ids[node], 40) for node in order]
    if graph.labels is None:
        return out
    out["classes"] = [plain(name, 24) for name in graph.class_names]
    rows = graph.labels[order]
    if graph.multi_label:
        known = rows[:, 0] != 255
        out["labelCount"] = packed(np.where(known, (rows == 1).sum(1), 0), "<u2")
        out["labels"] = [
            np.flatnonzero(row == 1).tolist()[:6] if k else [] for row, k in zip(rows, known)
        ]
    else:
        out["label"] = packed(np.where(rows < 0, UNKNOWN, rows), "<u2")
    return out


def map_payload(run: Run) -> dict[str, Any]:
    views = []
    for made in run.maps:
        points = made.points - (made.points.max(0) + made.points.min(0)) / 2
        scale = max(float(np.abs(points).max()), 1e-30)
        whole = np.round(points / scale * 32000)
        views.append(
            {
                "name": made.name,
                "about": made.about,
                "count": len(whole),
                "x": packed(whole[:, 0], "<i2"),
                "y": packed(whole[:, 1], "<i2"),
            }
        )
    out: dict[str, Any] = {"views": views, "node": packed(run.order, "<i4")}
    if run.agreement is not None:
        # Of 1 - cosine, in steps of 1/32000.
        out["disagreement"] = packed(np.round((1 - run.agreement[run.order]) / 2 * 64000), "<u2")
    return out


def map_words(run: Run) -> str:
    assert run.z is not None
    sentences = ["Each dot is a node."] + [f"{made.name}: {made.about}." for made in run.maps]
    if len(run.order) < len(run.z):
        sentences.append(f"PCA draws {len(run.order):,} of {len(run.z):,} nodes.")
    if run.agreement is not None:
        worst = 1 - np.quantile(run.agreement, 0.05)
        sentences.append(
            f"The views disagree (1 - cosine) by {1 - run.agreement.mean():.3f} on average, "
            f"5 % of the nodes by more than {worst:.3f}."
        )
    if run.graph is not None and run.graph.labels is not None and not run.graph.multi_label:
        sentences.append(separation(run, run.graph.labels[run.order]))
    return " ".join(sentences)


def separation(run: Run, labels: np.ndarray) -> str:
    """How far the classes lie apart on the map, as a number; `labels` of the nodes drawn."""
    scores = []
    for made in run.maps:
        points, here = made.points[:2000], labels[: len(made.points)][:2000]
        points, here = points[here >= 0], here[here >= 0]
        if len(np.unique(here)) < 2 or len(here) <= len(np.unique(here)):
            continue
        from sklearn.metrics import silhouette_score

        scores.append(f"{silhouette_score(points, here):.2f} by {made.name}")
    return f"Silhouette of the classes (1 apart, 0 mixed): {', '.join(scores)}." if scores else ""
