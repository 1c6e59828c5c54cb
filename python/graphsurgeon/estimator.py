"""The estimator: training and embedding by scikit-learn's conventions."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np

from . import ids as ids_module
from . import interop, options, output
from ._load import core
from ._run_folder import OwnedFolder, copy_run
from .datasets import presets
from .errors import DataError, Error, UsageError
from .explore import Exploration
from .progress import Listener, OnEpoch, wanted
from .protocol import Protocol, check_keywords
from .tracking import Tracked, check_tracker

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keywords import Keywords


class FitKeywords(TypedDict, total=False):
    """The keywords of `GraphSurgeon.fit`."""

    run: str | os.PathLike[str] | None
    resume: bool
    overwrite: bool
    init: str | os.PathLike[str] | None
    on_epoch: OnEpoch | None
    track: str
    edges: Any
    nodes: Any


def _written_at(file: str) -> int | None:
    return os.stat(file).st_mtime_ns if os.path.exists(file) else None


class GraphSurgeon(Protocol, Exploration):
    """Learns node embeddings of an attributed graph, without labels.

    By default they are solved at once (`method="spectral"`). If an option of training is given, two
    learned augmentation heads and one shared graph encoder are trained jointly with a
    Laplacian-Eigenmaps loss (`method="graphsurgeon"`). Every option of `graphsurgeon train` is a
    keyword here (the seed is `random_state`), and the results equal those of the command line bit
    for bit.

    A graph is two tables (`edges=...` and `nodes=...`, see `read_tables`), a PyG `Data`,
    `(edge_index, x)`, a scipy sparse matrix, a networkx or igraph graph (each also as
    `(graph, x)`), OGB's dict, a path, a catalog name, or the result of `load_dataset`. A graph
    from memory is used as it is, unless `symmetrize`, `self_loops` or `features` say otherwise;
    files of known formats are preprocessed as in PyG.

    Attributes of a fitted estimator: `embeddings_`, `ids_` (of the nodes), `run_` (its folder),
    `result_` (what the training reports), `history_` (one dict per epoch), `n_features_in_`.

    With `graph=...`, `fit` and `transform` take ids of nodes of that graph as X, so that
    cross-validation can split them. The embeddings are always learned from the whole graph.

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
    _ids: np.ndarray | None = None  # of the training graph, in the user's types
    _frame: str = ""  # the kind of frame that its tables came as
    _set_output: str = ""

    if TYPE_CHECKING:

        def __getattr__(self, keyword: str) -> Any:
            """Every keyword is an attribute."""

    def __init__(self, **keywords: Unpack[Keywords]) -> None:
        check_keywords(keywords, TypeError)
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

    # Training and embedding

    def fit(
        self,
        X: Any = None,
        y: Any = None,
        *,
        edges: Any = None,
        nodes: Any = None,
        run: str | os.PathLike[str] | None = None,
        resume: bool = False,
        overwrite: bool = False,
        init: str | os.PathLike[str] | None = None,
        on_epoch: OnEpoch | None = None,
        track: str = "",
    ) -> GraphSurgeon:
        """Trains on the graph X.

        Parameters
        ----------
        X : graph, or array-like of ids if the keyword `graph` is set
            The graph, see the class.
        y : array-like, optional
            Labels of a graph without any. Only `select="val"` and supervised methods read them.
        edges, nodes : table, optional
            Instead of X: tables as `read_tables` takes them, with its defaults.
        run : path, optional
            Folder to write; by default a temporary one, removed together with this object.
        resume : bool
            Continue an interrupted run: the one in `run`, or the last one of this object.
        overwrite : bool
            Replace the run in `run`.
        init : path, optional
            A run whose weights to start from.
        on_epoch : callable, optional
            Called with the metrics of every epoch, a dict. An exception that it raises stops the
            training.
        track : {"mlflow", "tensorboard", "wandb", "trackio"}, optional
            Send options, metrics and result to this experiment tracker.

        Returns
        -------
        self

        Notes
        -----
        Ctrl-C stops after the current step and keeps a checkpoint in `run_`. Continue with
        `fit(X, resume=True)`, or with `fit(X, run=FOLDER, resume=True)` in another process; the
        result is the same bit for bit as without the interruption. A fit that fails keeps the
        previous one.
        """
        params = self._fit_params(resume)
        output.check_kind(self.output)
        if track:
            check_tracker(track)
        text = options.option_text(params)
        reads_labels = self._reads_labels(text)
        graph, y = self._graph_of(X, y, edges, nodes)
        output.require(output.kind_for(self._kind(), getattr(graph, "frame", "")))
        source = interop.source_of(graph, y, reads_labels, replace=self.graph is not None)
        show = wanted(self.progress)
        self._tell(graph, show)
        threads = options.thread_count(self.threads)
        if isinstance(source, core.Dataset):
            data = source
        else:
            data = core.dataset(source, text, threads, Listener(show))
        folder = OwnedFolder.open(run, self._folder if resume else None)
        before, metrics = self.__dict__.copy(), folder.files.metrics
        untouched = _written_at(metrics)
        self._use(folder)
        tracked = None
        if track:
            where = os.fspath(run) if run is not None else ""
            tracked = on_epoch = Tracked(track, options.option_values(params), where, on_epoch)
        listener = Listener(show, on_epoch, metrics)
        result = None
        try:
            result = core.train(
                dataset=data,
                data=interop.name_of(graph),
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
            if tracked is not None:
                tracked.finish(json.loads(result) if result else None)
        self._use(folder, json.loads(result), data.features)
        self._X, self._frame = graph, getattr(graph, "frame", "")
        self._ids = ids_module.ids_of(graph)
        if self._ids is None:
            self._ids = ids_module.typed_ids(data.node_ids, data.nodes, data.recipe)
        if data.task in ("bc", "mcc"):
            self._labels = (data.labels, data.class_names)
        return self

    def transform(self, X: Any = None, *, edges: Any = None, nodes: Any = None) -> Any:
        """Embeds the graph X: the training graph, or another one with the same features.

        Parameters
        ----------
        X : graph, or array-like of ids if the keyword `graph` is set
            As for `fit`. None with `graph` set: all of its nodes.
        edges, nodes : table, optional
            Instead of X: tables with the columns of those that were fitted. They are encoded by the
            same recipe; a warning names categories that are new.
        nodes : array-like of ids, beside X
            Embeds only these nodes, one row for each in their order, from their neighborhoods.

        Returns
        -------
        tensor, array or frame
            One row per node, of the type that the keyword `output` or `set_output` says.
        """
        self._check_fitted()
        if self.graph is not None:
            z, ids = self._array(), self.ids_
            if X is None:
                return self._as_output(z, ids, self._frame)
            rows = output.rows_of(X, ids)
            return self._as_output(z[rows], ids[rows], self._frame)
        threads = options.thread_count(self.threads)
        show = wanted(self.progress)
        only = None if X is None or nodes is None else np.asarray(nodes)
        graph = interop.graph_of(X, edges, nodes if only is None else None, self)
        ids_module.check_recipe(graph, self)
        self._tell(graph, show)
        source, frame = interop.source_of(graph, None, False), getattr(graph, "frame", "")
        found = ids_module.ids_of(graph)
        if only is not None:
            asked = [str(node) for node in only]
            if found is not None:
                asked = [f"#{row}" for row in output.rows_of(only, found)]
            z = core.embed(self.run_, source, threads, Listener(show), asked)
            return self._as_output(z, only, frame)
        z = core.embed(self.run_, source, threads, Listener(show))
        if found is None and output.kind_for(self._kind(), frame) in ("pandas", "polars"):
            found = ids_module.ids_in(graph)
        return self._as_output(z, np.arange(len(z)) if found is None else found, frame)

    def fit_transform(self, X: Any = None, y: Any = None, **fit: Unpack[FitKeywords]) -> Any:
        """`fit(X, y, **fit)`, then the embeddings of X."""
        self.fit(X, y, **fit)
        return self.embeddings_ if self.graph is None else self.transform(X)

    @property
    def embeddings_(self) -> Any:
        """The embeddings of the training graph, of the type that `output` or `set_output` says."""
        return self._as_output(self._array(), self.ids_, self._frame)

    @property
    def ids_(self) -> np.ndarray:
        """The ids of the training graph's nodes, in the order of `embeddings_`."""
        self._check_fitted()
        if self._ids is None:
            self._ids = ids_module.ids_of_run(core.RunFolder(self.run_))
        return self._ids

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
            if not owned.files.exists:
                hint = "pass a folder that `save` or 'graphsurgeon train' wrote"
                raise DataError(f"{path}: is not the folder of a run", hint)
            hint = "'graphsurgeon show FOLDER' has the whole story"
            raise DataError(f"{path}: {owned.files.unfinished}", hint)
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

    def _graph_of(self, X: Any, y: Any, edges: Any, nodes: Any) -> tuple[Any, Any]:
        """The graph to train on, and its labels. With `graph`, X and y are of some of its nodes."""
        if self.graph is None:
            return interop.graph_of(X, edges, nodes), y
        graph = interop.graph_of(self.graph)
        if X is None or y is None:
            return graph, y
        ids = ids_module.ids_of(graph)
        if ids is None:
            ids = ids_module.ids_in(graph)
        labels = np.full(len(ids), None, dtype=object)
        labels[output.rows_of(X, ids)] = np.asarray(y)
        return graph, labels.tolist()

    def _reads_labels(self, text: str) -> bool:
        """Whether the method, or the choice of the epoch, needs labels. `text`: the options."""
        if options.METHODS.get(self.method, {}).get("supervised"):
            return True
        return bool(json.loads(core.resolve(text))["select"] == "val")

    def _tell(self, graph: Any, show: bool) -> None:
        """Prints what was made of tables, if progress is shown; a new table's surprises always."""
        if show and hasattr(graph, "notes") and hasattr(graph, "graph_arrays"):
            print("\n".join(graph.notes), file=sys.stderr)
        for text in getattr(graph, "warnings", []):
            warnings.warn(text, stacklevel=3)

    def _like(self) -> GraphSurgeon:
        return self

    def _fit_params(self, resume: bool) -> dict[str, Any]:
        """The keywords, with the seed of this training; a resumed one keeps its first seed."""
        if not (resume and hasattr(self, "_seed_")):
            self._seed_ = options.seed_of(self.random_state)
        return self.get_params() | {"random_state": self._seed_}

    def _use(
        self, folder: OwnedFolder, result: dict[str, Any] | None = None, features: int = 0
    ) -> None:
        """Makes the run in `folder` this object's; without a result, it is not finished."""
        self._folder, self.run_ = folder, folder.files.path
        for name in ("result_", "_ids", "_X", "_frame", "_labels"):
            self.__dict__.pop(name, None)
        if result is not None:
            self.result_ = result
            self.n_features_in_ = features


GraphSurgeon.__init__.__signature__ = options.signature()  # type: ignore[attr-defined]
_parameters = "\n".join(f"    {line}".rstrip() for line in options.documentation().splitlines())
GraphSurgeon.__doc__ = f"{(GraphSurgeon.__doc__ or '').rstrip()}\n{_parameters}\n"
