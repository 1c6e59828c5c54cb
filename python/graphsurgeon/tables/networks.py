"""Graphs of networkx and igraph; the attributes of their nodes are a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import interop
from ..errors import DataError
from ..ids import id_array
from .columns import ROW
from .graph import TableGraph, read_tables


def read_network(graph: Any, *, label_column: str | None = "", **keywords: Any) -> TableGraph:
    """Reads a networkx or igraph graph, and encodes the attributes of its nodes like a table.

    Parameters
    ----------
    graph : networkx.Graph, networkx.DiGraph or igraph.Graph
        Edges may have a `weight`. Edges of directed graphs keep their direction.
    label_column : str or None, optional
        Attribute with the class of each node; by default "y", "label" or "class".
    **keywords
        `categories`, `ignore` and `like`, as for `read_tables`.

    Returns
    -------
    TableGraph
        Its `ids` are the nodes of networkx, or the names (else numbers) of igraph's vertices.
    """
    parts = _igraph(graph) if interop.is_igraph(graph) else _networkx(graph)
    ids, edges, attributes, directed = parts
    if ROW in attributes:
        raise DataError(f"an attribute of the nodes is called '{ROW}'", "give it another name")
    if label_column == "" and "y" in attributes and "label" not in attributes:
        label_column = "y"
    out = read_tables(
        edges,
        attributes,
        id_column=ROW,
        label_column=label_column,
        directed=directed,
        **keywords,
    )
    out.ids = ids
    return out


def _names(graph: Any) -> set[str]:
    return {str(name) for _, attributes in graph.nodes(data=True) for name in attributes}


Parts = tuple[np.ndarray, dict[str, Any], dict[str, list[Any]], bool]


def _networkx(graph: Any) -> Parts:
    nodes = list(graph)
    number = {node: i for i, node in enumerate(nodes)}
    rows = list(graph.edges(data="weight"))
    edges = _edges([number[u] for u, _, _ in rows], [number[v] for _, v, _ in rows])
    if any(weight is not None for _, _, weight in rows):
        edges["weight"] = [1 if weight is None else weight for _, _, weight in rows]
    names = sorted(_names(graph))
    attributes = {name: [graph.nodes[node].get(name) for node in nodes] for name in names}
    return id_array(nodes), edges, attributes, graph.is_directed()


def _igraph(graph: Any) -> Parts:
    pairs = graph.get_edgelist()
    edges = _edges([u for u, _ in pairs], [v for _, v in pairs])
    if "weight" in graph.es.attributes():
        edges["weight"] = [1 if weight is None else weight for weight in graph.es["weight"]]
    names = graph.vs.attributes()
    attributes = {name: graph.vs[name] for name in names if name != "name"}
    ids = graph.vs["name"] if "name" in names else list(range(graph.vcount()))
    return id_array(ids), edges, attributes, graph.is_directed()


def _edges(source: list[int], target: list[int]) -> dict[str, Any]:
    return {"source": np.array(source, np.int64), "target": np.array(target, np.int64)}
