"""The estimator on tables: frames joined on ids, clones, pipelines, cross-validation."""

import warnings

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import EDGES, made_up, nodes_of, write_tables

from graphsurgeon import DataError, GraphSurgeon, UsageError, read_tables

EDGE_TABLE, NODE_TABLE = made_up()


@pytest.fixture(scope="module")
def fitted():
    return GraphSurgeon(progress=False).fit(edges=EDGE_TABLE, nodes=NODE_TABLE)


def test_three_lines_lead_from_files_to_a_frame_joined_on_ids(tmp_path):
    edges, nodes = write_tables(tmp_path)
    z = GraphSurgeon(progress=False).fit_transform(edges=edges, nodes=nodes)
    joined = pd.read_csv(nodes).join(z, on="customer_id")
    assert isinstance(z, pd.DataFrame) and len(joined) == 300
    assert np.isfinite(joined[z.columns].to_numpy()).all()


def test_a_polars_frame_gives_a_polars_frame(fitted):
    edges, nodes = pl.from_pandas(EDGE_TABLE), pl.from_pandas(NODE_TABLE)
    z = GraphSurgeon(progress=False).fit_transform(edges=edges, nodes=nodes)
    assert isinstance(z, pl.DataFrame) and z.columns[0] == "id"
    joined = nodes.join(z, left_on="customer_id", right_on="id")
    assert np.array_equal(joined[z.columns[1:]].to_numpy(), fitted.embeddings_.to_numpy())


def test_frames_have_ids_and_names_of_columns(fitted):
    assert fitted.ids_.tolist() == NODE_TABLE["customer_id"].tolist()
    assert fitted.embeddings_.index.tolist() == fitted.ids_.tolist()
    names = fitted.get_feature_names_out().tolist()
    assert fitted.embeddings_.columns.tolist() == names and names[0] == "graphsurgeon0"


def test_whole_number_ids_stay_numbers(tmp_path):
    nodes = NODE_TABLE.assign(customer_id=NODE_TABLE["customer_id"].str[1:].astype(int))
    edges = EDGE_TABLE.apply(lambda column: column.str[1:].astype(int))
    model = GraphSurgeon(progress=False).fit(edges=edges, nodes=nodes)
    assert model.embeddings_.index.dtype == np.int64
    assert nodes.join(model.embeddings_, on="customer_id").notna().iloc[:, -1].all()
    model.save(tmp_path / "run")
    assert GraphSurgeon.load(tmp_path / "run").ids_.dtype == np.int64


def test_the_type_of_the_output_can_be_chosen(fitted):
    model = clone(fitted).set_output(transform="polars")
    assert isinstance(clone(model).fit_transform(edges=EDGE_TABLE, nodes=NODE_TABLE), pl.DataFrame)
    for output, kind in (("numpy", np.ndarray), ("torch", torch.Tensor), ("pandas", pd.DataFrame)):
        model.set_output(transform="default").set_params(output=output, progress=False)
        assert isinstance(model.fit_transform(edges=EDGE_TABLE, nodes=NODE_TABLE), kind)
    with pytest.raises(UsageError, match="output is 'excel'"):
        model.set_output(transform="excel")


def test_graphs_that_are_no_tables_give_frames_too(graph, quick):
    x, edge_index, _ = graph
    z = quick(output="pandas").fit_transform((edge_index, x))
    assert z.index.tolist() == list(range(120)) and z.shape == (120, 16)


def test_new_tables_are_embedded_by_the_recipe(fitted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = fitted.transform(edges=EDGE_TABLE, nodes=NODE_TABLE)
    assert again.equals(fitted.embeddings_)
    shuffled = NODE_TABLE.sample(frac=1, random_state=0)[NODE_TABLE.columns[::-1]]
    z = fitted.transform(edges=EDGE_TABLE, nodes=shuffled)
    assert np.allclose(z.loc[again.index], again, atol=1e-5)
    strange = NODE_TABLE.assign(city="Nice")
    with pytest.warns(UserWarning, match="300 of unknown category"):
        fitted.transform(edges=EDGE_TABLE, nodes=strange)
    with pytest.raises(DataError, match="has no column 'age'"):
        fitted.transform(edges=EDGE_TABLE, nodes=NODE_TABLE.drop(columns="age"))


def test_tables_of_another_recipe_are_refused(fitted):
    other = read_tables(EDGE_TABLE, NODE_TABLE.assign(age=NODE_TABLE["age"] * 2))
    with pytest.raises(UsageError, match=r"read_tables\(..., like=model\)"):
        fitted.transform(other)
    like = read_tables(EDGE_TABLE, NODE_TABLE.assign(age=NODE_TABLE["age"] * 2), like=fitted)
    assert not np.allclose(fitted.transform(like), fitted.embeddings_)
    x = torch.from_numpy(other.x)
    with pytest.raises(DataError, match="not made by the recipe"):
        fitted.transform((np.stack([other.source, other.target]), x))


def test_a_loaded_run_knows_ids_and_recipe(fitted, tmp_path):
    fitted.save(tmp_path / "run")
    loaded = GraphSurgeon.load(tmp_path / "run")
    assert loaded.ids_.tolist() == fitted.ids_.tolist()
    assert loaded.transform(edges=EDGE_TABLE, nodes=NODE_TABLE).equals(fitted.embeddings_)


def test_a_table_alone_says_what_is_missing():
    with pytest.raises(UsageError, match="a table alone is no graph"):
        GraphSurgeon().fit(NODE_TABLE)
    with pytest.raises(UsageError, match="but not both"):
        GraphSurgeon().fit((EDGE_TABLE, NODE_TABLE), edges=EDGE_TABLE)


def test_a_pair_of_tables_is_a_graph(fitted):
    model = make_pipeline(GraphSurgeon(progress=False), StandardScaler())
    assert model.fit_transform((EDGE_TABLE, NODE_TABLE)).shape == fitted.embeddings_.shape


def test_networkx_nodes_are_the_ids():
    g = networkx.karate_club_graph()  # nodes have the attribute "club"
    model = GraphSurgeon(progress=False, output="pandas").fit(g)
    assert model.ids_.tolist() == list(g) and model.n_features_in_ == 2
    assert model.transform(g).index.tolist() == list(g)


def test_igraph_graphs_are_taken():
    import igraph

    g = igraph.Graph.Famous("Zachary")
    g.es["weight"] = range(1, g.ecount() + 1)
    g.vs["age"] = range(g.vcount())
    g.vs["name"] = [f"n{i}" for i in range(g.vcount())]
    model = GraphSurgeon(progress=False, output="pandas").fit(g)
    assert model.embeddings_.index.tolist() == g.vs["name"]
    plain = igraph.Graph.Famous("Zachary")
    z = GraphSurgeon(progress=False, make_features="degree").fit_transform(plain)
    assert z.shape[0] == 34


def test_cross_validation_takes_ids_of_nodes():
    graph = read_tables(EDGE_TABLE, NODE_TABLE.drop(columns="segment"))
    model = make_pipeline(
        GraphSurgeon(graph=graph, progress=False, output="numpy"), LogisticRegression(max_iter=500)
    )
    scores = cross_val_score(model, graph.ids, NODE_TABLE["segment"], cv=3)
    assert scores.shape == (3,) and scores.mean() > 0.5  # four segments


def test_with_a_graph_ids_name_rows(fitted):
    model = GraphSurgeon(graph=(EDGE_TABLE, NODE_TABLE), progress=False)
    some = NODE_TABLE["customer_id"].iloc[[7, 3]]
    z = model.fit_transform(some)
    assert z.index.tolist() == some.tolist()
    assert z.equals(fitted.embeddings_.loc[some])
    assert model.transform().equals(fitted.embeddings_)
    with pytest.raises(UsageError, match="no node 'nobody'"):
        model.transform(["nobody"])
    assert repr(model) == "GraphSurgeon(graph=<tuple>, progress=False)"
    assert clone(model).graph is model.graph


def test_targets_of_a_regression_are_not_refused(graph, quick):
    x, edge_index, _ = graph
    target = np.random.default_rng(0).random(120)
    assert np.array_equal(
        quick().fit_transform((edge_index, x), target), quick().fit_transform((edge_index, x))
    )
    with pytest.raises(DataError, match="fractions"):
        quick(select="val").fit((edge_index, x), target)


def test_a_graph_of_tables_prints_what_was_decided():
    graph = read_tables(EDGES, nodes_of(v=[1, 2, 4]))
    assert repr(graph).splitlines()[1] == "edges: edges from 'source' to 'target'"
    assert "  v: number, scaled: 1 to 4" in repr(graph).splitlines()


def test_in_cross_validation_only_labels_of_the_fold_are_read():
    """A supervised method with `graph` learns from y, even if the graph has labels of its own."""
    graph = read_tables(EDGE_TABLE, NODE_TABLE, label_column="segment")
    some = graph.ids[:200]
    y = np.array(["one", "two"] * 100)
    model = GraphSurgeon(graph=graph, progress=False, select="val", epochs=2, dim=8, aug_dim=16)
    model.fit(some, y)
    labels, names = model._labels
    assert names == ["one", "two"]
    assert (labels[:200] >= 0).all() and (labels[200:] < 0).all()
