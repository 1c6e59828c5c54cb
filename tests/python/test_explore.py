"""What a fitted estimator offers beside embeddings: scores, nearest nodes, the map, a summary."""

import numpy as np
import pandas as pd
import pytest
import torch
from conftest import write_graph
from tables import made_up

from graphsurgeon import GraphSurgeon, UsageError, program, read_tables

EDGES, NODES = made_up()


@pytest.fixture(scope="module")
def fitted():
    graph = read_tables(EDGES, NODES, label_column="segment")
    return GraphSurgeon(progress=False).fit(graph)


def test_scores_are_those_of_the_command_line_beside_reference_rows(fitted):
    found = fitted.evaluate(num_splits=2)
    assert found["verdict"]["text"]
    assert {"raw", "diffused"} <= set(found["reference"])


def test_labels_may_be_passed_to_evaluate(graph):
    x, edge_index, y = graph
    model = GraphSurgeon(progress=False).fit((edge_index, x))
    with_y = model.evaluate(y=y, num_splits=2)
    assert with_y == model.evaluate((edge_index, x, y), num_splits=2)


def test_a_run_that_standardizes_is_scored_by_its_own_embeddings(graph, tmp_path):
    """Features are treated once: the scores are those of the embeddings that fit made."""
    x, edge_index, y = graph
    x = x * torch.arange(1, x.shape[1] + 1)
    model = GraphSurgeon(progress=False, features="standardize").fit((edge_index, x, y))
    data = write_graph(tmp_path / "data", y.tolist())
    np.save(tmp_path / "z.npy", model.embeddings_.numpy())
    wanted = program.ask("eval", tmp_path / "z.npy", data, "--num-splits", 2)
    assert model.evaluate(num_splits=2)["values"] == wanted["values"]


def test_a_loaded_estimator_asks_for_the_graph(fitted, tmp_path):
    fitted.save(tmp_path / "run")
    with pytest.raises(UsageError, match="pass it: evaluate"):
        GraphSurgeon.load(tmp_path / "run").evaluate()


def test_nearest_nodes_are_by_centered_cosine(fitted):
    node = NODES["customer_id"].iloc[5]
    found = fitted.nearest(node, k=4)
    z = fitted.embeddings_.to_numpy().astype(np.float64)
    z = z - z.mean(0)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    cosines = pd.Series(z @ z[5], index=fitted.ids_).drop(node).nlargest(4)
    assert [name for name, _ in found] == cosines.index.tolist()
    assert [value for _, value in found] == pytest.approx(cosines.tolist(), abs=1e-5)
    with pytest.raises(UsageError, match="no node 'nobody'"):
        fitted.nearest("nobody")
    assert len(fitted.nearest(node, k=10_000)) == len(NODES) - 1


def test_the_map_has_one_color_per_class_and_an_id_per_point(fitted):
    figure = fitted.plot()
    assert [trace.name for trace in figure.data] == ["A", "B", "C", "D"]
    texts = [text for trace in figure.data for text in trace.text]
    assert sorted(texts) == sorted(NODES["customer_id"])
    numbers = fitted.plot(color=NODES["revenue"])
    assert len(numbers.data) == 1 and numbers.data[0].marker.showscale
    with pytest.raises(UsageError, match="color has 2 values"):
        fitted.plot(color=[1, 2])


def test_a_notebook_shows_the_summary_of_the_run(fitted):
    text = fitted._repr_html_()
    assert "spectral" in text and f"300 x {fitted.embeddings_.shape[1]}" in text
    assert "not fitted" in GraphSurgeon()._repr_html_()
    hostile = GraphSurgeon(splits="<script>")._repr_html_()
    assert "<script>" not in hostile
