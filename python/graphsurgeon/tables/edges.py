"""The table of edges: which columns are its ends and weight, and the nodes that they name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import UsageError
from . import columns
from .sources import Source, counted


@dataclass
class Edges:
    """The columns of an edge table; ends are ids as text."""

    table: Source
    names: tuple[str, str]
    source: pa.Array
    target: pa.Array
    weight: np.ndarray | None = None

    def placed(
        self, ids: list[str], where: str, drop: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, int]:
        """Rows of sources and targets in `ids`, weights, and how many edges were dropped.

        DataError at the first edge to an id that `where` does not have, unless they are to `drop`.
        """
        known = pa.array(ids, pa.string())
        source, target = (
            pc.index_in(values, known).fill_null(-1).to_numpy().astype(np.int64)
            for values in (self.source, self.target)
        )
        keep = (source >= 0) & (target >= 0)
        lost = np.flatnonzero(~keep)
        if len(lost) and not drop:
            row = int(lost[0])
            end = 0 if source[row] < 0 else 1
            value = (self.source, self.target)[end][row].as_py()
            more = f" (and {counted(len(lost) - 1, 'more edge')})" if len(lost) > 1 else ""
            message = f"{self.names[end]} '{shown(value)}' is not an id of {where}{more}"
            raise self.table.fail(message, "add the row, or pass --unknown-ids drop", row)
        if not keep.any():
            hint = "is it the table of another graph?"
            raise self.table.fail("no edge joins two known ids", hint)
        weight = None if self.weight is None else self.weight[keep]
        return source[keep], target[keep], weight, len(lost)


def edge_columns(
    table: Source, names: tuple[str, str, str], nodes: Source | None, notes: list[str]
) -> Edges:
    options = ("--source-column", "--target-column", "--weight-column")
    given = [
        columns.chosen(table, name, option) if name else "" for name, option in zip(names, options)
    ]
    if len(table.columns) < 2:
        message = f"has one column, '{table.columns[0]}'"
        raise table.fail(message, "an edge needs a source and a target")
    how = ""
    if not given[0] or not given[1]:
        if not any(given) and table.first and _headless(table, nodes):
            table = table.without_header()
            how = " (the file has no names of columns)"
        found = columns.ends_of(table) if table.header else None
        if found is None and (any(given[:2]) or len(table.columns) > 3):
            message = (
                f"which columns are the ends of an edge? It has {columns.listed(table.columns)}"
            )
            raise table.fail(message, "--source-column NAME --target-column NAME")
        if found is None:
            found = (table.columns[0], table.columns[1])
            how = how or " (the first two)"
        given[:2] = [mine or guess for mine, guess in zip(given, found)]
    if given[0] == given[1]:
        raise UsageError(f"'{given[0]}' cannot be both source and target", "name two columns")
    rest = [name for name in table.columns if name not in given[:2]]
    if not given[2] and rest:
        given[2] = columns.by_name(table, columns.WEIGHTS)
        if not given[2] and not table.header:
            given[2] = rest[0]
    text = f"edges from '{given[0]}' to '{given[1]}'{how}"
    if given[2]:
        text += f", weight '{given[2]}'"
    unused = [name for name in rest if name != given[2]]
    if unused:
        text += f"; not used: {columns.listed(unused)}"
    notes.append(f"{table.name}: {text}")
    ends = [columns.texts_of(table, name) for name in given[:2]]
    for name, values in zip(given, ends):
        if values.null_count:
            row = int(np.flatnonzero(np.asarray(pc.is_null(values)))[0])
            raise table.fail(f"has no {name}", "complete the row or remove it", row)
    return Edges(table, (given[0], given[1]), ends[0], ends[1], _weights(table, given[2]))


def _headless(table: Source, nodes: Source | None) -> bool:
    """Whether the first line of a file of edges is an edge: its fields are ids of other rows."""
    if len(table.columns) > 3:
        return False
    head = table.columns[:2]
    if all(name.lstrip("-").isdigit() for name in head):
        return True
    places = [table.table.column(name) for name in head]
    if nodes is not None:
        places = [nodes.table.column(name) for name in columns.id_candidates(nodes)]
    words = pa.array(head, pa.string())
    for column in places:
        if not pa.types.is_nested(column.type):
            texts = column.cast(pa.string())
            if pc.any(pc.is_in(words, texts.combine_chunks() if nodes else texts)).as_py():
                return True
    return False


def _weights(table: Source, name: str) -> np.ndarray | None:
    if not name:
        return None
    found = columns.typed(table, name)
    hint = "leave the column out of the table, or name another with --weight-column"
    if found.kind != "number":
        raise table.fail(f"weight column '{name}' holds no numbers", hint)
    values = found.values.to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(~(values >= 0))
    if len(bad):
        value = "missing" if np.isnan(values[bad[0]]) else f"{values[bad[0]]:g}"
        raise table.fail(f"the weight is {value}", "weights are numbers of 0 or more", int(bad[0]))
    out: np.ndarray = values.astype(np.float32)
    return None if (out == 1).all() else out


def shown(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
