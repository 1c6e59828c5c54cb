"""Whether the torch that is here is the one that the extension was built for.

An extension of another torch fails with an undefined symbol, or later: so versions are compared before it is loaded.
This neither imports torch nor the extension.
"""

from __future__ import annotations

import importlib.metadata
import sys

from ._built_for import TORCH


def check_torch() -> None:
    """ImportError unless the installed torch is the one that the extension was built for."""
    loaded = sys.modules.get("torch")
    try:
        version = loaded.__version__ if loaded else importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        raise ImportError(
            f"graphsurgeon needs torch {TORCH}, and there is no torch (hint: pip install torch=={TORCH})"
        ) from None
    here = str(version).split("+")[0]
    if here != TORCH:
        raise ImportError(
            f"graphsurgeon was built for torch {TORCH}, but torch {here} is installed "
            f"(hint: pip install torch=={TORCH}, or build graphsurgeon for this one with "
            "pip install --no-build-isolation --no-deps .)"
        )
