"""The extension, built from bindings.cpp. Structured values cross as JSON text, arrays as numpy's.

`options` are those that differ from their method's defaults, as JSON; `listener` is a
progress.Listener. Calls raise what errors.from_core makes. All functions may be called from
several threads at once.
"""

from typing import Any, TypedDict

import numpy as np

from .progress import Listener

version: str
torch_version: str

class Dataset:
    """A loaded, checked and preprocessed graph."""

    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def treatment(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def features(self) -> int: ...
    @property
    def sparse(self) -> bool: ...
    @property
    def task(self) -> str:
        """none, bc (two classes), mcc (one of several) or mlc (any of several)."""

    @property
    def classes(self) -> int: ...
    @property
    def class_names(self) -> list[str]: ...
    @property
    def labels(self) -> np.ndarray | None:
        """Class ids [N], or zeros and ones [N, C]; -1, or a row of 255, if unknown. Read-only."""

    @property
    def degrees(self) -> np.ndarray: ...
    @property
    def node_ids(self) -> list[str]: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def recipe(self) -> str:
        """How features were made from a table, as JSON; empty for other data."""

    @property
    def splits(self) -> int:
        """Number of splits that come with the data."""

class RunFolder:
    """Which files make a run. Nothing is read until asked for; the folder need not exist."""

    def __init__(self, path: str) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def options(self) -> str: ...
    @property
    def metrics(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def embeddings(self) -> str: ...
    @property
    def ids(self) -> str: ...
    @property
    def scores(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def record(self) -> str: ...
    @property
    def unfinished(self) -> str:
        """Where and why the run stopped; empty for a finished run."""

    @property
    def split_models(self) -> list[str]:
        """The models of `select="val"`, one per split."""

    @property
    def holds_run(self) -> bool: ...
    @property
    def exists(self) -> bool:
        """Whether it has options.json."""

    @property
    def finished(self) -> bool:
        """Whether it has a model."""

    def files(self) -> list[str]:
        """Names of the files that belong to the run. All others are the user's."""

    @staticmethod
    def owns(name: str) -> bool:
        """Whether a file of this name in a run folder belongs to the run."""

    def info(self) -> str:
        """options.json, with today's option names and format."""

class _Model(TypedDict):
    features: int
    options: dict[str, Any]
    filters: list[list[float]]
    tensors: dict[str, np.ndarray]
    recipe: str

def main(words: list[str], reports_usage: bool) -> int:
    """Runs the program with these words, the first being its name, and returns its exit code."""

def options() -> str: ...
def resolve(options: str) -> str:
    """Every option after the defaults of the method and the protocol."""

def chosen_method(given: list[str]) -> str:
    """The method if none is named and the options `given` are set."""

def presets() -> str: ...
def methods() -> str: ...
def nearest(name: str, candidates: list[str], /) -> str:
    """The candidate that was probably meant; empty if none is near."""

def model(file: str) -> _Model:
    """The model in a .safetensors file of a run; DataError for other files and checkpoints."""

def dataset(
    source: Dataset | dict[str, Any] | str, options: str, threads: int, listener: Listener
) -> Dataset:
    """`source`: a Dataset, the arrays that interop.py makes, or text as on the command line."""

def write_dataset(
    dataset: Dataset, folder: str, overwrite: bool, inputs: list[str], listener: Listener
) -> None:
    """Writes a dataset folder. `inputs` are files that it must not replace."""

def train(
    dataset: Dataset,
    data: str | bytes,
    folder: str,
    init: str,
    options: str,
    resume: bool,
    overwrite: bool,
    threads: int,
    listener: Listener,
    until: int = 0,
) -> str:
    """What `train --json` prints. `until`: an epoch to stop after before the last; 0 for none."""

def embed(
    folder: str,
    source: Dataset | dict[str, Any] | str,
    threads: int,
    listener: Listener,
    nodes: list[str] | None = None,
) -> np.ndarray:
    """`nodes`: ids of the nodes to embed, or their numbers where nodes have no ids; None: all."""

def validation(z: np.ndarray, dataset: Dataset, options: str, threads: int) -> list[float]:
    """Score of a linear probe on the validation nodes of each split, in percent."""

def effective_rank(z: np.ndarray, threads: int) -> float: ...
