"""What a column is: its type if it came as text, and its part in the graph by its name."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import UsageError
from .sources import Source, id_names

NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
CODE = r"^[+-]?0\d"  # 007, a postal code: no number
DATE = r"^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$"
TRUE, FALSE = ("true", "yes", "y", "t"), ("false", "no", "n", "f")
NO_VALUE = ("", "nan", "null", "n/a", "na", "none", "#n/a", "?", "-")
NO_TEXT = ("", "nan", "null", "n/a", "#n/a")  # "none" and "NA" may be categories

ROW = "row"  # as the column of ids: the numbers of the rows
LABELS = ("label", "labels", "class")
WEIGHTS = ("weight", "weights", "edge_weight", "w")
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("start", "end"),
    ("sender", "receiver"),
    ("head", "tail"),
    ("left", "right"),
    ("u", "v"),
    ("a", "b"),
    ("1", "2"),
    ("0", "1"),
)


@dataclass(frozen=True)
class Typed:
    """A column by kind: number, boolean, date, category, vector; values are Arrow's, or numpy's."""

    kind: str
    values: pa.Array  # float64, bool, string, or lists of numbers; a date is days since 1970


def typed(source: Source, name: str, kind: str = "") -> Typed:
    """The column, of the kind that its values show, or of `kind`.

    DataError where values do not fit together, with the first that does not.
    """
    column = _whole(source, name)
    found = _typed(source, name, column)
    if kind in ("", found.kind):
        return found
    return _as(source, name, column, found, kind)


def _whole(source: Source, name: str) -> pa.Array:
    """The column in one piece, without a dictionary."""
    column = source.table.column(name).combine_chunks()
    if not pa.types.is_dictionary(column.type):
        return column
    return _plain(column.dictionary).take(column.indices)  # Arrow takes no string views


def _typed(source: Source, name: str, column: pa.Array) -> Typed:
    kind = column.type
    if pa.types.is_null(kind):
        return Typed("empty", column)
    if pa.types.is_boolean(kind):
        return Typed("boolean", column)
    if pa.types.is_temporal(kind) and not pa.types.is_duration(kind) and not pa.types.is_time(kind):
        return Typed("date", _days(column))
    if pa.types.is_duration(kind) or pa.types.is_time(kind):
        return Typed("number", column.cast(pa.int64(), safe=False).cast(pa.float64()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Typed("number", _finite(source, name, column.cast(pa.float64(), safe=False)))
    if _is_vector(kind):
        return Typed("vector", column)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise source.fail(f"column '{name}' holds bytes", f"leave it out: --ignore '{name}'")
    try:
        return _of_text(source, name, column.cast(pa.string()))
    except pa.ArrowInvalid:
        hint = f"make it numbers, text or dates, or leave it out: --ignore '{name}'"
        raise source.fail(f"column '{name}' holds {kind}, which is no feature", hint) from None


def _is_vector(kind: pa.DataType) -> bool:
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(test(kind) for test in lists):
        return False
    return bool(pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))


def _finite(source: Source, name: str, values: pa.Array) -> pa.Array:
    """NaN counts as missing; infinity is an error."""
    values = pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
    bad = np.flatnonzero(np.isinf(values.to_numpy(zero_copy_only=False)))
    if len(bad):
        message = f"column '{name}' is infinite"
        raise source.fail(message, "leave the value empty, or give a number", int(bad[0]))
    return values


def _days(column: pa.Array) -> pa.Array:
    if pa.types.is_date(column.type):
        column = column.cast(pa.date32()).cast(pa.timestamp("us"))
    elif getattr(column.type, "tz", None):
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    else:
        column = column.cast(pa.timestamp("us"), safe=False)
    micro = column.cast(pa.int64())
    return pc.divide(micro.cast(pa.float64()), 86_400e6)


def _without(column: pa.Array, words: tuple[str, ...]) -> pa.Array:
    gone = pc.is_in(pc.utf8_lower(column), pa.array(words))
    return pc.if_else(gone, pa.scalar(None, pa.string()), column)


def _share(found: pa.Array, known: int) -> float:
    return (pc.sum(found).as_py() or 0) / max(known, 1)


def _of_text(source: Source, name: str, column: pa.Array) -> Typed:
    """The kind that all texts have in common; mixed columns are an error."""
    column = pc.utf8_trim_whitespace(column)
    values = _without(column, NO_VALUE)
    known = len(values) - values.null_count
    text = _without(column, NO_TEXT)
    if known == 0:
        return Typed("empty" if text.null_count == len(text) else "category", text)
    lower = pc.utf8_lower(values)
    if _share(pc.is_in(lower, pa.array((*TRUE, *FALSE))), known) == 1:
        truth = pc.is_in(lower, pa.array(TRUE))
        return Typed("boolean", pc.if_else(pc.is_null(values), pa.scalar(None, pa.bool_()), truth))
    numbers = pc.match_substring_regex(values, NUMBER)
    codes = pc.match_substring_regex(values, CODE)
    plain = pc.and_(numbers, pc.invert(codes))
    dates = pc.match_substring_regex(values, DATE)
    for kind, fits in (("number", plain), ("date", dates)):
        share = _share(fits, known)
        if share == 1:
            return _as(source, name, column, Typed("category", text), kind)
        if share >= 0.5 and not pc.any(codes).as_py():
            odd = np.flatnonzero(~np.asarray(pc.fill_null(fits, True)))
            raise _mixed(source, name, kind, values, odd)
    return Typed("category", text)


def _mixed(source: Source, name: str, kind: str, values: pa.Array, odd: np.ndarray) -> Exception:
    row = int(odd[0])
    more = f", and {len(odd) - 1:,} more" if len(odd) > 1 else ""
    message = f"column '{name}' has {kind}s and text: '{_short(values[row].as_py())}'{more}"
    hint = f"fix the value or leave it empty; --categories '{name}' takes all as words"
    return source.fail(message, hint, row)


def _as(source: Source, name: str, column: pa.Array, found: Typed, kind: str) -> Typed:
    """The column as the kind that was asked for."""
    if found.kind == "empty":
        kinds = {"boolean": pa.bool_(), "category": pa.string()}
        return Typed(kind, column.cast(kinds.get(kind, pa.float64())))
    if kind == "category":
        if not pa.types.is_nested(column.type):
            values = pc.utf8_trim_whitespace(_text(column))
            return Typed(kind, _without(values, NO_TEXT))
    elif kind == "number" and found.kind == "boolean":
        return Typed(kind, found.values.cast(pa.float64()))
    elif kind == "boolean" and found.kind == "number":
        if pc.all(pc.is_in(found.values, pa.array([0.0, 1.0]), skip_nulls=True)).as_py():
            return Typed(kind, found.values.cast(pa.bool_()))
    elif kind in ("number", "date") and pa.types.is_string(_plain(column).type):
        values = _without(pc.utf8_trim_whitespace(_plain(column)), NO_VALUE)
        fits = pc.match_substring_regex(values, NUMBER if kind == "number" else DATE)
        odd = np.flatnonzero(~np.asarray(pc.fill_null(fits, True)))
        if len(odd):
            row = int(odd[0])
            message = f"column '{name}': '{_short(values[row].as_py())}' is no {kind}"
            raise source.fail(message, "fix the value or leave it empty", row)
        if kind == "number":
            return Typed(kind, _finite(source, name, values.cast(pa.float64())))
        return Typed(kind, _dates(source, name, values))
    message = f"column '{name}' holds {_plural(found.kind)}, where {_plural(kind)} are expected"
    raise source.fail(message, "give the values the type that they have in the training table")


def _plain(column: pa.Array) -> pa.Array:
    text = (pa.types.is_large_string, pa.types.is_string_view, pa.types.is_string)
    return column.cast(pa.string()) if any(test(column.type) for test in text) else column


def _text(column: pa.Array) -> pa.Array:
    """Whole floats (ids that were integers beside missing ones) lose their '.0'."""
    if pa.types.is_floating(column.type):
        values = column.to_numpy(zero_copy_only=False)
        known = values[~np.isnan(values)]
        if (known == np.floor(known)).all() and (np.abs(known) < 2**53).all():
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
            column = column.cast(pa.int64())
    return column.cast(pa.string())


def _dates(source: Source, name: str, values: pa.Array) -> pa.Array:
    """Days since 1970 of ISO dates and times."""
    out = np.full(len(values), np.nan)
    for row, text in enumerate(values.to_pylist()):
        if text is None:
            continue
        zone = re.search(r"(?<=\d)([+-])(\d{2}):?(\d{2})$", text) if len(text) > 10 else None
        try:
            moment = np.datetime64(text[: zone.start()] if zone else text.rstrip("Z"), "us")
        except ValueError:
            raise source.fail(f"column '{name}': '{text}' is not a date", "fix it", row) from None
        out[row] = moment.astype(np.int64) / 86_400e6
        if zone:
            away = (int(zone[2]) * 60 + int(zone[3])) / 1440
            out[row] -= away if zone[1] == "+" else -away
    return pa.array(out, from_pandas=True)


def _plural(kind: str) -> str:
    return {"category": "categories"}.get(kind, kind + "s")


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def texts_of(source: Source, name: str) -> pa.Array:
    """A column of ids as text: 7, 7.0 and "7" are one id."""
    column = _whole(source, name)
    try:
        out = _text(column)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        message = f"column '{name}' holds {column.type}, which is no id"
        raise source.fail(message, "ids are text or whole numbers") from None
    return pc.if_else(pc.equal(out, ""), pa.scalar(None, pa.string()), out)


# Roles


def chosen(source: Source, name: str, option: str) -> str:
    """The column that an option names. UsageError if there is none, with the nearest."""
    if name in source.columns:
        return name
    from .._load import core

    near = core.nearest(name, source.columns)
    guess = f"; did you mean '{near}'?" if near else ""
    message = f"{option}: {source.name} has no column '{name}'{guess}"
    raise UsageError(message, f"its columns are {listed(source.columns)}")


def listed(names: list[str], most: int = 12) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _words(name: str) -> list[str]:
    """'customerId1' and 'customer_id_1' in words, without 'id'."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", name)
    return [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word and word != "id"]


def ends_of(source: Source) -> tuple[str, str] | None:
    """The columns of source and target by name: src/dst, from_id/to_id, customer_1/customer_2."""
    words = {name: _words(name) for name in source.columns}
    for first, second in ENDS:
        for name, parts in words.items():
            if parts.count(first) != 1:
                continue
            wanted = [second if part == first else part for part in parts]
            for other, theirs in words.items():
                if other != name and theirs == wanted:
                    return name, other
    return None


def id_candidates(source: Source) -> list[str]:
    """Columns whose name says that they hold ids, the likeliest first."""
    return list(dict.fromkeys([source.index] * bool(source.index) + id_names(source.columns)))


def by_name(source: Source, names: tuple[str, ...]) -> str:
    """The first column of one of these names; empty if there is none."""
    for known in names:
        for name in source.columns:
            if name.strip().lower() == known:
                return name
    return ""
