"""A graph from an edge table and a node table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import UsageError
from . import columns
from .columns import ROW
from .edges import Edges, edge_columns, shown
from .recipe import Recipe, recipe_of
from .sources import Source, counted, read


@dataclass
class TableGraph:
    """A graph that was read from tables. `GraphSurgeon.fit` and `transform` take it.

    Attributes
    ----------
    ids : ndarray of int64 or object
        The id of every node, in the order of the embeddings' rows.
    x : ndarray of float32, shape (N, F)
        The encoded features; `feature_names` has their names.
    source, target : ndarray of int64
        The rows of the nodes that each edge joins.
    weight : ndarray of float32, or None
    directed : bool
        Whether an edge leads from source to target only.
    labels : ndarray of int32, or None
        Class of every node, -1 where unknown; `recipe.classes` has the names.
    notes : list of str
        What was decided, in one line per column.
    recipe : Recipe
        How the columns became features.
    """

    name: str
    ids: np.ndarray
    x: np.ndarray
    source: np.ndarray
    target: np.ndarray
    recipe: Recipe
    weight: np.ndarray | None = None
    directed: bool = False
    labels: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)  # how a new table differs from the first
    frame: str = "pandas"

    @property
    def feature_names(self) -> list[str]:
        return self.recipe.feature_names()

    def graph_arrays(self) -> dict[str, Any]:
        """What the core reads, see `interop`."""
        out: dict[str, Any] = {
            "name": self.name,
            "nodes": len(self.ids),
            "source": self.source,
            "target": self.target,
            "undirected": not self.directed,
        }
        if self.weight is not None:
            out["weight"] = self.weight
        if self.x.shape[1]:
            out |= {"rows": len(self.x), "width": self.x.shape[1], "x": self.x.reshape(-1)}
            out |= {"feature_names": self.feature_names, "recipe": self.recipe.to_text()}
        if self.labels is not None:
            out |= {"labels": self.labels, "class_names": self.recipe.classes}
        texts = [str(name) for name in self.ids]
        if texts != [str(i) for i in range(len(texts))]:
            out["node_ids"] = texts
        return out

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return "\n".join([f"TableGraph '{self.name}'", *self.notes, *self.warnings])


def read_tables(
    edges: Any = None,
    nodes: Any = None,
    *,
    source_column: str = "",
    target_column: str = "",
    weight_column: str = "",
    id_column: str = "",
    label_column: str | None = "",
    categories: Collection[str] = (),
    ignore: Collection[str] = (),
    directed: bool = False,
    unknown_ids: str = "error",
    knn: int = 0,
    like: Any = None,
) -> TableGraph:
    """Reads a graph from an edge table and a node table.

    Numbers and dates are scaled, categories become columns of 0 and 1, missing values are marked;
    `print` of the result shows one line per column. Free text is refused.

    Parameters
    ----------
    edges, nodes : path, frame or table
        CSV, Parquet or Arrow files, pandas or Polars frames, Arrow tables, DuckDB relations, or
        dicts of columns. `edges` may be left out with `knn`, `nodes` if `knn` is 0 (the graph then
        has no features).
    source_column, target_column, weight_column : str, optional
        Columns of `edges`; guessed by name.
    id_column : str, optional
        Column of `nodes` with the ids that `edges` names; guessed by name. "row" takes the numbers
        of the rows, from 0.
    label_column : str or None, optional
        Column of `nodes` with the class of each node, which is no feature; guessed by name
        ("label", "class"). None takes none.
    categories, ignore : collection of str
        Columns of `nodes` to take as words even if they are numbers; and to leave out.
    directed : bool
        Keep the direction of the edges. By default every edge counts both ways.
    unknown_ids : {"error", "drop"}
        What to do with edges to ids that `nodes` does not have.
    knn : int
        Without `edges`: join each node with the `knn` nodes of the nearest features.
    like : estimator, run folder, dataset folder or Recipe, optional
        Encode the columns as this one was, with the same categories and scales.

    Returns
    -------
    TableGraph

    Examples
    --------
    >>> edges = {"source": ["a", "b"], "target": ["b", "c"]}
    >>> nodes = {"id": ["a", "b", "c"], "age": [31, 45, None], "city": ["Oslo", "Rome", "Oslo"]}
    >>> graph = read_tables(edges, nodes)
    >>> graph.feature_names
    ['age', 'age=(missing)', 'city=Oslo', 'city=Rome']
    """
    if unknown_ids not in ("error", "drop"):
        raise UsageError(f"--unknown-ids: '{unknown_ids}' is not known", "error or drop")
    if edges is None and not knn:
        message = "a table of nodes alone has no edges"
        raise UsageError(message, "pass a table of edges too, or --knn 10 to make them")
    if edges is not None and knn:
        message = "--knn makes the edges, but a table of edges is given"
        raise UsageError(message, "leave one of them out")
    if nodes is None and knn:
        raise UsageError("--knn needs a table of nodes", "pass one")
    recipe = None if like is None else recipe_of(like)
    edge_table = None if edges is None else read(edges, "edges")
    node_table = None if nodes is None else read(nodes, "nodes")
    notes: list[str] = []
    listed = None
    if edge_table is not None:
        names = (source_column, target_column, weight_column)
        listed = edge_columns(edge_table, names, node_table, notes)
    if node_table is None:
        assert listed is not None
        graph = _without_nodes(listed)
        notes.append("no table of nodes, so no features: train with --make-features degree")
    else:
        roles = (id_column, label_column)
        graph = _nodes(node_table, listed, roles, recipe, categories, ignore, notes)
    graph.notes, graph.directed = notes, directed
    if listed is not None:
        _place_edges(graph, listed, node_table, unknown_ids)
    else:
        _join_nearest(graph, knn)
    return graph


def _without_nodes(edges: Edges) -> TableGraph:
    """The nodes of the edges, in order of appearance, without features."""
    both = pa.chunked_array([edges.source, edges.target]).combine_chunks()
    texts = pc.unique(both).to_pylist()
    recipe = Recipe(integer_ids=_are_integers(texts))
    return TableGraph(
        edges.table.name,
        _ids(texts, recipe.integer_ids),
        np.empty((len(texts), 0), np.float32),
        np.empty(0, np.int64),
        np.empty(0, np.int64),
        recipe,
        frame=edges.table.frame,
    )


def _nodes(
    table: Source,
    edges: Edges | None,
    roles: tuple[str, str | None],
    known: Recipe | None,
    categories: Collection[str],
    ignore: Collection[str],
    notes: list[str],
) -> TableGraph:
    ids, id_column = _node_ids(table, edges, roles[0] or (known.id_column if known else ""), notes)
    label = roles[1]
    if label:
        label = columns.chosen(table, label, "--label-column")
    elif label == "" and known:
        label = known.label_column if known.label_column in table.columns else ""
    elif label == "":
        label = columns.by_name(table, columns.LABELS)
    used = {id_column, label or ""}
    for option, names in (("--categories", categories), ("--ignore", ignore)):
        for name in names:
            columns.chosen(table, name, option)
    if known is None:
        recipe, values = Recipe.fit(table, used, categories, ignore)
        recipe.id_column, recipe.label_column = id_column, label or ""
        recipe.integer_ids = _are_integers(ids)
    else:
        if known.label_column:
            used.add(known.label_column)
        recipe, values = known, known.read(table, used | set(ignore))
    labels = _labels(table, label, recipe, known is not None, notes) if label else None
    notes += [f"  {column.column}: {column.say()}" for column in recipe.columns]
    new: list[str] = []
    x = recipe.encode(values, len(ids), new)
    if x.shape[1] == 0:
        message = "has no column that is a feature"
        raise table.fail(message, "leave the table out, and train with --make-features degree")
    notes.append(f"{table.name}: {counted(len(ids), 'node')}, {counted(x.shape[1], 'feature')}")
    none = np.empty(0, np.int64)
    graph = TableGraph(table.name, _ids(ids, recipe.integer_ids), x, none, none, recipe)
    graph.labels, graph.frame = labels, table.frame
    graph.warnings = [f"{table.name}: {text}" for text in new] if known else []
    return graph


def _node_ids(
    table: Source, edges: Edges | None, asked: str, notes: list[str]
) -> tuple[list[str], str]:
    """The ids of the rows, and the column that holds them (empty: the numbers of the rows)."""
    name, how = asked, ""
    if asked and not (asked == ROW and ROW not in table.columns):
        name = columns.chosen(table, asked, "--id-column")
    elif not asked:
        names = columns.id_candidates(table)
        name = _best_ids(table, names, edges)
        how = " (guessed; --id-column names another)" if name else ""
        if not name and edges is not None:
            message = f"which column holds the ids? It has {columns.listed(table.columns)}"
            raise table.fail(message, "--id-column NAME, or --id-column row for numbers of rows")
    if not name or (name == ROW and ROW not in table.columns):
        notes.append(f"{table.name}: ids are the numbers of the rows, from 0")
        return [str(row) for row in range(table.table.num_rows)], ""
    notes.append(f"{table.name}: ids from '{name}'{how}")
    values = columns.texts_of(table, name)
    if values.null_count:
        row = int(np.flatnonzero(np.asarray(pc.is_null(values)))[0])
        raise table.fail(f"has no id in '{name}'", "give the row one, or remove it", row)
    ids: list[str] = values.to_pylist()
    first: dict[str, int] = {}
    for row, text in enumerate(ids):
        if text in first:
            message = f"id '{shown(text)}' is also in row {first[text] + (table.first or 1)}"
            raise table.fail(message, "ids are unique; remove one of the rows", row)
        if "\n" in text or "\r" in text:
            raise table.fail("the id has a line break", "remove it", row)
        first[text] = row
    return ids, name


def _best_ids(table: Source, names: Sequence[str], edges: Edges | None) -> str:
    """The candidate that knows most ends of the edges; the first among equals."""
    if edges is None or len(names) < 2:
        return names[0] if names else ""
    ends = pc.unique(pa.chunked_array([edges.source, edges.target]).combine_chunks())

    def known(name: str) -> int:
        found: int = pc.sum(pc.is_in(ends, columns.texts_of(table, name))).as_py() or 0
        return found

    return max(names, key=known)


def _labels(
    table: Source, name: str, recipe: Recipe, fixed: bool, notes: list[str]
) -> np.ndarray | None:
    number = columns.typed(table, name)
    if number.kind == "number":
        values = number.values.to_numpy(zero_copy_only=False)
        if (values[~np.isnan(values)] % 1 != 0).any():
            notes.append(f"{table.name}: '{name}' holds fractions, which are no classes; left out")
            return None
    texts = columns.typed(table, name, "category").values
    if not fixed:
        recipe.classes = sorted(pc.unique(texts.drop_null()).to_pylist(), key=_natural)
    place = pc.index_in(texts, pa.array(recipe.classes, pa.string())).fill_null(-1)
    labels: np.ndarray = place.to_numpy(zero_copy_only=False).astype(np.int32)
    strange = np.flatnonzero((labels < 0) & ~np.asarray(pc.is_null(texts)))
    if len(strange):
        message = f"class '{texts[int(strange[0])].as_py()}' was not in the training table"
        raise table.fail(message, "leave the label empty", int(strange[0]))
    if not recipe.classes:
        return None
    unknown = int((labels < 0).sum())
    gaps = f", {counted(unknown, 'row')} without" if unknown else ""
    notes.append(f"{table.name}: label '{name}', {len(recipe.classes)} classes{gaps}; no feature")
    return labels


def _natural(text: str) -> tuple[float, str]:
    return (float(text), "") if text.lstrip("-").isdigit() else (float("inf"), text)


def _place_edges(graph: TableGraph, edges: Edges, nodes: Source | None, unknown: str) -> None:
    where = nodes.name if nodes else "nodes"
    ids = [str(name) for name in graph.ids]
    graph.source, graph.target, graph.weight, lost = edges.placed(ids, where, unknown == "drop")
    if lost:
        graph.notes.append(f"{edges.table.name}: {counted(lost, 'edge')} to unknown ids dropped")
    if graph.directed:
        how = "directed, as asked"
    else:
        how = "taken as undirected (--directed keeps their direction)"
    loops = int((graph.source == graph.target).sum())
    text = f"{edges.table.name}: {counted(len(graph.source), 'edge')}, {how}"
    if loops:
        text += f"; {counted(loops, 'self-loop')}"
    alone = len(graph.ids) - len(np.union1d(graph.source, graph.target))
    if alone:
        text += f"; {alone:,} {'node has' if alone == 1 else 'nodes have'} no edge"
    graph.notes.append(text)


def _join_nearest(graph: TableGraph, k: int) -> None:
    """Edges to the k nearest nodes by the encoded features."""
    try:
        from sklearn.neighbors import NearestNeighbors
    except ImportError:
        raise UsageError("--knn needs scikit-learn", "pip install scikit-learn") from None
    if k < 1 or k >= len(graph.ids):
        message = f"--knn {k}: there are {len(graph.ids):,} nodes"
        raise UsageError(message, "between 1 and one less than the number of nodes")
    found = NearestNeighbors(n_neighbors=k).fit(graph.x).kneighbors(return_distance=False)
    graph.source = np.repeat(np.arange(len(graph.ids), dtype=np.int64), k)
    graph.target = found.reshape(-1).astype(np.int64)
    graph.directed = False
    graph.notes.append(
        f"edges: each node with its {counted(k, 'nearest node')} by features, undirected"
    )


def _are_integers(texts: Sequence[str]) -> bool:
    """Whether every id is a whole number as it would be printed."""
    try:
        return all(str(int(text)) == text and abs(int(text)) < 2**63 for text in texts)
    except ValueError:
        return False


def _ids(texts: Sequence[str], integers: bool) -> np.ndarray:
    if integers and _are_integers(texts):
        return np.array([int(text) for text in texts], np.int64)
    return np.array(texts, dtype=object)
