"""Labels of nodes as the core's arrays."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from .errors import DataError

# By the names that arrays_of() in bindings.cpp reads.
Arrays = dict[str, Any]
NOT_MULTI_LABEL = (
    "y has several columns, but does not consist of zeros and ones",
    "for one class per node, pass y of shape (N,)",
)


def labels_of(y: Any) -> Arrays:
    """Class ids or names [N] or [N, 1], or zeros and ones [N, C].

    Unknown labels are negative, NaN or None.
    """
    values = numpy_of(y)
    if values.dtype.kind == "U" and not hasattr(y, "dtype"):
        values = np.asarray(y, dtype=object)  # otherwise NaN would become the text "nan"
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2):
        raise DataError(f"y has shape {tuple(values.shape)}, expected (N,) or (N, C)")
    if values.dtype == object:
        known = ~np.vectorize(_is_unknown, otypes=[bool])(values)
        if not all(isinstance(value, numbers.Real) for value in values[known]):
            return _named_labels(values, known)
        values = np.where(known, values, np.nan).astype(np.float64)
    if np.issubdtype(values.dtype, np.floating):
        values = np.where(np.isnan(values), -1, values)
        if (values != np.floor(values)).any():
            message = "y holds fractions, expected class ids, or zeros and ones"
            return {"refused_labels": (message, "labels are integers")}
    elif not np.issubdtype(values.dtype, np.integer) and values.dtype != bool:
        return _named_labels(values, np.ones(values.shape, bool))
    if values.ndim == 1:
        if values.size and values.max() > np.iinfo(np.int32).max:
            raise DataError(f"y holds the class id {values.max():.0f}", "class ids count from 0")
        return {"labels": np.ascontiguousarray(np.maximum(values, -1), dtype=np.int32)}
    if (values > 1).any():
        raise DataError(*NOT_MULTI_LABEL)
    unknown = values < 0
    in_part = np.flatnonzero(unknown.any(1) & ~unknown.all(1))
    if in_part.size:
        hint = "the labels of a node are either all known (zeros and ones) or all unknown"
        raise DataError(f"y: the labels of node {in_part[0]} are known in part", hint)
    table = np.where(unknown, 255, values).astype(np.uint8)
    return {"multi_labels": np.ascontiguousarray(table).reshape(-1), "classes": table.shape[1]}


def _named_labels(values: np.ndarray, known: np.ndarray) -> Arrays:
    """Class names; their ids are in alphabetical order."""
    if values.ndim != 1:
        raise DataError(*NOT_MULTI_LABEL)
    names, ids = np.unique(values[known].astype(str), return_inverse=True)
    labels = np.full(len(values), -1, np.int32)
    labels[known] = ids.reshape(-1)
    return {"labels": labels, "class_names": names.tolist()}


def _is_unknown(value: Any) -> bool:
    """Whether a label is missing: None, NaN or pandas' NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, numbers.Real) and math.isnan(value)


def numpy_of(values: Any) -> np.ndarray:
    if not hasattr(values, "detach"):
        return np.asarray(values)
    values = values.detach().cpu()
    if str(values.dtype) == "torch.bfloat16":  # numpy has no such type
        values = values.float()
    return values.numpy()
