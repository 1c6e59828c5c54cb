"""Embeddings in the form that the user asked for: a tensor, an array, or a frame with the ids."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

from .errors import UsageError

KINDS = ("auto", "torch", "numpy", "pandas", "polars")


def check_kind(kind: str) -> None:
    """UsageError unless `output` can be `kind`."""
    if kind not in KINDS:
        raise UsageError(f"output is '{kind}', expected one of {', '.join(KINDS)}")


def kind_for(kind: str, frame: str) -> str:
    """What "auto" means: for tables the frame they came as, otherwise a tensor."""
    if kind != "auto":
        return kind
    return frame or "torch"


def require(kind: str) -> None:
    """UsageError unless what makes `kind` is installed, before the long work."""
    if kind in ("pandas", "polars"):
        _library(kind)


def as_output(z: np.ndarray, kind: str, ids: np.ndarray, id_name: str, names: list[str]) -> Any:
    """`z` as `kind`. Rows of a pandas frame are indexed by the ids; Polars has them in a column."""
    if kind == "numpy":
        return z
    if kind == "torch":
        import torch

        return torch.from_numpy(z)
    library = _library(kind)
    if kind == "polars":
        values = [str(name) for name in ids] if ids.dtype == object else ids
        columns = {id_name: values} | {name: z[:, i] for i, name in enumerate(names)}
        return library.DataFrame(columns)
    return library.DataFrame(z, index=library.Index(ids, name=id_name), columns=names)


def _library(name: str) -> Any:
    if name in sys.modules:
        return sys.modules[name]
    try:
        return import_module(name)
    except ImportError:
        hint = f"pip install {name}, or output='numpy'"
        raise UsageError(f"output '{name}' needs {name}", hint) from None


def rows_of(wanted: Any, ids: np.ndarray) -> np.ndarray:
    """The rows of the nodes with these ids ([n] or [n, 1]). UsageError for an unknown one."""
    if hasattr(wanted, "to_numpy"):
        wanted = wanted.to_numpy()
    asked = np.asarray(wanted)
    if asked.ndim == 2 and asked.shape[1] == 1:
        asked = asked[:, 0]
    if asked.ndim != 1:
        message = f"X has shape {asked.shape}, expected ids of nodes, (n,) or (n, 1)"
        raise UsageError(message, "the graph is the keyword graph=...; X names some of its nodes")
    known = {node: row for row, node in enumerate(ids.tolist())}
    rows = [known.get(node, -1) for node in asked.tolist()]
    if -1 in rows:
        strange = asked.tolist()[rows.index(-1)]
        raise UsageError(f"the graph has no node {strange!r}", f"a node is {ids.tolist()[0]!r}")
    return np.array(rows, np.int64)
