"""The ids of nodes in the user's own types, for whatever a graph came as."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import interop
from ._load import core
from .errors import UsageError
from .progress import Listener


def ids_of(data: Any) -> np.ndarray | None:
    """The ids of the nodes in the user's own types; None if only the core knows them."""
    if hasattr(data, "graph_arrays"):
        ids: np.ndarray = data.ids
        return ids
    if isinstance(data, (tuple, list)) and data:
        return ids_of(data[0])
    if interop.is_igraph(data):
        return id_array(data.vs["name"]) if "name" in data.vs.attributes() else None
    return id_array(list(data)) if interop.is_networkx(data) else None


def id_array(nodes: list[Any]) -> np.ndarray:
    """Integers if they all are, otherwise objects (a node of networkx may be a tuple)."""
    if all(type(node) is int for node in nodes):
        return np.array(nodes, np.int64)
    out = np.empty(len(nodes), dtype=object)
    out[:] = nodes
    return out


def typed_ids(names: list[str], nodes: int, recipe: str) -> np.ndarray:
    """The core's ids: integers if the table's were, else text; numbers of nodes without any."""
    if not names:
        return np.arange(nodes)
    if recipe and json.loads(recipe)["id"]["integer"]:
        return np.array(names, np.int64)
    return np.array(names, dtype=object)


def ids_in(data: Any) -> np.ndarray:
    """The ids of a graph that only the core can read."""
    set_ = core.dataset(
        interop.source_of(data, None, False), '{"features": "raw"}', 0, Listener(False)
    )
    return typed_ids(set_.node_ids, set_.nodes, set_.recipe)


def ids_of_run(run: Any) -> np.ndarray:
    """The ids that a run folder keeps."""
    nodes = len(np.load(run.embeddings, mmap_mode="r"))
    if not os.path.exists(run.ids):
        return np.arange(nodes)
    with open(run.ids, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        names = file.read().removesuffix("\n").split("\n")
    return typed_ids(names, nodes, core.model(run.model)["recipe"])


def check_recipe(graph: Any, model: Any) -> None:
    """UsageError for a TableGraph that was not encoded as the tables that `model` was fitted on."""
    if not hasattr(graph, "graph_arrays"):
        return
    if graph.recipe.to_text() != core.model(core.RunFolder(model.run_).model)["recipe"]:
        message = "the tables were encoded by a recipe of their own"
        raise UsageError(message, "read them with read_tables(..., like=model)")
