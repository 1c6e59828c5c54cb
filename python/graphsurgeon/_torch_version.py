"""Whether the installed torch is the one that the extension was built for.

With another torch the extension fails with an undefined symbol, or later; so the versions are
compared before it is loaded. This imports neither torch nor the extension.
"""

from __future__ import annotations

import importlib.metadata
import sys

from ._built_for import TORCH


def check_torch() -> None:
    """Raises ImportError unless the installed torch is the one that the extension was built for."""
    loaded = sys.modules.get("torch")
    try:
        version = loaded.__version__ if loaded else importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        raise ImportError(
            f"graphsurgeon needs torch {TORCH}, which is not installed "
            f"(hint: pip install torch=={TORCH})"
        ) from None
    here = str(version).split("+")[0]
    if here != TORCH:
        raise ImportError(
            f"graphsurgeon was built for torch {TORCH}, but torch {here} is installed "
            f"(hint: pip install torch=={TORCH}, or build graphsurgeon for the installed torch "
            "with pip install --no-build-isolation --no-deps .)"
        )
