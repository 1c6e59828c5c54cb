"""Reads any table: a file, a frame or a relation becomes an Arrow table with a name for messages.

CSV is read as text throughout, so that an id keeps its leading zeros; `columns.typed` finds the
types later, in the same way for every source.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import DataError, UsageError

try:
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError as error:  # pragma: no cover - tested in a process without pyarrow
    raise UsageError("reading tables needs pyarrow", "pip install pyarrow pandas") from error

TEXT_FILES = (".csv", ".tsv", ".txt")
PARQUET_FILES = (".parquet", ".pq")
ARROW_FILES = (".arrow", ".feather", ".ipc")
FORMS = (
    "pass the path of a CSV, Parquet or Arrow file, a pandas or Polars frame, an Arrow table, a "
    "DuckDB relation, or a dict of columns"
)


@dataclass(frozen=True)
class Source:
    """A table: `name` as a message calls it, and `first`, the line of its first row in a file."""

    table: pa.Table
    name: str
    first: int = 0  # 0: rows are counted from 1
    index: str = ""  # the column that was a pandas index
    frame: str = "pandas"  # the kind of frame that goes back to the user
    header: bool = True

    def place(self, row: int) -> str:
        """Where a row stands: 'customers.csv:17', or 'nodes, row 5'."""
        return f"{self.name}:{row + self.first}" if self.first else f"{self.name}, row {row + 1}"

    def fail(self, message: str, hint: str, row: int | None = None) -> DataError:
        return DataError(f"{self.name if row is None else self.place(row)}: {message}", hint)

    def without_header(self) -> Source:
        """The same table if its first line is a row like the others."""
        names = [f"column {i + 1}" for i in range(self.table.num_columns)]
        head = pa.table({n: pa.array([v], pa.string()) for n, v in zip(names, self.columns)})
        whole = pa.concat_tables([head, self.table.rename_columns(names)])
        return Source(whole, self.name, self.first - 1, self.index, self.frame, header=False)

    @property
    def columns(self) -> list[str]:
        names: list[str] = self.table.column_names
        return names


IDS = ("id", "node_id", "nodeid", "node", "uid", "uuid", "key", "user_id", "customer_id")


def id_names(names: list[str]) -> list[str]:
    """The names that say that a column holds ids, the likeliest first."""
    lower = {name: name.strip().lower().replace(" ", "_") for name in names}
    out = [name for known in IDS for name in names if lower[name] == known]
    out += [name for name in names if re.search(r"(_id|(?<=[a-z])Id|(?<=[a-z])ID)$", name)]
    return list(dict.fromkeys(out))


def counted(count: int, noun: str) -> str:
    """'1 edge', '2,000 edges'."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def read(value: Any, what: str) -> Source:
    """The table of `value`; `what` ("edges", "nodes") names one from memory."""
    if isinstance(value, Source):
        return value
    is_path = isinstance(value, (str, os.PathLike))
    source = _file(Path(value)) if is_path else _memory(value, what)
    numbers = [n for n in source.columns if re.fullmatch(r"__index_level_\d+__", n)]
    if numbers:  # of rows, which pandas writes to Parquet
        source = replace(source, table=source.table.drop_columns(numbers))
    names = source.columns
    for name in names:
        if names.count(name) > 1:
            raise source.fail(f"has two columns named '{name}'", "give each a name of its own")
    if source.table.num_rows == 0:
        raise source.fail("has no rows", f"a table of {what} needs at least one")
    return source


def _memory(value: Any, what: str) -> Source:
    pandas = sys.modules.get("pandas")
    try:
        if pandas is not None and isinstance(value, pandas.DataFrame):
            return _pandas(value, what)
        frame = "polars" if type(value).__module__.startswith("polars") else "pandas"
        if hasattr(value, "collect") and frame == "polars":
            value = value.collect()  # a LazyFrame
        if isinstance(value, Mapping):
            return Source(pa.table({str(n): _column(n, v) for n, v in value.items()}), what)
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
            return Source(pa.Table.from_pylist(list(value)), what)
        if isinstance(value, (list, tuple)) and what == "edges":
            return _pairs(value)
        return Source(pa.table(value), what, frame=frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        name = type(value).__name__
        raise DataError(f"{what}: cannot read {name} as a table: {_line(error)}", FORMS) from None


def _pandas(frame: Any, what: str) -> Source:
    import pandas as pd

    index = ""
    if frame.index.nlevels > 1:
        raise DataError(f"{what}: the frame has an index of several levels", "reset_index()")
    # Numbers without a name are those of rows, as a selection leaves them, if a column has ids.
    numbered = frame.index.name is None and pd.api.types.is_integer_dtype(frame.index)
    has_ids = what == "edges" or bool(id_names([str(name) for name in frame.columns]))
    if not isinstance(frame.index, pd.RangeIndex) and not (numbered and has_ids):
        index = str(frame.index.name or "index")
        frame = frame.rename_axis(index).reset_index()
    frame = frame.rename(columns=str)
    columns = {}
    for position, name in enumerate(frame.columns):
        values = frame.iloc[:, position]
        columns[name] = _column(name, values)
    if len(columns) != frame.shape[1]:
        raise DataError(f"{what}: has two columns of one name", "give each a name of its own")
    if not columns:
        raise DataError(f"{what}: has no columns", f"a table of {what} needs at least one")
    return Source(pa.table(columns), what, index=index)


def _column(name: object, values: Any) -> pa.Array:
    """Objects of several types become text; `columns.typed` says if they do not fit together."""
    try:
        return pa.array(values, from_pandas=True)
    except pa.ArrowNotImplementedError:
        kind = getattr(values, "dtype", type(values).__name__)
        raise TypeError(f"column '{name}' holds {kind}") from None
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        rows = list(values)
        if any(hasattr(row, "__len__") and not isinstance(row, (str, bytes)) for row in rows):
            try:
                return pa.array([None if row is None else list(row) for row in rows])
            except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
                raise TypeError(f"column '{name}' holds values of several types") from None
        gone = [v is None or v != v or type(v).__name__ == "NAType" for v in rows]
        return pa.array([None if g else str(v) for v, g in zip(rows, gone)], pa.string())


def _pairs(rows: Any) -> Source:
    widths = {len(row) for row in rows}
    if len(widths) != 1 or not widths <= {2, 3}:
        hint = "an edge is (source, target) or (source, target, weight)"
        raise DataError("edges: the list does not consist of pairs", hint)
    names = ("source", "target", "weight")
    return Source(
        pa.table({name: list(values) for name, values in zip(names, zip(*rows))}), "edges"
    )


def _file(path: Path) -> Source:
    name = os.fsencode(path).decode(errors="replace")
    stem = name.removesuffix(".gz").lower()
    try:
        if not path.exists():
            raise DataError(f"{name}: no such file", "check the path")
        if stem.endswith(TEXT_FILES):
            return _csv(path, name)
        if stem.endswith(PARQUET_FILES) or path.is_dir():
            import pyarrow.parquet as pq

            if path.is_dir():
                return Source(pq.read_table(path), name)
            with _opened(path) as file:
                return Source(pq.read_table(file), name)
        if stem.endswith(ARROW_FILES):
            import pyarrow.feather as feather

            with _opened(path) as file:
                return Source(feather.read_table(file), name)
    except pa.ArrowInvalid as error:
        raise DataError(f"{name}: {_line(error)}", "is it a file of that format?") from None
    except OSError as error:
        text = error.strerror or _line(error)
        raise DataError(f"{name}: cannot be read: {text}", "check the file") from None
    known = ", ".join((*TEXT_FILES, *PARQUET_FILES, *ARROW_FILES))
    raise DataError(f"{name}: not a table by its name", f"tables end in {known}")


def _opened(path: Path) -> Any:
    """The bytes of a file. Arrow itself opens no path that is not UTF-8."""
    return gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb")


def _csv(path: Path, name: str) -> Source:
    from pyarrow import csv

    with _opened(path) as file:
        head = file.readline(1 << 20)
    if not head.strip():
        raise DataError(f"{name}: has no rows", "the first line has the names of the columns")
    parse = csv.ParseOptions(delimiter=_delimiter(head), newlines_in_values=True)
    read_options = csv.ReadOptions()
    try:
        with _opened(path) as file, csv.open_csv(file, read_options, parse) as reader:
            names = reader.schema.names
        convert = csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
            null_values=[""],
        )
        with _opened(path) as file:
            table = csv.read_csv(file, read_options, parse, convert)
    except pa.ArrowInvalid as error:
        text = _line(error)
        if "utf-8" in text.lower() or "utf8" in text.lower():
            message = f"{name}: is not UTF-8 text"
            raise DataError(message, f"iconv -f latin1 -t utf-8 {path.name}") from None
        raise DataError(f"{name}: {text}", "every row needs as many fields as the first") from None
    table = pa.table(
        [pc.utf8_trim_whitespace(c) for c in table.columns], [n.strip() for n in names]
    )
    return Source(table, name, first=2)


def _delimiter(head: bytes) -> str:
    """The separator that the first line has most often."""
    line = head.decode("utf-8", errors="replace")
    return max(",\t;|", key=line.count)


def _line(error: BaseException) -> str:
    text = str(error).partition("\n")[0].strip()
    return text if len(text) < 200 else text[:199] + "…"
