"""Datasets that are loaded once for several trainings, and the presets of options."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from . import interop, options
from ._load import core
from .progress import Listener, wanted
from .protocol import check_keywords

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keywords import DataKeywords


def presets() -> dict[str, dict[str, Any]]:
    """The presets that come with graphsurgeon: {name: {"origin": text, "options": {...}}}."""
    return cast("dict[str, dict[str, Any]]", json.loads(core.presets()))


def load_dataset(
    data: Any, y: Any = None, *, progress: bool | str = "auto", **load: Unpack[DataKeywords]
) -> core.Dataset:
    """Loads, checks and preprocesses a graph once, for several trainings.

    `data` is anything that `GraphSurgeon.fit` takes; `load` are the estimator's keywords about data
    (`symmetrize`, `self_loops`, `features`, `make_features`, ...). They replace those of the
    trainings.
    """
    check_keywords(load, TypeError)
    values: dict[str, Any] = {**load}
    threads = options.thread_count(values.pop("threads", 0))
    if "random_state" in values:
        values["random_state"] = options.seed_of(values["random_state"])
    source = interop.source_of(interop.graph_of(data), y)
    return core.dataset(source, options.option_text(values), threads, Listener(wanted(progress)))
