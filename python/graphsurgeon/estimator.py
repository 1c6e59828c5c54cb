"""The estimator: training and embedding by scikit-learn's conventions."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np
import torch

from . import interop, options
from ._load import core
from ._run_folder import OwnedFolder, copy_run
from .errors import DataError, Error, UsageError
from .progress import Listener, OnEpoch, wanted

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keywords import DataKeywords, Keywords


class FitKeywords(TypedDict, total=False):
    """The keywords of `GraphSurgeon.fit`."""

    run: str | os.PathLike[str] | None
    resume: bool
    overwrite: bool
    init: str | os.PathLike[str] | None
    on_epoch: OnEpoch | None


def _seed(random_state: Any) -> int:
    """The seed: an int as it is, a random one for None, or one drawn from a numpy generator."""
    if random_state is None:
        return secrets.randbelow(2**31)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    return int(random_state)


def _check_keywords(keywords: Mapping[str, object], error: type[Exception]) -> None:
    for keyword in keywords:
        if keyword not in options.KEYWORDS:
            raise error(options.unknown(keyword))


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
    _check_keywords(load, TypeError)
    values: dict[str, Any] = {**load}
    threads = options.thread_count(values.pop("threads", 0))
    if "random_state" in values:
        values["random_state"] = _seed(values["random_state"])
    source = interop.source_of(data, y)
    return core.dataset(source, options.option_text(values), threads, Listener(wanted(progress)))


def _written_at(file: str) -> int | None:
    return os.stat(file).st_mtime_ns if os.path.exists(file) else None


class GraphSurgeon:
    """Learns node embeddings of an attributed graph, without labels.

    By default they are solved at once (`method="spectral"`). If an option of training is given, two
    learned augmentation heads and one shared graph encoder are trained jointly with a
    Laplacian-Eigenmaps loss (`method="graphsurgeon"`). Every option of `graphsurgeon train` is a
    keyword here (`--aug-dim` is `aug_dim`, `--seed` is `random_state`), and the results equal those
    of the command line bit for bit.

    A graph is a PyG `Data`, `(edge_index, x)`, a scipy sparse matrix, a networkx graph (each also
    as `(graph, x)`), OGB's dict, a path, a catalog name, or the result of `load_dataset`. A graph
    from memory is used as it is, unless `symmetrize`, `self_loops` or `features` say otherwise;
    files of known formats are preprocessed as in PyG.

    Attributes of a fitted estimator: `embeddings_`, `run_` (its folder), `result_` (what
    `train --json` prints), `history_` (one dict per epoch), `n_features_in_`.

    Without `method`, the core chooses as it does for `train`: spectral, unless a keyword is given
    that only training reads (`epochs`, `mode`, `lr` ...), in the constructor or by `set_params`.
    `method` may also name a baseline. The defaults are those of the method; those listed below are
    of graphsurgeon.

    Estimators share no state: several threads may each fit one of their own at the same time, with
    the same results as one after another. One estimator must not be used by two threads at once.

    Parameters
    ----------
    """

    run_: str
    result_: dict[str, Any]
    n_features_in_: int
    _given: frozenset[str]  # keywords that were given; the method is chosen by them
    _folder: OwnedFolder | None = None

    if TYPE_CHECKING:

        def __getattr__(self, keyword: str) -> Any:
            """Every keyword is an attribute."""

    def __init__(self, **keywords: Unpack[Keywords]) -> None:
        _check_keywords(keywords, TypeError)
        self._given = frozenset(keywords)
        method = keywords.get("method", options.chosen_method(self._given))
        for name, value in {**options.defaults(method), "method": method, **keywords}.items():
            setattr(self, name, value)

    @classmethod
    def from_preset(cls, name: str, **keywords: Unpack[Keywords]) -> GraphSurgeon:
        """An estimator with the values of a preset, of which `keywords` replace some.

        "photo" holds the authors' values, "photo-tuned" ours.
        """
        table = presets()
        if name not in table:
            near = core.nearest(name, list(table))
            message = f"unknown preset '{name}'" + (f"; did you mean '{near}'?" if near else "")
            raise UsageError(message, f"one of {', '.join(sorted(table))}")
        values = {options.BY_NAME[key]: value for key, value in table[name]["options"].items()}
        method = options.OPTIONS["method"].default  # presets are of methods that train
        return cls(**cast("Keywords", {"method": method, **values, **keywords}))

    # scikit-learn's protocol

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every keyword and its value. `deep` is ignored; scikit-learn passes it."""
        return {name: getattr(self, name) for name in options.KEYWORDS}

    def set_params(self, **keywords: Unpack[Keywords]) -> GraphSurgeon:
        """Sets keywords by name; ValueError for an unknown one, naming the nearest.

        With another `method`, keywords that have the previous method's default take the new one's.
        The same holds if the method was never given, and these keywords make it another one.
        """
        _check_keywords(keywords, ValueError)
        self._given |= frozenset(keywords)
        chosen = self.method if "method" in self._given else options.chosen_method(self._given)
        method = keywords.get("method", chosen)
        before, after = options.defaults(self.method), options.defaults(method)
        follow = {k: after[k] for k in after if getattr(self, k) == before[k] != after[k]}
        for name, value in {**follow, "method": method, **keywords}.items():
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> GraphSurgeon:
        """A copy that is not fitted, and knows which keywords were given."""
        copied = cast("Keywords", {k: deepcopy(v) for k, v in self.get_params().items()})
        made = type(self)(**copied)
        made._given = self._given
        return made

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(two_d_array=False, sparse=True),
        )

    def __repr__(self) -> str:
        """What makes an equal estimator: the method's defaults are left out."""
        params = self.get_params()
        plain = options.defaults(self.method) | {"method": self.method}
        changed = {name for name, value in params.items() if value != plain[name]}
        if self.method != options.chosen_method(changed):
            changed.add("method")
        words = [f"{name}={value!r}" for name, value in params.items() if name in changed]
        return f"GraphSurgeon({', '.join(words)})"

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "run_"):
            raise TypeError(
                "a fitted GraphSurgeon cannot be pickled; use save(folder) and load(folder)"
            )
        return self.__dict__.copy()

    # Training and embedding

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        run: str | os.PathLike[str] | None = None,
        resume: bool = False,
        overwrite: bool = False,
        init: str | os.PathLike[str] | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> GraphSurgeon:
        """Trains on the graph X.

        Parameters
        ----------
        X : the graph, see the class
        y : labels of a graph without any; only `select="val"` and supervised methods read them
        run : folder to write; by default a temporary one, removed together with this object
        resume : continue an interrupted run: the one in `run`, or the last one of this object
        overwrite : replace the run in `run`
        init : a run whose weights to start from
        on_epoch : called with the metrics of every epoch, a dict; an exception that it raises stops
            the training

        Ctrl-C stops after the current step and keeps a checkpoint in `run_`. Continue with
        `fit(X, resume=True)`, or with `fit(X, run=FOLDER, resume=True)` in another process; the
        result is the same bit for bit as without the interruption. A fit that fails keeps the
        previous one.
        """
        params = self._fit_params(resume)
        source = interop.source_of(X, y)
        show = wanted(self.progress)
        text = options.option_text(params)
        threads = options.thread_count(self.threads)
        if isinstance(source, core.Dataset):
            data = source
        else:
            data = core.dataset(source, text, threads, Listener(show))
        folder = OwnedFolder.open(run, self._folder if resume else None)
        before, metrics = self.__dict__.copy(), folder.files.metrics
        untouched = _written_at(metrics)
        self._use(folder)
        listener = Listener(show, on_epoch, metrics)
        try:
            result = core.train(
                dataset=data,
                data=interop.name_of(X),
                folder=folder.files.path,
                init=os.fspath(init) if init is not None else "",
                options=text,
                resume=resume,
                overwrite=overwrite or run is None,
                threads=threads,
                listener=listener,
            )
        except KeyboardInterrupt as stop:
            folder.keep()
            if hasattr(stop, "add_note"):
                path = folder.files.path
                again = f"fit(..., run={path!r}, resume=True)"
                stop.add_note(f"the checkpoint is in {path}; {again} continues from it")
            raise
        except Error:
            if _written_at(metrics) == untouched:  # no epoch was trained
                self.__dict__ = before
            raise
        finally:
            listener.finish()
        self._use(folder, json.loads(result), data.features)
        return self

    def transform(self, X: Any, *, nodes: Iterable[Any] | None = None) -> Any:
        """Embeds the graph X: the training graph, or another one with the same features.

        With `nodes` (ids, or numbers where nodes have none), only these are embedded, one row for
        each in their order, and only their neighborhoods are read.
        """
        self._check_fitted()
        threads = options.thread_count(self.threads)
        listener = Listener(wanted(self.progress))
        wanted_nodes = None if nodes is None else [str(node) for node in nodes]
        source = interop.source_of(X)
        return self._as_output(core.embed(self.run_, source, threads, listener, wanted_nodes))

    def fit_transform(self, X: Any, y: Any = None, **fit: Unpack[FitKeywords]) -> Any:
        """`fit(X, y, **fit)`, then the embeddings of X."""
        return self.fit(X, y, **fit).embeddings_

    @property
    def embeddings_(self) -> Any:
        """The embeddings of the training graph: a tensor, or an array with `output="numpy"`."""
        self._check_fitted()
        return self._as_output(np.load(core.RunFolder(self.run_).embeddings))

    @property
    def history_(self) -> list[dict[str, Any]]:
        """The metrics of every epoch: loss terms, gradient norm, effective rank, seconds."""
        self._check_fitted()
        with open(core.RunFolder(self.run_).metrics, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    # Run folders

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the run folder, which the command line reads too: `graphsurgeon eval FOLDER DATA`.

        `overwrite` replaces a run in the folder. Its other files stay.
        """
        self._check_fitted()
        target = Path(folder)
        if target.exists() and any(target.iterdir() if target.is_dir() else [target]):
            if not overwrite:
                raise DataError(f"{target}: already exists", "pass overwrite=True to replace it")
            if not core.RunFolder(str(target)).holds_run:
                raise DataError(f"{target}: exists and is not a run folder", "choose another name")
            if target.samefile(self.run_):
                return
        copy_run(Path(self.run_), target)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> GraphSurgeon:
        """The fitted estimator of a run folder, written by `save` or by `graphsurgeon train`."""
        owned = OwnedFolder.open(folder)
        path = os.fspath(folder)
        if not owned.files.finished:
            why = owned.files.unfinished if owned.files.exists else "is not the folder of a run"
            raise DataError(f"{path}: {why}", "graphsurgeon show FOLDER has the whole story")
        model = core.model(owned.files.model)
        by_keyword = {
            options.BY_NAME[name]: value
            for name, value in model["options"].items()
            if name in options.BY_NAME
        }
        self = cls(**cast("Keywords", by_keyword))
        result = {"run": path, "epochs": model["options"]["epochs"]}
        self._use(owned, result, model["features"])
        return self

    def _fit_params(self, resume: bool) -> dict[str, Any]:
        """The keywords, with the seed of this training; a resumed one keeps its first seed."""
        if not (resume and hasattr(self, "_seed_")):
            self._seed_ = _seed(self.random_state)
        return self.get_params() | {"random_state": self._seed_}

    def _use(
        self, folder: OwnedFolder, result: dict[str, Any] | None = None, features: int = 0
    ) -> None:
        """Makes the run in `folder` this object's; without a result, it is not finished."""
        self._folder, self.run_ = folder, folder.files.path
        self.__dict__.pop("result_", None)
        if result is not None:
            self.result_ = result
            self.n_features_in_ = features

    def _check_fitted(self) -> None:
        if self.__sklearn_is_fitted__():
            return
        error: type[Exception] = AttributeError
        try:
            from sklearn.exceptions import NotFittedError

            error = NotFittedError  # a subclass
        except ImportError:
            pass
        raise error("this GraphSurgeon is not fitted yet; call fit(graph) first")

    def _as_output(self, z: np.ndarray) -> Any:
        if self.output not in ("torch", "numpy"):
            raise ValueError(f"output is '{self.output}', expected 'torch' or 'numpy'")
        return z if self.output == "numpy" else torch.from_numpy(z)


GraphSurgeon.__init__.__signature__ = options.signature()  # type: ignore[attr-defined]
_parameters = "\n".join(f"    {line}".rstrip() for line in options.documentation().splitlines())
GraphSurgeon.__doc__ = f"{(GraphSurgeon.__doc__ or '').rstrip()}\n{_parameters}\n"
