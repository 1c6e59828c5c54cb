"""The recipe of a table: how each column became features, so that new tables become the same ones.

It is JSON, stands as `recipe.json` in a dataset folder and in the model file of a run, and is
compared as text: data of another recipe is refused by the core.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._load import core
from ..errors import DataError
from .columns import Typed, listed, typed
from .encoders import Encoder, Left, fitted, from_json
from .sources import Source

VERSION = 1


@dataclass
class Recipe:
    """`columns` in the order of the table, without those of ids and labels."""

    columns: list[Encoder] = field(default_factory=list)
    id_column: str = ""
    integer_ids: bool = False
    label_column: str = ""
    classes: list[str] = field(default_factory=list)
    text: str = ""  # exactly as it was read

    @classmethod
    def fit(
        cls,
        source: Source,
        roles: Collection[str],
        categories: Collection[str],
        ignore: Collection[str],
    ) -> tuple[Recipe, dict[str, Typed]]:
        """The recipe of a table, and its typed columns."""
        out, values = cls(), {}
        for name in source.columns:
            if name in roles:
                continue
            if name in ignore:
                out.columns.append(Left(name, "as asked"))
                continue
            forced = name in categories
            values[name] = typed(source, name, "category" if forced else "")
            out.columns.append(fitted(source, name, values[name], forced))
        names = out.feature_names()
        for name in names:
            if names.count(name) > 1:
                message = f"two features would be called '{name}'"
                raise source.fail(message, "rename one of the columns")
        return out, values

    def feature_names(self) -> list[str]:
        return [name for column in self.columns for name in column.names()]

    def read(self, source: Source, roles: Collection[str]) -> dict[str, Typed]:
        """The columns of another table, in the kinds of the first. DataError if they do not fit."""
        known = {column.column: column for column in self.columns}
        needed = {name for name, column in known.items() if not isinstance(column, Left)}
        missing = [name for name in known if name in needed and name not in source.columns]
        if missing:
            message = f"has no column {listed(missing)}, which the training table had"
            raise source.fail(message, "add it; empty values count as missing")
        unknown = [n for n in source.columns if n not in known and n not in roles]
        if unknown:
            message = f"column {listed(unknown)} was not in the training table"
            raise source.fail(message, "remove it, or make the dataset and the run again with it")
        return {name: typed(source, name, known[name].kind) for name in known if name in needed}

    def encode(self, values: dict[str, Typed], rows: int, notes: list[str]) -> np.ndarray:
        """The features [N, F]."""
        parts = [c.encode(values[c.column], notes) for c in self.columns if c.names()]
        return np.ascontiguousarray(np.hstack(parts)) if parts else np.empty((rows, 0), np.float32)

    def to_text(self) -> str:
        if not self.text:
            row = {
                "format": "graphsurgeon-recipe",
                "version": VERSION,
                "id": {"column": self.id_column, "integer": self.integer_ids},
                "label": {"column": self.label_column, "classes": self.classes},
                "columns": [column.to_json() for column in self.columns],
            }
            self.text = json.dumps(row, ensure_ascii=False)
        return self.text

    @classmethod
    def from_text(cls, text: str, where: str) -> Recipe:
        try:
            row = json.loads(text)
            if row["version"] > VERSION:
                message = f"{where}: the recipe has version {row['version']}"
                raise DataError(message, "update graphsurgeon")
            return cls(
                [from_json(column) for column in row["columns"]],
                row["id"]["column"],
                row["id"]["integer"],
                row["label"]["column"],
                row["label"]["classes"],
                text,
            )
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{where}: is not a recipe", "import the table again") from None


def recipe_of(source: Any) -> Recipe:
    """The recipe in a run folder, a dataset folder, a file, or that of a fitted estimator."""
    if isinstance(source, Recipe):
        return source
    if hasattr(source, "run_"):
        source = source.run_
    path = Path(os.fspath(source))
    name = os.fspath(source)
    if path.is_dir() and (path / "recipe.json").exists():
        path = path / "recipe.json"
    if path.is_file() and path.suffix == ".json":
        return Recipe.from_text(path.read_text(encoding="utf-8").strip(), str(path))
    run = core.RunFolder(name)
    if not run.finished:
        hint = "pass a run that was trained on imported tables, or their dataset folder"
        raise DataError(f"{name}: has no recipe", hint)
    text = core.model(run.model)["recipe"]
    if not text:
        hint = "its features were passed as numbers; pass those again"
        raise DataError(f"{name}: the run was not trained on tables", hint)
    return Recipe.from_text(text, name)
