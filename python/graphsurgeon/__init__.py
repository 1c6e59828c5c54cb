"""Node embeddings of attributed graphs, without labels.

    from graphsurgeon import GraphSurgeon

    z = GraphSurgeon().fit_transform(edges="calls.csv", nodes="customers.csv")  # a frame by ids

    model = GraphSurgeon(mode="pre", dim=128, epochs=50, random_state=0)
    z = model.fit_transform(data)    # PyG Data, (edge_index, x), scipy, networkx, a path or a name
    model.save("run")

`GraphSurgeon` follows scikit-learn's conventions. `read_tables` makes a graph from tables with
choices of your own. `torch_module` returns the model of a run as a plain PyTorch module.
`load_dataset` loads a graph once for several trainings. The command line offers the same:
`graphsurgeon --help`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .datasets import load_dataset, presets
    from .errors import DataError, Error, InternalError, UsageError
    from .estimator import GraphSurgeon
    from .module import EncoderModule, torch_module
    from .module_spectral import SpectralModule
    from .tables import TableGraph, read_network, read_tables

    __version__: str

_MODULES = {
    "GraphSurgeon": "estimator",
    "load_dataset": "datasets",
    "presets": "datasets",
    "read_tables": "tables",
    "read_network": "tables",
    "TableGraph": "tables",
    "torch_module": "module",
    "EncoderModule": "module",
    "SpectralModule": "module_spectral",
    "Error": "errors",
    "UsageError": "errors",
    "DataError": "errors",
    "InternalError": "errors",
}

__all__ = [
    "DataError",
    "EncoderModule",
    "Error",
    "GraphSurgeon",
    "InternalError",
    "SpectralModule",
    "TableGraph",
    "UsageError",
    "load_dataset",
    "presets",
    "read_network",
    "read_tables",
    "torch_module",
]


# Importing torch takes seconds. The command line runs in a process of its own and does not need it.
def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module(f"{__name__}._load").core.version
    if name not in _MODULES:
        raise AttributeError(f"module 'graphsurgeon' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
