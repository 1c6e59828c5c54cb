"""Node embeddings of attributed graphs, without labels.

    from graphsurgeon import GraphSurgeon

    model = GraphSurgeon(mode="pre", dim=128, epochs=50, random_state=0)
    z = model.fit_transform(data)    # PyG Data, (edge_index, x), scipy, networkx, a path or a name
    model.save("run")

`GraphSurgeon` follows scikit-learn's conventions. `torch_module` returns the model of a run as a
plain PyTorch module. `load_dataset` loads a graph once for several trainings. The command line
offers the same: `graphsurgeon --help`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import DataError, Error, InternalError, UsageError
    from .estimator import GraphSurgeon, load_dataset, presets
    from .module import EncoderModule, torch_module
    from .module_spectral import SpectralModule

    __version__: str

_MODULES = {
    "GraphSurgeon": "estimator",
    "load_dataset": "estimator",
    "presets": "estimator",
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
    "UsageError",
    "load_dataset",
    "presets",
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
