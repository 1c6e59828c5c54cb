"""What a fitted estimator offers beside embeddings: scores, nearest nodes, a map, a summary."""

from __future__ import annotations

import html
import os
import tempfile
from typing import Any

import numpy as np

from . import interop, options, program
from ._load import core
from .errors import UsageError
from .output import rows_of
from .progress import Listener


class Exploration:
    """Methods of `GraphSurgeon` that read its run."""

    run_: str
    result_: dict[str, Any]
    _X: Any = None  # the graph of the last fit, as it was passed

    def _array(self) -> np.ndarray:
        """The embeddings of the training graph."""
        self._check_fitted()
        z: np.ndarray = np.load(core.RunFolder(self.run_).embeddings)
        return z

    def _check_fitted(self) -> None:
        raise NotImplementedError

    @property
    def ids_(self) -> np.ndarray:
        """The ids of the training graph's nodes, in the order of `embeddings_`."""
        raise NotImplementedError

    def evaluate(self, X: Any = None, y: Any = None, **keywords: Any) -> dict[str, Any]:
        """Scores the embeddings as `graphsurgeon eval` does, beside reference rows.

        Parameters
        ----------
        X : graph or path, optional
            A graph with labels; by default the one that was fitted.
        y : array-like, optional
            Labels of a graph without any: class ids or names, unknown ones negative or None.
        **keywords
            Options of `graphsurgeon eval`, such as `task="clustering"` or `num_splits=5`.

        Returns
        -------
        dict
            What `graphsurgeon eval --json` prints. `["verdict"]` says whether the embeddings are
            better than those that need no training.
        """
        self._check_fitted()
        words: list[object] = []
        for name, value in keywords.items():
            flag = "--" + ("seed" if name == "random_state" else name.replace("_", "-"))
            words += [flag] if value is True else [] if value is False else [flag, value]
        graph = self._X if X is None else interop.graph_of(X, like=self._like())
        if graph is None:
            raise UsageError("a loaded estimator has no graph", "pass it: evaluate(X)")
        if isinstance(graph, core.Dataset):
            hint = "pass the graph or the path of the data"
            raise UsageError("a loaded Dataset cannot be scored: it is prepared already", hint)
        if isinstance(graph, (str, os.PathLike)) and y is None:
            return program.ask("eval", self.run_, os.fspath(graph), *words)
        # The run's own treatment follows when the program reads the folder.
        plain = options.option_text({"features": "raw"})
        data = core.dataset(interop.source_of(graph, y), plain, 0, Listener(False))
        with tempfile.TemporaryDirectory(prefix="graphsurgeon-") as folder:
            target = os.path.join(folder, "graph")
            core.write_dataset(data, target, False, [], Listener(False))
            return program.ask("eval", self.run_, target, *words)

    def _like(self) -> Any:
        raise NotImplementedError

    def nearest(self, node: Any, k: int = 10) -> list[tuple[Any, float]]:
        """The k nodes most similar to one node of the training graph.

        Parameters
        ----------
        node : id
            One of `ids_`.
        k : int
            How many nodes to return.

        Returns
        -------
        list of (id, similarity)
            The most similar first. The similarity is the cosine after subtracting the mean
            embedding, so that 0 means "like any two nodes".
        """
        if k < 1:
            raise UsageError(f"k is {k}", "pass 1 or more")
        z, ids = self._array(), self.ids_
        row = int(rows_of([node], ids)[0])
        centered = z - z.mean(0)
        lengths = np.linalg.norm(centered, axis=1)
        scale = np.where(lengths > 0, lengths, 1)
        cosines = centered @ centered[row] / (scale * scale[row])
        cosines[row] = -np.inf
        k = min(k, len(z) - 1)
        # Ties go to the lower row, whatever the order of partition.
        order = np.lexsort((np.arange(len(z)), -cosines))[:k]
        return [(ids.tolist()[i], float(cosines[i])) for i in order]

    def plot(self, color: Any = None, random_state: int = 0) -> Any:
        """The map of the embeddings: t-SNE of up to 2,500 nodes.

        Parameters
        ----------
        color : array-like, optional
            One value per node to color by; numbers or names. By default the graph's labels.
        random_state : int
            Seed of the sample and of t-SNE.

        Returns
        -------
        plotly.graph_objects.Figure
            A notebook shows it; `.write_html("map.html")` saves it.
        """
        import plotly.graph_objects as go

        from .report.figure import COLORS, plain
        from .report.projection import SAMPLE_NODES, drawn_nodes, project

        z, ids = self._array(), self.ids_
        order = drawn_nodes(len(z), random_state)[:SAMPLE_NODES]
        made = project(z, order, random_state, "tsne")[0]
        values = self._colors() if color is None else np.asarray(color)
        if values is not None and len(values) != len(z):
            message = f"color has {len(values)} values for {len(z)} nodes"
            raise UsageError(message, "pass one per node, in the order of ids_")
        texts = [plain(ids[node], 40) for node in order]
        x, y = made.points[:, 0], made.points[:, 1]
        look = {"mode": "markers", "hovertemplate": "%{text}<extra></extra>"}
        figure = go.Figure()
        if values is None or values.dtype.kind == "f":
            shade: dict[str, Any] = {"size": 5, "opacity": 0.8}
            if values is not None:
                shade |= {"color": values[order], "colorscale": "Viridis", "showscale": True}
            figure.add_scattergl(x=x, y=y, text=texts, marker=shade, **look)
        else:
            here = values[order]
            for i, name in enumerate(sorted(set(here.tolist()), key=str)):
                those = here == name
                figure.add_scattergl(
                    x=x[those],
                    y=y[those],
                    text=[text for text, that in zip(texts, those) if that],
                    name=plain(name, 24),
                    marker={"size": 5, "opacity": 0.8, "color": COLORS[i % len(COLORS)]},
                    **look,
                )
        figure.update_layout(
            title=f"{made.name} of {len(order):,} of {len(z):,} nodes",
            template="plotly_white",
            height=560,
            xaxis={"visible": False},
            yaxis={"visible": False, "scaleanchor": "x"},
        )
        return figure

    def _colors(self) -> np.ndarray | None:
        """The class of every node by name, or None."""
        labels = getattr(self, "_labels", None)
        if labels is None:
            return None
        values, names = labels
        return np.array([names[i] if names and i >= 0 else str(i) for i in values.tolist()])

    def _summary(self) -> dict[str, Any]:
        """What the run is, for people."""
        result = self.result_
        rows: dict[str, Any] = {"method": result.get("method", getattr(self, "method", ""))}
        if "nodes" in result:
            rows["embeddings"] = f"{result['nodes']:,} x {result['columns']}"
        if result.get("epochs"):
            rows["epochs"] = f"{result['epochs']:,}"
        if "seconds" in result:
            rows["seconds"] = f"{result['seconds']:.1f}"
        if "effective_rank" in result:
            rows["effective rank"] = f"{result['effective_rank']:.1f}"
        if result.get("note"):
            rows["note"] = result["note"]
        rows["run"] = self.run_
        return rows

    def _repr_html_(self) -> str:
        """The text of the estimator, and the summary of its run, for a notebook."""
        text = f"<code>{html.escape(repr(self))}</code>"
        if not hasattr(self, "result_"):
            return f"<div>{text} <em>not fitted</em></div>"
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>"
            for name, value in self._summary().items()
        )
        return f"<div>{text}<table>{rows}</table></div>"
