"""The data of a run, as far as a page shows it: labels, degrees, names. Read from what `data convert` writes."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..options import OPTIONS
from . import program

TREATMENT = [o.name for o in OPTIONS.values() if o.group == "Data" and o.name != "data-root"]


@dataclass
class Graph:
    """Labels are class ids [N], -1 where unknown, or zeros and ones [N, C], a row of 255 where unknown."""

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

    @property
    def known(self) -> np.ndarray:
        """Which nodes have a label."""
        if self.labels is None:
            return np.zeros(self.nodes, bool)
        return self.labels[:, 0] != 255 if self.multi_label else self.labels >= 0

    def id_of(self, node: int) -> str:
        return self.node_ids[node] if self.node_ids else str(node)


def load_graph(data: str, options: dict[str, Any], data_root: str = "") -> Graph:
    """The graph that `data` names, treated as a run's `options` have it. Raises what the program says of it."""
    given = {name: options[name] for name in TREATMENT if name in options}
    changed = {name: value for name, value in given.items() if value != option_default(name)}
    if not changed and (Path(data) / "dataset.json").is_file():
        return read_folder(Path(data))  # ours already: nothing to convert
    words = [f"--{name}={value}" for name, value in changed.items()]
    if data_root:
        words.append(f"--data-root={data_root}")
    with tempfile.TemporaryDirectory(prefix="graphsurgeon-report-") as folder:
        target = Path(folder) / "data"
        program.ask("data", "convert", data, "-o", target, *words)
        return read_folder(target)


def option_default(name: str) -> Any:
    return OPTIONS[name.replace("-", "_")].default


def read_folder(folder: Path) -> Graph:
    about = json.loads((folder / "dataset.json").read_text(encoding="utf-8"))

    def array(name: str) -> np.ndarray | None:
        file = folder / f"{name}.npy"
        return np.load(file, allow_pickle=False) if file.exists() else None

    offsets = array("offsets")
    labels = array("labels")
    classes = int(about["labels"]["classes"])
    names = read_names(folder / "class_names.txt") or [str(c) for c in range(classes)]
    return Graph(
        name=about["name"],
        nodes=int(about["nodes"]),
        edges=int(about["edges"]),
        features=int(about["features"]["width"]),
        task=about["labels"]["task"],
        classes=classes,
        degree=np.diff(offsets),
        labels=labels if about["labels"]["task"] != "none" else None,
        class_names=names,
        node_ids=read_names(folder / "node_ids.txt"),
    )


def read_names(file: Path) -> list[str] | None:
    if not file.exists():
        return None
    plain = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}
    lines = file.read_text(encoding="utf-8").split("\n")[:-1]
    return [unescaped(line, plain) if "\\" in line else line for line in lines]


def unescaped(line: str, plain: dict[str, str]) -> str:
    out, i = "", 0
    while i < len(line):
        pair = line[i : i + 2]
        out += plain.get(pair, line[i])
        i += 2 if pair in plain else 1
    return out
