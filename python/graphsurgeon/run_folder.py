"""A run folder: which of its files are ours, the model in it, and a copy of it somewhere else."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._load import core
from .errors import DataError
from .options import OPTIONS

FILES = frozenset(
    {
        "options.json",
        "metrics.jsonl",
        "model.safetensors",
        "state.safetensors",
        "embeddings.npy",
        "scores.json",
        "ids.txt",
    }
)


def is_ours(name: str) -> bool:
    """Whether a file of this name in a run folder is the run's. All others are the user's."""
    return name in FILES or (name.startswith("model-split-") and name.endswith(".safetensors"))


def copy_run(source: Path, target: Path) -> None:
    """Copies the run in `source` to `target`, in place of the one that is there; other files in `target` stay.

    `target` may be a link to a folder. Everything is copied beside its place first: when that fails (a full disk), the
    run that was there is untouched, and a DataError says why.
    """
    made = not target.exists()
    names = sorted(entry.name for entry in os.scandir(source) if entry.is_file() and is_ours(entry.name))
    beside = {name: target / f".{name}.tmp-{os.getpid()}" for name in names}
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, copy in beside.items():
            shutil.copyfile(source / name, copy)
        for name, copy in beside.items():
            os.replace(copy, target / name)
        for entry in list(os.scandir(target)):
            if is_ours(entry.name) and entry.name not in beside:
                os.remove(entry.path)  # of the run before
    except OSError as error:
        if made and target.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        raise DataError(f"{target}: cannot be written: {error.strerror}", "choose another place") from None
    finally:
        for copy in beside.values():
            with suppress(OSError):
                copy.unlink()


@dataclass(frozen=True)
class Model:
    """A trained model as its file has it."""

    file: str
    features: int
    options: dict[str, Any]  # by their names in options.json
    tensors: dict[str, np.ndarray]


def read_model(file: str | os.PathLike[str]) -> Model:
    """The model in a .safetensors file of a run; DataError for one of somebody else's, and for a checkpoint."""
    path = os.fspath(file)
    loaded = core.tensors(path)
    about = loaded["metadata"]
    try:
        info = json.loads(about["graphsurgeon"])
        features, options = int(info["features"]), dict(info["options"])
        if "state" in about:
            raise ValueError("a checkpoint's, which holds more than the model")
    except (ValueError, KeyError, TypeError):
        hint = "name a run folder, or its model.safetensors"
        raise DataError(f"{path}: is not a model of graphsurgeon", hint) from None
    # What a run of an older version does not know has its default, as in the core.
    plain = {option.name: option.default for option in OPTIONS.values()}
    return Model(path, features, plain | options, loaded["tensors"])
