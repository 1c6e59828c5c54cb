"""Converts the graphs of other libraries to the core's arrays.

Accepted: a PyTorch Geometric `Data`; `(graph, x)`, `(graph, x, y)` or `graph` alone, where graph is
an edge_index (2 x M), a scipy or torch sparse matrix (entry i, j is the edge from i to j), a
networkx or an igraph graph; OGB's dict, or its pair (dict, labels); tables, as `read_tables` takes
them; a path or catalog name; the result of `load_dataset`. Memory is shared where layout and type
allow: row-major float32 x, float32 CSR features, 32-bit CSC adjacency.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import numpy as np

from ._load import core
from .errors import DataError, UsageError
from .labels import Arrays, labels_of, numpy_of

FORMS = (
    "pass tables (edges=..., nodes=...), a PyG Data, (edge_index, x), a scipy sparse matrix, a "
    "networkx or igraph graph, OGB's dict, a path or a name"
)


def graph_of(data: Any, edges: Any = None, nodes: Any = None, like: Any = None) -> Any:
    """`data`, or the TableGraph of tables and of graphs whose nodes have attributes.

    `like`: a fitted estimator or None, see `read_tables`.
    """
    if edges is not None or nodes is not None:
        if data is not None:
            raise UsageError("pass a graph, or the tables edges and nodes, but not both")
    elif isinstance(data, (tuple, list)) and len(data) == 2 and all(map(_is_frame, data)):
        edges, nodes = data
    elif _is_frame(data):
        message = "a table alone is no graph"
        raise UsageError(message, "pass edges=... and nodes=..., or read_tables(nodes=..., knn=10)")
    elif is_networkx(data) or is_igraph(data):
        return _network(data, like)
    else:
        return data
    read_tables = import_module("graphsurgeon.tables").read_tables
    return read_tables(edges, nodes, like=like)


def _network(graph: Any, like: Any) -> Any:
    if is_igraph(graph):
        names = set(graph.vs.attributes()) - {"name"}
    else:
        names = {name for _, attributes in graph.nodes(data=True) for name in attributes}
    if not names - {"x", "y"} or "x" in names:
        return graph
    return import_module("graphsurgeon.tables").read_network(graph, like=like)


def source_of(data: Any, y: Any = None, labels_needed: bool = True, replace: bool = False) -> Any:
    """What core.dataset takes: arrays, text or a dataset.

    `y`: labels for a graph from memory that has none, or instead of its own and their splits with
    `replace`. Labels that are no classes (the target of a regression) are left out if they are not
    needed.
    """
    if isinstance(data, (core.Dataset, str, bytes, os.PathLike)):
        if y is not None and labels_needed:
            message = "labels can be given for a graph from memory only"
            raise UsageError(message, "for files, use labels_file")
        return data if isinstance(data, core.Dataset) else os.fsdecode(data)
    try:
        arrays = data.graph_arrays() if hasattr(data, "graph_arrays") else _arrays(data)
        if y is not None and replace:
            for name in ("labels", "multi_labels", "class_names", "splits"):
                arrays.pop(name, None)
        if y is not None and "labels" not in arrays and "multi_labels" not in arrays:
            arrays |= labels_of(y)
        if (refused := arrays.pop("refused_labels", None)) and labels_needed:
            raise DataError(*refused)
    except (DataError, UsageError):
        raise
    except (
        TypeError,
        ValueError,
        IndexError,
    ) as error:  # from numpy: ragged rows, text among numbers
        raise DataError(f"cannot read the graph: {error}", FORMS) from error
    return arrays


def name_of(data: Any) -> str:
    """The name of the data in options.json."""
    if isinstance(data, (str, bytes, os.PathLike)):
        return os.fsdecode(data)
    return getattr(data, "name", None) or "memory"


def _arrays(data: Any) -> Arrays:
    if isinstance(data, (tuple, list)) and len(data) == 2:
        graph, other = data
        if isinstance(graph, dict):
            return _ogb(graph) | labels_of(other)
        return _graph(graph, _row_count(other)) | _features(other)
    if isinstance(data, tuple) and len(data) == 3:
        return _arrays(data[:2]) | labels_of(data[2])
    if isinstance(data, dict):
        return _ogb(data)
    if hasattr(data, "edge_types"):
        message = "graphs with several node types are not supported"
        raise UsageError(message, "convert it with data.to_homogeneous()")
    if hasattr(data, "edge_index") or hasattr(data, "adj_t"):
        return _pyg(data)
    return _graph(data, None)


def _graph(graph: Any, rows: int | None) -> Arrays:
    """A graph without features; `rows` is the number of feature rows, if there are features."""
    if _is_scipy(graph):
        return _scipy(graph)
    if is_networkx(graph):
        return _networkx(graph)
    if is_igraph(graph):
        return _igraph(graph)
    if _is_torch_sparse(graph):
        entries = _checked_torch(graph).to_sparse_coo().coalesce()
        weights = _weights(numpy_of(entries.values()))
        return {"nodes": _square(entries.shape)} | _edges(entries.indices(), weights)
    edges = numpy_of(graph)
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise DataError(f"edge_index has shape {tuple(edges.shape)}, expected (2, M)", FORMS)
    nodes = rows if rows is not None else int(edges.max(initial=-1)) + 1
    return {"nodes": nodes} | _edges(edges)


def _edges(edge_index: Any, weight: Any = None) -> Arrays:
    edges = numpy_of(edge_index)
    if edges.size and not np.issubdtype(edges.dtype, np.integer):
        message = f"edge_index holds {edges.dtype}, expected integers"
        raise DataError(message, "node ids count from 0")
    if edges.ndim != 2 or edges.shape[0] != 2:
        message = f"edge_index has shape {tuple(edges.shape)}, expected (2, M)"
        raise DataError(message, "its rows are sources and targets")
    out: Arrays = {
        "source": np.ascontiguousarray(edges[0], dtype=np.int64),
        "target": np.ascontiguousarray(edges[1], dtype=np.int64),
    }
    if weight is not None:
        values = np.ascontiguousarray(_real(numpy_of(weight)), dtype=np.float32).reshape(-1)
        if len(values) != edges.shape[1]:
            message = f"{len(values)} edge weights for {edges.shape[1]} edges"
            raise DataError(message, "pass one weight per edge")
        out["weight"] = values
    return out


def _pyg(data: Any) -> Arrays:
    out: Arrays = {"nodes": int(data.num_nodes)}
    if getattr(data, "edge_index", None) is not None:
        out |= _edges(data.edge_index, getattr(data, "edge_weight", None))
    elif getattr(data, "adj_t", None) is not None:
        out |= _transposed(data.adj_t)
    else:
        raise DataError(
            "the Data has neither edge_index nor adj_t", "name a graph with at least two nodes"
        )
    if getattr(data, "x", None) is not None:
        out |= _features(data.x)
    if getattr(data, "y", None) is not None:
        out |= labels_of(data.y)
    masks = [getattr(data, f"{part}_mask", None) for part in ("train", "val", "test")]
    if all(mask is not None for mask in masks):
        out["splits"] = _splits(masks, out["nodes"])
    return out


def _transposed(adj_t: Any) -> Arrays:
    """PyG's adj_t, whose rows are targets: a torch sparse tensor or a torch_sparse.SparseTensor."""
    if hasattr(adj_t, "coo"):
        target, source, weight = adj_t.coo()
    else:
        entries = _checked_torch(adj_t).to_sparse_coo().coalesce()
        (target, source), weight = entries.indices(), entries.values()
    weights = None if weight is None else _weights(numpy_of(weight))
    return _edges(np.stack([numpy_of(source), numpy_of(target)]), weights)


def _weights(values: np.ndarray) -> np.ndarray | None:
    """The values, or None if all are one."""
    return None if (values == 1).all() else values


def _real(weights: np.ndarray) -> np.ndarray:
    if np.iscomplexobj(weights):
        raise DataError("edge weights are complex numbers, expected real ones", "pass one number")
    return weights


def _square(shape: Any) -> int:
    if shape[0] != shape[1]:
        raise DataError(f"the adjacency matrix must be square, but is {shape[0]} x {shape[1]}")
    return int(shape[0])


def _ogb(graph: dict[str, Any]) -> Arrays:
    if "edge_index" not in graph:
        found = ", ".join(map(str, graph)) or "nothing"
        raise DataError(f"the dict has no 'edge_index', but {found}", "pass OGB's dict")
    x = graph.get("node_feat")
    nodes = graph.get("num_nodes", len(x) if x is not None else None)
    if nodes is None:
        raise DataError("the dict has neither 'num_nodes' nor 'node_feat'", "pass OGB's dict")
    features = _features(x) if x is not None else {}
    return {"nodes": int(nodes)} | _edges(graph["edge_index"]) | features


def _checked(matrix: Any) -> Any:
    """The scipy matrix. ValueError if an index is out of range: scipy itself would not notice."""
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.check_format(full_check=True)
    elif matrix.format == "coo":
        for axis, indices in enumerate((matrix.row, matrix.col)):
            if indices.size and (indices.min() < 0 or indices.max() >= matrix.shape[axis]):
                last = matrix.shape[axis] - 1
                raise ValueError(f"axis {axis} has an index outside of 0 to {last}")
    return matrix


def _checked_torch(matrix: Any) -> Any:
    """The torch sparse matrix on the CPU, without gradients; ValueError as above."""
    torch = sys.modules["torch"]
    matrix = matrix.detach().cpu()
    try:
        if matrix.layout == torch.sparse_coo:
            parts = (matrix._indices(), matrix._values(), matrix.shape)
            torch.sparse_coo_tensor(*parts, check_invariants=True)
        elif matrix.layout == torch.sparse_csr:
            rows = (matrix.crow_indices(), matrix.col_indices(), matrix.values(), matrix.shape)
            torch.sparse_csr_tensor(*rows, check_invariants=True)
    except RuntimeError as error:
        raise ValueError(str(error).partition("\n")[0]) from None
    return matrix


def _scipy(matrix: Any) -> Arrays:
    nodes = _square(matrix.shape)
    # A column holds the sources of a node's edges, as the core's rows do.
    columns = _checked(_checked(matrix).tocsc())
    if not columns.has_canonical_format or (columns.data == 0).any():
        columns = columns.copy()
        columns.sum_duplicates()
        columns.eliminate_zeros()
    out: Arrays = {
        "nodes": nodes,
        "offsets": columns.indptr.astype(np.int64, copy=False),
        "neighbors": columns.indices.astype(np.int32, copy=False),
    }
    if _weights(columns.data) is not None:
        out["weights"] = np.ascontiguousarray(_real(columns.data), dtype=np.float32)
    return out


def _networkx(graph: Any) -> Arrays:
    nodes = list(graph)
    number = {node: i for i, node in enumerate(nodes)}
    rows = [(number[u], number[v], w) for u, v, w in graph.edges(data="weight")]
    if not graph.is_directed():
        rows += [(v, u, w) for u, v, w in rows if u != v]
    edges = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2).T
    weights = [row[2] for row in rows]
    out: Arrays = {"nodes": len(nodes)}
    if any(w is not None for w in weights):
        out |= _edges(edges, np.array([1 if w is None else w for w in weights], np.float32))
    else:
        out |= _edges(edges)
    if nodes != list(range(len(nodes))):
        out["node_ids"] = [str(node) for node in nodes]
    x = [graph.nodes[node].get("x") for node in nodes]
    if x and all(value is not None for value in x):
        out |= _features(np.array([numpy_of(value) for value in x]))
    y = [graph.nodes[node].get("y") for node in nodes]
    if y and all(value is not None for value in y):
        out |= labels_of([numpy_of(value).tolist() for value in y])
    return out


def _igraph(graph: Any) -> Arrays:
    edges = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2).T
    weight = graph.es["weight"] if "weight" in graph.es.attributes() else None
    out: Arrays = {"nodes": graph.vcount(), "undirected": not graph.is_directed()}
    out |= _edges(edges, None if weight is None else np.array(weight, np.float32))
    names = graph.vs.attributes()
    if "name" in names:
        out["node_ids"] = [str(name) for name in graph.vs["name"]]
    if "x" in names:
        out |= _features(np.array([numpy_of(value) for value in graph.vs["x"]]))
    if "y" in names:
        out |= labels_of(graph.vs["y"])
    return out


def _features(x: Any) -> Arrays:
    if "complex" in str(getattr(x, "dtype", "")) or (
        not hasattr(x, "dtype") and np.iscomplexobj(numpy_of(x))
    ):
        message = "x holds complex numbers, expected real ones"
        raise DataError(message, "pass their real and imaginary parts as columns")
    if _is_scipy(x):
        rows = _checked(_checked(x).tocsr())
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        return {
            "width": rows.shape[1],
            "x_offsets": rows.indptr.astype(np.int64, copy=False),
            "x_indices": rows.indices.astype(np.int32, copy=False),
            "x": np.ascontiguousarray(rows.data, dtype=np.float32),
        }
    if _is_torch_sparse(x):
        rows = _checked_torch(x).to_sparse_coo().coalesce().to_sparse_csr()
        return {
            "width": x.shape[1],
            "x_offsets": numpy_of(rows.crow_indices()).astype(np.int64, copy=False),
            "x_indices": numpy_of(rows.col_indices()).astype(np.int32),
            "x": np.ascontiguousarray(numpy_of(rows.values()), dtype=np.float32),
        }
    values = np.ascontiguousarray(numpy_of(x), dtype=np.float32)
    if values.ndim != 2:
        message = f"x has shape {tuple(values.shape)}, expected (N, F)"
        raise DataError(message, "pass one row of features per node")
    return {"rows": values.shape[0], "width": values.shape[1], "x": values.reshape(-1)}


def _splits(masks: list[Any], nodes: int) -> list[list[list[int]]]:
    """PyG's masks: [N], or [N, S] for S splits."""
    tables = [numpy_of(mask).astype(bool) for mask in masks]
    tables = [table[:, None] if table.ndim == 1 else table for table in tables]
    count = max(table.shape[1] for table in tables)
    if any(table.shape[0] != nodes or table.shape[1] not in (1, count) for table in tables):
        shapes = ", ".join(str(numpy_of(mask).shape) for mask in masks)
        message = f"the masks of {nodes} nodes have shapes {shapes}"
        raise DataError(message, "expected (N,), or (N, S) for S splits")
    # One test mask may serve all splits, as in WikiCS.
    tables = [np.broadcast_to(table, (nodes, count)) for table in tables]
    return [[np.flatnonzero(table[:, s]).tolist() for table in tables] for s in range(count)]


def _row_count(x: Any) -> int:
    return x.shape[0] if hasattr(x, "shape") else len(x)


def _is_scipy(value: Any) -> bool:
    return "scipy.sparse" in sys.modules and sys.modules["scipy.sparse"].issparse(value)


def _is_torch_sparse(value: Any) -> bool:
    return getattr(value, "is_sparse", False) or getattr(value, "is_sparse_csr", False)


def _is_frame(value: Any) -> bool:
    """Whether `value` is a table: a pandas or Polars frame, an Arrow table, a DuckDB relation."""
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__dataframe__")


def is_igraph(value: Any) -> bool:
    return "igraph" in sys.modules and isinstance(value, sys.modules["igraph"].Graph)


def is_networkx(value: Any) -> bool:
    return "networkx" in sys.modules and isinstance(value, sys.modules["networkx"].Graph)
