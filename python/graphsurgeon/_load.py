"""Loads the extension, `core`."""

from __future__ import annotations

from ._torch_version import check_torch

check_torch()

import torch  # noqa: E402,F401  its libraries must be there before those of the extension

from . import _core as core  # noqa: E402

__all__ = ["core"]
