"""The extension, made of bindings.cpp: structured values cross as JSON text, arrays as numpy's.

`options` are those that differ from their method's defaults, as JSON; `listener` is a progress.Listener. All calls raise
what errors.from_core makes.
"""

from typing import Any

import numpy as np

from .progress import Listener

version: str
torch_version: str

class Dataset:
    """A graph that is loaded, checked and treated."""

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
        """Class ids [N], or zeros and ones [N, C]; -1, or a row of 255, where unknown. Read-only."""

    @property
    def degrees(self) -> np.ndarray: ...
    @property
    def node_ids(self) -> list[str]: ...
    @property
    def splits(self) -> int:
        """How many come with the data."""

def options() -> str: ...
def presets() -> str: ...
def methods() -> str: ...
def nearest(name: str, candidates: list[str], /) -> str:
    """The candidate that may have been meant; empty when none is near."""

def tensors(file: str) -> dict[str, Any]:
    """`tensors`, arrays by name, and `metadata`, texts by name, of a .safetensors file."""

def dataset(source: Dataset | dict[str, Any] | str, options: str, threads: int, listener: Listener) -> Dataset:
    """`source`: a Dataset, the arrays that interop.py makes, or what one would type on the command line."""

def train(
    dataset: Dataset,
    data: str,
    folder: str,
    init: str,
    options: str,
    resume: bool,
    overwrite: bool,
    threads: int,
    listener: Listener,
    until: int = 0,
) -> str:
    """What `train --json` prints. `until`: an epoch to end after, though the training has more; 0 for none."""

def embed(folder: str, source: Dataset | dict[str, Any] | str, threads: int, listener: Listener) -> np.ndarray: ...
def validation(z: np.ndarray, dataset: Dataset, options: str, threads: int) -> float:
    """Mean score of the splits' validation nodes by a linear probe, in percent."""

def effective_rank(z: np.ndarray, threads: int) -> float: ...
