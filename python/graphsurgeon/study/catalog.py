"""The datasets that are known by name, and which of them are here."""

from __future__ import annotations

from dataclasses import dataclass

from .. import program
from .._load import core
from ..errors import DataError, UsageError

NONE_HERE = "fetch one with 'graphsurgeon data fetch NAME', or name the folder with --data-root"


@dataclass(frozen=True)
class Entry:
    """One dataset of the catalog."""

    name: str
    aliases: tuple[str, ...]
    nodes: int
    in_paper: bool
    here: bool


class Catalog:
    """The entries in the catalog's order. `data_root`: the folder of the data; "": the default."""

    def __init__(self, data_root: str) -> None:
        found = program.ask("data", "list", *(["--data-root", data_root] if data_root else []))
        self.root = str(found["data_root"])
        self.entries = [
            Entry(
                row["name"],
                tuple(row.get("aliases", ())),
                row["nodes"],
                row["in_paper"],
                row["path"] is not None,
            )
            for row in found["datasets"]
        ]

    def __getitem__(self, name: str) -> Entry:
        """By its name or another name it has, in any case; UsageError for an unknown one."""
        wanted = name.lower()
        for entry in self.entries:
            if wanted == entry.name or wanted in entry.aliases:
                return entry
        raise unknown("dataset", name, [entry.name for entry in self.entries], "--datasets")

    def parse(self, text: str) -> list[str]:
        """'photo,cs' as names, each once."""
        return list(dict.fromkeys(self[word].name for word in text.split(",") if word))

    def none_here(self) -> DataError:
        return DataError(f"{self.root}: has none of the datasets", NONE_HERE)


def unknown(what: str, name: str, known: list[str], where: str) -> UsageError:
    """The error for a name that nobody knows: it names the nearest one, or all."""
    near = core.nearest(name, known)
    guess = f"; did you mean '{near}'?" if near else ""
    return UsageError(f"{where}: unknown {what} '{name}'{guess}", f"known: {', '.join(known)}")
