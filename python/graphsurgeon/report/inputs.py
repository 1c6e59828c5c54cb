"""What each folder on the command line is: of train, ablate, bench or tune, by its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import DataError
from .run import Run, read_run
from .study_folders import (
    Ablations,
    Bench,
    Tuning,
    ablation_contents,
    read_ablations,
    read_bench,
    read_tuning,
)


@dataclass
class Inputs:
    runs: list[Run] = field(default_factory=list)
    ablations: list[Ablations] = field(default_factory=list)
    benches: list[Bench] = field(default_factory=list)
    tunings: list[Tuning] = field(default_factory=list)


def kind_of(folder: Path) -> tuple[str, Callable]:
    """The field of Inputs that the folder belongs to, and what reads it."""
    if (folder / "options.json").exists():
        return "runs", read_run
    if (folder / "bench.json").exists():
        return "benches", read_bench
    if (folder / "trials.csv").exists() and (folder / "best.json").exists():
        return "tunings", read_tuning
    if folder.is_dir() and ablation_contents(folder):
        return "ablations", read_ablations
    if not folder.exists():
        raise DataError(f"{folder}: no such folder", "name what 'graphsurgeon train -o' wrote")
    raise DataError(
        f"{folder}: is no folder of train, ablate, bench or tune",
        "a run has an options.json, a search a best.json and trials.csv",
    )


def read_inputs(folders: list[str]) -> Inputs:
    names = short_names(folders)
    out = Inputs()
    for folder, name in zip(folders, names):
        field_name, read = kind_of(Path(folder))
        getattr(out, field_name).append(read(Path(folder), name))
    return out


def short_names(folders: list[str]) -> list[str]:
    """The last part of each path, and more of it where that is another's too."""
    parts = [Path(folder).resolve().parts for folder in folders]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(set(parts)):
            break
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            names[i] = f"{name} ({seen[name]})"
    return names
