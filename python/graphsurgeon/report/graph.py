"""The data of a run, as far as a page shows it: labels, degrees, names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._load import core
from ..options import OPTIONS
from ..progress import Listener

# What the data depends on: features that are made for a graph without any, on the seed.
TREATMENT = [o.name for o in OPTIONS.values() if o.group == "Data" and o.name != "data-root"] + [
    "seed"
]


@dataclass
class Graph:
    """Labels are class ids [N], or zeros and ones [N, C]; -1, or a row of 255, where unknown."""

    name: str
    nodes: int
    edges: int
    features: int
    task: str  # none, bc, mcc, mlc
    classes: int
    degree: np.ndarray
    labels: np.ndarray | None
    class_names: list[str]
    node_ids: list[str] | None

    @property
    def multi_label(self) -> bool:
        return self.labels is not None and self.labels.ndim == 2

    def id_of(self, node: int) -> str:
        return self.node_ids[node] if self.node_ids else str(node)


def load_graph(data: str, options: dict[str, Any], data_root: str = "") -> Graph:
    """The graph that `data` names, treated as a run's `options` have it; may raise any Error."""
    asked = {name: options[name] for name in TREATMENT if name in options}
    if data_root:
        asked["data-root"] = data_root
    found = core.dataset(data, json.dumps(asked), 0, Listener(False))
    return Graph(
        name=found.name,
        nodes=found.nodes,
        edges=found.edges,
        features=found.features,
        task=found.task,
        classes=found.classes,
        degree=found.degrees,
        labels=found.labels,
        class_names=found.class_names or [str(c) for c in range(found.classes)],
        node_ids=found.node_ids or None,
    )
