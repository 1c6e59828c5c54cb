"""How the columns of a table become features: one encoder per kind of column.

An encoder is fitted on one table, is kept in the recipe, and encodes others in the same way. Every
column contributes a variance of about one, so no scaling is left to do.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import Typed
from .sources import Source

SKEWED = 2.0  # beyond this skewness, numbers are scaled by their logarithm if that is less skewed
MOST_CATEGORIES = 100
FEW_ROWS = 100  # in a smaller table no category is rare
RARE_SHARE = 0.005
MISSING, OTHER = "(missing)", "(other)"


@dataclass
class Encoder:
    """`say` is one line for the user; `encode` adds to `notes` what a new table has of its own."""

    column: str
    kind: ClassVar[str] = ""

    def names(self) -> list[str]:
        raise NotImplementedError

    def encode(self, typed: Typed, notes: list[str]) -> np.ndarray:
        raise NotImplementedError

    def say(self) -> str:
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, **asdict(self)}


@dataclass
class Left(Encoder):
    """A column that is no feature."""

    kind: ClassVar[str] = "left out"
    why: str = ""

    def names(self) -> list[str]:
        return []

    def encode(self, typed: Typed, notes: list[str]) -> np.ndarray:
        return np.empty((len(typed.values), 0), np.float32)

    def say(self) -> str:
        return f"left out: {self.why}"


@dataclass
class Number(Encoder):
    """Mean 0 and variance 1; a missing value is the mean, and marked in a column of its own."""

    kind: ClassVar[str] = "number"
    mean: float = 0.0
    deviation: float = 1.0
    log: bool = False
    missing: int = 0  # in the first table
    about: str = ""

    @classmethod
    def fit(cls, column: str, values: np.ndarray) -> Encoder:
        known = values[~np.isnan(values)]
        log = known.min() >= 0 and _skewness(known) > SKEWED
        log = bool(log and abs(_skewness(np.log1p(known))) < _skewness(known) / 2)
        scaled = np.log1p(known) if log else known
        missing = len(values) - len(known)
        mean, deviation = float(scaled.mean()), float(scaled.std())
        if deviation <= 1e-12 * max(1.0, abs(mean)):
            if not missing:
                return Left(column, f"every value is {known[0]:.6g}")
            deviation = 1.0
        about = f"{known.min():.6g} to {known.max():.6g}"
        few = np.unique(known)
        if len(few) <= 10 and len(known) > 20 and (few == np.floor(few)).all():
            about += f", {len(few)} different"
        return cls(column, mean, deviation, log, missing, about)

    def names(self) -> list[str]:
        return [self.column, f"{self.column}={MISSING}"] if self.missing else [self.column]

    def encode(self, typed: Typed, notes: list[str]) -> np.ndarray:
        values = _floats(typed.values)
        unknown = np.isnan(values)
        with np.errstate(invalid="ignore"):
            if self.log:
                low = int((values < 0).sum())
                if low:
                    notes.append(f"{self.column}: {low:,} below 0, taken as 0")
                values = np.log1p(np.maximum(values, 0))
            out = np.where(unknown, 0, (values - self.mean) / self.deviation)
        if unknown.any() and not self.missing:
            notes.append(f"{self.column}: {unknown.sum():,} missing, taken as the mean")
        return np.column_stack([out, unknown] if self.missing else [out]).astype(np.float32)

    def say(self) -> str:
        how = "logarithm scaled" if self.log else "scaled"
        gaps = f"; {_gaps(self.missing)}" if self.missing else ""
        hint = "" if " different" not in self.about else " (--categories takes them as words)"
        return f"{self.kind}, {how}: {self.about}{gaps}{hint}"


@dataclass
class Date(Number):
    """Days since 1970, as a number."""

    kind: ClassVar[str] = "date"

    @classmethod
    def fit(cls, column: str, values: np.ndarray) -> Encoder:
        out = super().fit(column, values)
        known = values[~np.isnan(values)]
        days = [np.datetime64(int(np.floor(day)), "D") for day in (known.min(), known.max())]
        if isinstance(out, Left):
            out.why = f"every date is {days[0]}"
        if isinstance(out, Number):
            scaled = (known.mean(), known.std() or 1.0)
            out.log, (out.mean, out.deviation) = False, map(float, scaled)
            out.about = f"{days[0]} to {days[1]}"
        return out


@dataclass
class Boolean(Encoder):
    """0 and 1; a missing value is the mean, and marked in a column of its own."""

    kind: ClassVar[str] = "boolean"
    mean: float = 0.0
    missing: int = 0  # in the first table
    about: str = ""

    @classmethod
    def fit(cls, column: str, values: np.ndarray) -> Encoder:
        known = values[~np.isnan(values)]
        missing = len(values) - len(known)
        if len(np.unique(known)) == 1 and not missing:
            return Left(column, f"every value is {'true' if known[0] else 'false'}")
        about = f"true in {100 * known.mean():.0f} %"
        return cls(column, float(known.mean()), missing, about)

    def names(self) -> list[str]:
        return [self.column, f"{self.column}={MISSING}"] if self.missing else [self.column]

    def encode(self, typed: Typed, notes: list[str]) -> np.ndarray:
        values = _floats(typed.values.cast(pa.float64()))
        unknown = np.isnan(values)
        if unknown.any() and not self.missing:
            notes.append(f"{self.column}: {unknown.sum():,} missing, taken as the mean")
        out = np.where(unknown, self.mean, values)
        return np.column_stack([out, unknown] if self.missing else [out]).astype(np.float32)

    def say(self) -> str:
        gaps = f"; {_gaps(self.missing)}" if self.missing else ""
        return f"boolean, 0 or 1: {self.about}{gaps}"


@dataclass
class Category(Encoder):
    """One column of 0 and 1 per category; rare ones share a column, and missing ones have one."""

    kind: ClassVar[str] = "category"
    categories: list[str] = field(default_factory=list)
    other: bool = False
    missing: int = 0  # in the first table
    about: str = ""

    @classmethod
    def fit(cls, column: str, values: pa.Array) -> Encoder:
        known = values.drop_null()
        missing = len(values) - len(known)
        counts = {row["values"]: row["counts"] for row in pc.value_counts(known).to_pylist()}
        if len(counts) == 1 and not missing:
            return Left(column, f"every value is '{next(iter(counts))}'")
        least = 1 if len(values) < FEW_ROWS else max(2, int(RARE_SHARE * len(values)))
        common = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_CATEGORIES]
        kept = sorted(name for name in common if counts[name] >= least)
        rare = len(counts) - len(kept)
        if rare == 1:  # a group of one is no group
            kept, rare = sorted(counts), 0
        if not kept:
            return Left(column, f"none of its {len(counts):,} categories is in {least} rows")
        about = f"{len(counts):,} categories"
        if rare:
            about += f", the {rare:,} rarest as {OTHER}"
        if missing:
            about += f", {missing:,} missing as {MISSING}"
        return cls(column, kept, rare > 0, missing, about)

    def names(self) -> list[str]:
        ends = [OTHER] * self.other + [MISSING] * bool(self.missing)
        return [f"{self.column}={name}" for name in (*self.categories, *ends)]

    def encode(self, typed: Typed, notes: list[str]) -> np.ndarray:
        values = typed.values
        width = len(self.categories)
        place = pc.index_in(values, pa.array(self.categories, pa.string()))
        place = place.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        gone = np.asarray(pc.is_null(values))
        strange = (place < 0) & ~gone
        out = np.zeros((len(place), width + self.other + bool(self.missing)), np.float32)
        out[np.flatnonzero(place >= 0), place[place >= 0]] = 1
        if self.other:
            out[strange, width] = 1
        if strange.any():
            first = values[int(np.flatnonzero(strange)[0])].as_py()
            what, how = ("rare or unknown", f"as {OTHER}") if self.other else ("unknown", "as none")
            notes.append(
                f"{self.column}: {strange.sum():,} of {what} category (such as '{first}'), "
                f"encoded {how}"
            )
        if self.missing:
            out[gone, -1] = 1
        elif gone.any():
            notes.append(f"{self.column}: {gone.sum():,} missing, encoded as no category")
        return out

    def say(self) -> str:
        return f"one column per category: {self.about}"


@dataclass
class Vector(Encoder):
    """Lists of numbers of one length, such as the embedding of a text; variance 1 on average."""

    kind: ClassVar[str] = "vector"
    mean: list[float] = field(default_factory=list)
    deviation: float = 1.0

    @classmethod
    def fit(cls, column: str, rows: np.ndarray) -> Encoder:
        deviation = float(np.sqrt(rows.var(0).mean()))
        if deviation == 0:
            return Left(column, "every row is the same")
        return cls(column, rows.mean(0).tolist(), deviation)

    def names(self) -> list[str]:
        return [f"{self.column}[{i}]" for i in range(len(self.mean))]

    def encode(self, typed: Typed, notes: list[str]) -> np.ndarray:
        rows = vectors(typed.values)
        return ((rows - np.array(self.mean)) / self.deviation).astype(np.float32)

    def say(self) -> str:
        return f"vectors of {len(self.mean)} numbers, scaled together"


ENCODERS: dict[str, type[Encoder]] = {
    made.kind: made for made in (Left, Number, Date, Boolean, Category, Vector)
}


def from_json(row: dict[str, Any]) -> Encoder:
    kind = ENCODERS[row["kind"]]
    return kind(**{name: value for name, value in row.items() if name != "kind"})


def fitted(source: Source, column: str, typed: Typed, forced: bool) -> Encoder:
    """The encoder of a column. Free text is refused unless the user called it a category."""
    values = typed.values
    if typed.kind == "empty" or values.null_count == len(values):
        return Left(column, "every value is missing")
    if typed.kind == "category":
        if not forced:
            _refuse_text(source, column, values)
        return Category.fit(column, values)
    if typed.kind == "vector":
        rows = vectors(values)
        if rows.ndim != 2:
            message = f"column '{column}' holds lists of several lengths, or missing ones"
            raise source.fail(message, f"give every row one, or --ignore '{column}'")
        return Vector.fit(column, rows)
    kinds: dict[str, type[Number] | type[Boolean]]
    kinds = {"number": Number, "date": Date, "boolean": Boolean}
    return kinds[typed.kind].fit(column, _floats(values.cast(pa.float64())))


def _refuse_text(source: Source, column: str, values: pa.Array) -> None:
    """Free text and names: too many different values to be categories, or too many words."""
    known = values.drop_null()
    different = len(pc.unique(known))
    if different <= 20 and len(known) >= FEW_ROWS:
        return
    spaces = pc.mean(pc.count_substring(known, " ")).as_py()
    wordy = spaces >= 4 and different > 0.3 * len(known)
    if wordy or (len(known) >= 20 and different > 0.5 * len(known)):
        what = "free text" if spaces >= 1 else "text"
        message = f"column '{column}' holds {what}: {different:,} different in {len(known):,} rows"
        hint = (
            f"leave it out with --ignore '{column}', take it as words with --categories "
            f"'{column}', or replace it by vectors of a language model"
        )
        raise source.fail(message, hint)


def vectors(values: pa.Array) -> np.ndarray:
    """[N, width], or an array of another shape if lengths differ."""
    rows = values.to_pylist()
    widths = {len(row) if row is not None else -1 for row in rows}
    if len(widths) != 1 or min(widths) < 1:
        return np.empty(0)
    out = np.array(rows, np.float64)
    return out if np.isfinite(out).all() else np.empty(0)


def _gaps(missing: int) -> str:
    return f"{missing:,} missing: the mean, marked in a column of their own"


def _floats(values: pa.Array) -> np.ndarray:
    out: np.ndarray = values.to_numpy(zero_copy_only=False).astype(np.float64)
    return out


def _skewness(values: np.ndarray) -> float:
    deviation = values.std()
    return float(((values - values.mean()) ** 3).mean() / deviation**3) if deviation > 0 else 0.0
