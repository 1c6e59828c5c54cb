"""The estimator: training and embedding by scikit-learn's conventions."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import interop, options
from ._load import core
from .errors import DataError, Error, UsageError
from .options import EXTRAS, OPTIONS
from .progress import Listener, OnEpoch, wanted
from .run_folder import copy_run, read_model


def _seed(random_state: Any) -> int:
    """An int as it is; a fresh one for None; one drawn from a generator of numpy's."""
    if random_state is None:
        return secrets.randbelow(2**31)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    return int(random_state)


def _check_keywords(keywords: dict[str, Any], error: type[Exception]) -> None:
    for keyword in keywords:
        if keyword not in OPTIONS and keyword not in EXTRAS:
            raise error(options.unknown(keyword))


def presets() -> dict[str, dict[str, Any]]:
    """The named sets of values that come with graphsurgeon: {name: {"origin": text, "options": {...}}}."""
    return json.loads(core.presets())


def load_dataset(data: Any, y: Any = None, *, progress: bool | str = "auto", **load: Any) -> core.Dataset:
    """Loads, checks and treats a graph once, for several trainings.

    `data` is anything that `GraphSurgeon.fit` takes; `load` are the estimator's keywords about data (`symmetrize`,
    `self_loops`, `features`, `make_features`, ...), which then hold in place of those of the trainings.
    """
    _check_keywords(load, TypeError)
    threads = options.thread_count(load.pop("threads", 0))
    if "random_state" in load:
        load["random_state"] = _seed(load["random_state"])
    return core.dataset(interop.source_of(data, y), options.option_text(load), threads, Listener(wanted(progress)))


def _written_at(file: str) -> int | None:
    return os.stat(file).st_mtime_ns if os.path.exists(file) else None


class _Folder:
    """The folder of a run; a temporary one goes away with the last who holds this."""

    def __init__(self, path: str, temporary: bool) -> None:
        self.path = path
        self._remove = weakref.finalize(self, shutil.rmtree, path, ignore_errors=True) if temporary else None

    @classmethod
    def of(cls, path: str | os.PathLike[str] | None, before: _Folder | None = None) -> _Folder:
        """The folder `path`; without one that of `before`, or a new temporary one."""
        if path is not None:
            return cls(os.path.abspath(path), temporary=False)
        return before or cls(tempfile.mkdtemp(prefix="graphsurgeon-"), temporary=True)

    def keep(self) -> None:
        """Leaves it to the user, as the only place of a checkpoint."""
        if self._remove is not None:
            self._remove.detach()


class GraphSurgeon:
    """Learns node embeddings of an attributed graph, without labels.

    Two learned augmentation heads and one shared graph encoder are trained together under a Laplacian-Eigenmaps loss.
    Every option of `graphsurgeon train` is a keyword here (`--aug-dim` is `aug_dim`, `--seed` is `random_state`), and
    results are those of the command line, bit for bit.

    A graph is a PyG `Data`, `(edge_index, x)`, a scipy sparse matrix, a networkx graph (each also as `(graph, x)`),
    OGB's dict, a path, a catalog name, or what `load_dataset` returned. One from memory is taken as it is, unless
    `symmetrize`, `self_loops` or `features` say otherwise; files of known formats are treated as PyG treats them.

    Attributes of a fitted estimator: `embeddings_`, `run_` (its folder), `result_` (what `train --json` prints),
    `history_` (a dict an epoch), `n_features_in_`.

    `method` names a baseline in place of GraphSurgeon, whose own defaults then hold where nothing else is given.

    Parameters
    ----------
    """

    run_: str
    result_: dict[str, Any]
    n_features_in_: int
    _folder: _Folder | None = None

    def __init__(self, **keywords: Any) -> None:
        _check_keywords(keywords, TypeError)
        for name, value in (options.defaults(keywords.get("method", "")) | keywords).items():
            setattr(self, name, value)

    @classmethod
    def from_preset(cls, name: str, **keywords: Any) -> GraphSurgeon:
        """An estimator with a preset's values ("photo": the authors', "photo-tuned": ours), `keywords` over them."""
        table = presets()
        if name not in table:
            near = core.nearest(name, list(table))
            known = ", ".join(sorted(table))
            message = f"unknown preset '{name}'" + (f"; did you mean '{near}'?" if near else "")
            raise UsageError(message, f"one of {known}")
        by_name = {option.name: keyword for keyword, option in OPTIONS.items()}
        values = {by_name[key]: value for key, value in table[name]["options"].items()}
        return cls(**(values | keywords))

    # scikit-learn's protocol

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every keyword and its value. `deep` is there for scikit-learn; there is nothing below."""
        return {name: getattr(self, name) for name in options.defaults()}

    def set_params(self, **keywords: Any) -> GraphSurgeon:
        """Sets keywords by name; ValueError for one that is unknown, naming the nearest.

        With another `method`, what has the default of the one before takes that of the new one.
        """
        _check_keywords(keywords, ValueError)
        before, after = options.defaults(self.method), options.defaults(keywords.get("method", self.method))
        follow = {name: after[name] for name in after if getattr(self, name) == before[name] != after[name]}
        for name, value in (follow | keywords).items():
            setattr(self, name, value)
        return self

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
        plain = options.defaults()
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != plain[name]]
        return f"GraphSurgeon({', '.join(changed)})"

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "run_"):
            raise TypeError("a fitted GraphSurgeon is kept with save(folder) and load(folder), not with pickle")
        return self.__dict__.copy()

    # training and embedding

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
        X : a graph, see the class
        y : labels, for a graph without; only `select="val"` reads them
        run : folder to write; a temporary one, which goes away with this object, when it is not given
        resume : go on with a run that was interrupted: the one in `run`, or the last of this object
        overwrite : replace a run that is in `run`
        init : a run whose weights to start from
        on_epoch : called with the metrics of every epoch, a dict; an exception that it raises stops the training

        Ctrl-C stops after the step under way and keeps a checkpoint in `run_`; `fit(X, resume=True)` goes on with it,
        or `fit(X, run=FOLDER, resume=True)` in another process, to the same bits as without the stop. A fit that fails
        leaves what was fitted before.
        """
        params = self._values_of_fit(resume)
        source = interop.source_of(X, y)
        show = wanted(self.progress)
        text = options.option_text(params)
        threads = options.thread_count(self.threads)
        data = source if isinstance(source, core.Dataset) else core.dataset(source, text, threads, Listener(show))
        folder = _Folder.of(run, self._folder if resume else None)
        before, metrics = self.__dict__.copy(), os.path.join(folder.path, "metrics.jsonl")
        untouched = _written_at(metrics)
        self._take(folder)
        listener = Listener(show, on_epoch, metrics)
        try:
            result = core.train(
                dataset=data,
                data=interop.name_of(X),
                folder=folder.path,
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
                again = f"fit(..., run={folder.path!r}, resume=True)"
                stop.add_note(f"the checkpoint is in {folder.path}; {again} goes on with it")
            raise
        except Error:
            if _written_at(metrics) == untouched:  # no epoch was trained
                self.__dict__ = before
            raise
        finally:
            listener.finish()
        self._take(folder, json.loads(result), data.features)
        return self

    def transform(self, X: Any) -> Any:
        """The embeddings of the graph X, the training's or another with the same features, by the trained model."""
        self._check_fitted()
        threads = options.thread_count(self.threads)
        return self._as_output(core.embed(self.run_, interop.source_of(X), threads, Listener(wanted(self.progress))))

    def fit_transform(self, X: Any, y: Any = None, **fit: Any) -> Any:
        """`fit(X, y, **fit)`, then the embeddings of X."""
        return self.fit(X, y, **fit).embeddings_

    @property
    def embeddings_(self) -> Any:
        """Those of the training graph: a torch tensor, or a numpy array with `output="numpy"`."""
        self._check_fitted()
        return self._as_output(np.load(os.path.join(self.run_, "embeddings.npy")))

    @property
    def history_(self) -> list[dict[str, Any]]:
        """The metrics of every epoch: loss and its terms, gradient norm, effective rank, seconds."""
        self._check_fitted()
        with open(os.path.join(self.run_, "metrics.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    # run folders

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the run folder, which the command line reads too: `graphsurgeon eval FOLDER DATA`.

        `overwrite` replaces a run that is there. Other files in the folder stay as they are.
        """
        self._check_fitted()
        target = Path(folder)
        if target.exists() and any(target.iterdir() if target.is_dir() else [target]):
            if not overwrite:
                raise DataError(f"{target}: is there already", "pass overwrite=True to replace it")
            if not (target / "options.json").exists():
                raise DataError(f"{target}: is there and holds no run", "choose another name")
            if target.samefile(self.run_):
                return
        copy_run(Path(self.run_), target)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> GraphSurgeon:
        """The fitted estimator of a run folder, written by `save` or by `graphsurgeon train`."""
        path = Path(folder)
        if not (path / "model.safetensors").exists():
            raise DataError(f"{path}: is not the folder of a finished run", "it has no model.safetensors")
        model = read_model(path / "model.safetensors")
        by_name = {option.name: keyword for keyword, option in OPTIONS.items()}
        self = cls(**{by_name[key]: value for key, value in model.options.items() if key in by_name})
        self._take(_Folder.of(path), {"run": str(path), "epochs": model.options["epochs"]}, model.features)
        return self

    def _values_of_fit(self, resume: bool) -> dict[str, Any]:
        """The keywords, with the seed that this training has: a resumed one that of its beginning."""
        if not (resume and hasattr(self, "_seed_")):
            self._seed_ = _seed(self.random_state)
        return self.get_params() | {"random_state": self._seed_}

    def _take(self, folder: _Folder, result: dict[str, Any] | None = None, features: int = 0) -> None:
        """Is the run of `folder` from now on; one without a result is not finished."""
        self._folder, self.run_ = folder, folder.path
        self.__dict__.pop("result_", None)
        if result is not None:
            self.result_ = result
            self.n_features_in_ = features

    def _check_fitted(self) -> None:
        if self.__sklearn_is_fitted__():
            return
        try:
            from sklearn.exceptions import NotFittedError as NotFitted
        except ImportError:
            NotFitted = AttributeError  # which scikit-learn's is, too
        raise NotFitted("this GraphSurgeon is not fitted yet: call fit(graph) first")

    def _as_output(self, z: np.ndarray) -> Any:
        if self.output not in ("torch", "numpy"):
            raise ValueError(f"output is '{self.output}', expected 'torch' or 'numpy'")
        return z if self.output == "numpy" else torch.from_numpy(z)


GraphSurgeon.__init__.__signature__ = options.signature()  # type: ignore[attr-defined]
GraphSurgeon.__doc__ = (GraphSurgeon.__doc__ or "").rstrip() + "\n" + "\n".join(
    f"    {line}".rstrip() for line in options.documentation().splitlines()
) + "\n"
