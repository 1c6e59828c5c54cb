"""Loads the extension as `core`."""

from __future__ import annotations

from ._torch_version import check_torch

check_torch()

import torch  # noqa: E402, F401  its libraries must be loaded before the extension's

from . import _core as core  # noqa: E402

__all__ = ["core"]
