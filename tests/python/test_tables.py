"""Graphs from tables: what columns become, which forms are read, what is refused.

Long because each mistake in a table is a case.
"""

import gzip
import os

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest
from tables import EDGES, made_up, nodes_of, write_tables

from graphsurgeon import DataError, Error, UsageError, read_network, read_tables


def features(**columns):
    """The features that columns of three nodes become, by name."""
    graph = read_tables(EDGES, nodes_of(**columns))
    return dict(zip(graph.feature_names, graph.x.T.tolist()))


def test_numbers_have_mean_0_and_variance_1():
    values = features(age=[1, 2, 3])["age"]
    assert values == pytest.approx([-(1.5**0.5), 0, 1.5**0.5])


def test_a_missing_number_is_the_mean_and_marked():
    found = features(age=[1, None, 3])
    assert found["age"] == pytest.approx([-1, 0, 1])
    assert found["age=(missing)"] == [0, 1, 0]


def test_skewed_numbers_are_scaled_by_their_logarithm():
    revenue = np.exp(np.arange(100) / 8)
    edges = {"source": np.arange(99), "target": np.arange(1, 100)}
    graph = read_tables(edges, {"id": np.arange(100), "revenue": revenue})
    logs = np.log1p(revenue)
    assert np.allclose(graph.x[:, 0], (logs - logs.mean()) / logs.std(), atol=1e-6)
    assert "  revenue: number, logarithm scaled: 1 to 236807" in graph.notes


def test_categories_have_a_column_each():
    found = features(city=["Oslo", "Rome", "Oslo"])
    assert found == {"city=Oslo": [1, 0, 1], "city=Rome": [0, 1, 0]}


def test_a_missing_category_has_a_column_of_its_own():
    found = features(city=["Oslo", None, "Rome"])
    assert found["city=(missing)"] == [0, 1, 0]


def test_rare_categories_share_a_column():
    cities = ["Oslo"] * 150 + ["Rome"] * 148 + ["Bergen", "Nice"]
    edges = {"source": range(299), "target": range(1, 300)}
    graph = read_tables(edges, {"id": range(300), "city": cities})
    assert graph.feature_names == ["city=Oslo", "city=Rome", "city=(other)"]
    assert graph.x[:, 2].sum() == 2
    assert any("the 2 rarest as (other)" in line for line in graph.notes)


def test_booleans_are_0_and_1_as_words_too():
    assert features(paid=[True, False, True])["paid"] == [1, 0, 1]
    assert features(paid=["yes", "no", "yes"])["paid"] == [1, 0, 1]


def test_a_date_is_a_scaled_number_of_days():
    days = features(since=["2020-01-01", "2020-01-02", "2020-01-03"])["since"]
    assert days == pytest.approx([-(1.5**0.5), 0, 1.5**0.5])
    times = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    assert features(since=times)["since"] == pytest.approx(days)


def test_hours_from_utc_count():
    moments = ["2020-01-01T02:00:00+02:00", "2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"]
    found = features(at=moments)["at"]
    assert found[0] == found[1] < found[2]


def test_lists_of_numbers_are_columns_scaled_together():
    found = features(vector=[[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
    assert found["vector[0]"] == [0, 0, 0]
    assert np.var(found["vector[1]"]) == pytest.approx(2)


def test_constant_and_empty_columns_are_left_out_and_said():
    graph = read_tables(EDGES, nodes_of(age=[1, 2, 3], country=["EU"] * 3, note=[None] * 3))
    assert graph.feature_names == ["age"]
    assert "  country: left out: every value is 'EU'" in graph.notes
    assert "  note: left out: every value is missing" in graph.notes


def test_codes_with_leading_zeros_are_words():
    assert list(features(code=["007", "123", "007"])) == ["code=007", "code=123"]


def test_numbers_are_words_where_asked():
    graph = read_tables(EDGES, nodes_of(plan=[1, 2, 1]), categories=["plan"])
    assert graph.feature_names == ["plan=1", "plan=2"]


def test_labels_are_classes_and_no_features():
    graph = read_tables(EDGES, nodes_of(age=[1, 2, 3], label=["x", None, "w"]))
    assert graph.feature_names == ["age"]
    assert graph.recipe.classes == ["w", "x"]
    assert graph.labels.tolist() == [1, -1, 0]
    assert read_tables(EDGES, nodes_of(label=[1, 2, 3]), label_column=None).labels is None


def test_classes_that_are_numbers_are_in_their_order():
    graph = read_tables(EDGES, nodes_of(age=[1, 2, 3], label=[10, 9, 10]))
    assert graph.recipe.classes == ["9", "10"]


def test_fractions_are_no_classes():
    graph = read_tables(EDGES, nodes_of(age=[1, 2, 3], label=[0.5, 1.5, 2]))
    assert graph.labels is None and graph.feature_names == ["age"]


# Ids and edges


def test_whole_numbers_are_ids_whatever_their_type():
    nodes = {"id": ["3", "1", "2"], "age": [30, 10, 20]}
    graph = read_tables({"source": [1.0, 2.0], "target": [2, 3]}, nodes)
    assert graph.ids.tolist() == [3, 1, 2] and graph.ids.dtype == np.int64
    assert (graph.source.tolist(), graph.target.tolist()) == ([1, 2], [2, 0])


def test_an_id_keeps_its_leading_zeros(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\n01,1\n")
    (tmp_path / "nodes.csv").write_text("id,age\n1,10\n01,20\n")
    graph = read_tables(tmp_path / "edges.csv", tmp_path / "nodes.csv")
    assert graph.ids.tolist() == ["1", "01"]
    assert graph.source.tolist() == [1]


@pytest.mark.parametrize(
    "names",
    [
        ("source", "target"),
        ("src", "dst"),
        ("from_id", "to_id"),
        ("customerFrom", "customerTo"),
        ("id1", "id2"),
        ("user_a", "user_b"),
        ("x", "y"),  # the first two
    ],
)
def test_ends_of_edges_are_guessed_by_name(names):
    rows = {names[0]: ["a", "b"], names[1]: ["b", "c"]}
    graph = read_tables(
        dict(reversed(rows.items())) if names[0] != "x" else rows, nodes_of(v=[1, 2, 4])
    )
    assert (graph.source.tolist(), graph.target.tolist()) == ([0, 1], [1, 2])
    assert f"edges from '{names[0]}' to '{names[1]}'" in graph.notes[0]


def test_weights_are_guessed_by_name_and_other_columns_said():
    graph = read_tables(EDGES | {"weight": [2, 3], "since": [1, 2]}, nodes_of(v=[1, 2, 4]))
    assert graph.weight.tolist() == [2, 3]
    assert "weight 'weight'; not used: 'since'" in graph.notes[0]


def test_edges_are_undirected_unless_asked_and_it_is_said():
    from graphsurgeon import load_dataset

    graph = read_tables(EDGES, nodes_of(v=[1, 2, 4]))
    assert "2 edges, taken as undirected" in graph.notes[-1]
    assert load_dataset(graph).edges == 4
    graph = read_tables(EDGES, nodes_of(v=[1, 2, 4]), directed=True)
    assert "2 edges, directed" in graph.notes[-1]
    assert load_dataset(graph).edges == 2


def test_a_file_without_names_of_columns_loses_no_edge(tmp_path):
    for first, nodes in (
        ("a,b", nodes_of(v=[1, 2, 4])),
        ("1,2", {"id": [1, 2, 3], "v": [1, 2, 4]}),
    ):
        second = "b,c" if first == "a,b" else "2,3"
        (tmp_path / "edges.csv").write_text(f"{first}\n{second}\n")
        graph = read_tables(tmp_path / "edges.csv", nodes)
        assert graph.source.tolist() == [0, 1]
        assert "the file has no names of columns" in graph.notes[0]


def test_small_whole_numbers_are_never_taken_for_ids():
    table = {"age": [0, 1, 2], "plan": [1, 0, 2]}
    with pytest.raises(DataError, match="which column holds the ids"):
        read_tables([(0, 1), (1, 2)], table)
    graph = read_tables([(0, 1), (1, 2)], table, id_column="row")
    assert graph.feature_names == ["age", "plan"]
    assert "nodes: ids are the numbers of the rows, from 0" in graph.notes


def test_the_ids_of_two_candidates_are_those_that_edges_name():
    nodes = {"id": [1, 2, 3], "customer_id": ["a", "b", "c"], "v": [1, 2, 4]}
    assert read_tables(EDGES, nodes).ids.tolist() == ["a", "b", "c"]


def test_without_edges_the_nearest_nodes_are_joined():
    nodes = {"id": list("abcd"), "v": [0.0, 1.0, 10.0, 11.0]}
    graph = read_tables(nodes=nodes, knn=1)
    assert graph.source.tolist() == [0, 1, 2, 3] and graph.target.tolist() == [1, 0, 3, 2]


# Forms


def test_every_form_gives_the_same_features_and_recipe(tmp_path):
    edges, nodes = made_up()
    files = write_tables(tmp_path)
    wanted = read_tables(*files)
    assert wanted.x.shape == (300, 15)
    edges.to_parquet(tmp_path / "calls.parquet")
    nodes.to_parquet(tmp_path / "customers.parquet")
    pa.feather.write_feather(pa.table(nodes), tmp_path / "customers.arrow")
    with gzip.open(tmp_path / "customers.csv.gz", "wt") as file:
        nodes.to_csv(file, index=False)
    forms = [
        (edges, nodes),
        (edges, nodes.set_index("customer_id")),
        (pl.from_pandas(edges), pl.from_pandas(nodes)),
        (pl.from_pandas(edges).lazy(), pl.scan_csv(files[1], try_parse_dates=True)),
        (pa.table(edges), pa.table(nodes)),
        (duckdb.sql("from edges"), duckdb.sql(f"from '{files[1]}'")),
        (tmp_path / "calls.parquet", tmp_path / "customers.parquet"),
        (tmp_path / "calls.parquet", tmp_path / "customers.arrow"),
        (files[0], tmp_path / "customers.csv.gz"),
        (edges.values.tolist(), nodes.to_dict("list")),
    ]
    for form in forms:
        graph = read_tables(*form)
        assert np.array_equal(graph.x, wanted.x), type(form[1])
        assert np.array_equal(graph.source, wanted.source)
        columns = [column.to_json() for column in graph.recipe.columns]
        assert columns == [column.to_json() for column in wanted.recipe.columns]
        assert graph.ids.tolist() == nodes["customer_id"].tolist()


def test_networks_with_attributes_are_tables_too():
    import igraph
    import networkx

    g = networkx.DiGraph()
    g.add_nodes_from([("a", {"age": 1, "label": "u"}), (2, {"age": 2}), ((3, 4), {"label": "v"})])
    g.add_weighted_edges_from([("a", 2, 1.0), (2, (3, 4), 5.0)])
    graph = read_network(g)
    assert graph.ids.tolist() == ["a", 2, (3, 4)]
    assert graph.feature_names == ["age", "age=(missing)"]
    assert graph.labels.tolist() == [0, -1, 1] and graph.directed
    assert graph.weight.tolist() == [1, 5]
    h = igraph.Graph(edges=[(0, 1), (1, 2)])
    h.vs["name"], h.vs["age"] = ["x", "y", "z"], [1, 2, 3]
    graph = read_network(h)
    assert graph.ids.tolist() == ["x", "y", "z"] and not graph.directed
    assert graph.feature_names == ["age"]


# The recipe


def test_new_tables_are_encoded_by_the_recipe_of_the_first():
    first = read_tables(EDGES, nodes_of(age=[1, 2, 3], city=["Oslo", "Rome", "Rome"]))
    new = {"id": ["p", "q"], "city": ["Nice", None], "age": [5, None]}
    graph = read_tables([("p", "q")], new, like=first.recipe)
    assert graph.feature_names == ["age", "city=Oslo", "city=Rome"]
    assert graph.x[0].tolist() == pytest.approx([3 * 1.5**0.5, 0, 0])
    assert graph.x[1].tolist() == [0, 0, 0]
    assert graph.warnings == [
        "nodes: age: 1 missing, taken as the mean",
        "nodes: city: 1 of unknown category (such as 'Nice'), encoded as none",
        "nodes: city: 1 missing, encoded as no category",
    ]
    assert graph.recipe.to_text() == first.recipe.to_text()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"city": ["x", "y"]}, "has no column 'age', which the training table had"),
        ({"age": [1, 2], "city": ["x", "y"], "more": [1, 2]}, "column 'more' was not in"),
        ({"age": ["u", "v"], "city": ["x", "y"]}, "column 'age': 'u' is no number"),
        ({"age": [True, True], "city": [True, [1]]}, "column 'city'"),
    ],
)
def test_new_tables_have_the_same_columns(columns, message):
    first = read_tables(EDGES, nodes_of(age=[1, 2, 3], city=["Oslo", "Rome", "Rome"]))
    with pytest.raises(DataError, match=message):
        read_tables([("p", "q")], {"id": ["p", "q"], **columns}, like=first.recipe)


def test_the_recipe_is_the_same_after_json():
    from graphsurgeon.tables import Recipe

    edges, nodes = made_up()
    graph = read_tables(edges, nodes)
    again = Recipe.from_text(graph.recipe.to_text(), "recipe.json")
    assert np.array_equal(read_tables(edges, nodes, like=again).x, graph.x)


# Refused


def many(**columns):
    return {"id": range(100), **columns}


CHAIN = [(i, i + 1) for i in range(99)]
REFUSED = [
    ([("a", "z")], nodes_of(v=[1, 2, 4]), "edges, row 1: target 'z' is not an id of nodes"),
    (EDGES, {"id": ["a", "b", "a"], "v": [1, 2, 4]}, "nodes, row 3: id 'a' is also in row 1"),
    (EDGES, {"id": ["a", None, "c"], "v": [1, 2, 4]}, "nodes, row 2: has no id in 'id'"),
    ([("a", None)], nodes_of(v=[1, 2, 4]), "edges, row 1: has no target"),
    (EDGES, nodes_of(age=["1", "old", "3"]), "row 2: column 'age' has numbers and text: 'old'"),
    (EDGES, pd.DataFrame(nodes_of(age=[1, "old", 3])), "has numbers and text: 'old'"),
    (EDGES, {"id": [], "v": []}, "nodes: has no rows"),
    (EDGES, {"id": ["a", "b", "c"]}, "nodes: has no column that is a feature"),
    ({"source": ["a"]}, nodes_of(v=[1, 2, 4]), "edges: has one column, 'source'"),
    ({"p": ["a"], "q": ["b"], "r": [1], "s": [2]}, nodes_of(v=[1, 2, 4]), "which columns are"),
    (EDGES | {"weight": [1, -1]}, nodes_of(v=[1, 2, 4]), "row 2: the weight is -1"),
    (EDGES | {"weight": [1, None]}, nodes_of(v=[1, 2, 4]), "row 2: the weight is missing"),
    (EDGES, nodes_of(v=[1, float("inf"), 2]), "row 2: column 'v' is infinite"),
    (EDGES, nodes_of(v=np.array([1j, 2, 3])), "column 'v' holds complex128"),
    (EDGES, nodes_of(v=[b"x", b"y", b"z"]), "column 'v' holds bytes"),
    (EDGES, nodes_of(v=["2020-01-01", "2020-02-30", None]), "'2020-02-30' is not a date"),
    (EDGES, nodes_of(v=[[1.0], [1.0, 2.0], [1.0]]), "lists of several lengths"),
    (CHAIN, many(n=[f"a text of many words, {i}" for i in range(100)]), "holds free text: 100"),
    (CHAIN, many(n=[f"name{i}" for i in range(100)]), "column 'n' holds text: 100 different"),
    (3, nodes_of(v=[1, 2, 4]), "edges: cannot read int as a table"),
]


@pytest.mark.parametrize(("edges", "nodes", "message"), REFUSED)
def test_what_cannot_be_a_graph_is_refused_in_one_line(edges, nodes, message):
    with pytest.raises(DataError) as caught:
        read_tables(edges, nodes)
    assert message in caught.value.message
    assert "\n" not in caught.value.message and caught.value.hint


def test_edges_to_unknown_ids_are_dropped_where_asked():
    edges = [("a", "b"), ("b", "z"), ("z", "c")]
    graph = read_tables(edges, nodes_of(v=[1, 2, 4]), unknown_ids="drop")
    assert graph.source.tolist() == [0] and graph.target.tolist() == [1]
    assert "edges: 2 edges to unknown ids dropped" in graph.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "has no rows"),
        (b"id,age\n", "has no rows"),
        (b"id,city\na,Malm\xf6\n", "is not UTF-8 text"),
        (b"id,age\na,1\nb,2,3\n", "Expected 2 columns, got 3"),
        (b"id,age,age\na,1,2\n", "two columns named 'age'"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path, text, message):
    (tmp_path / "nodes.csv").write_bytes(text)
    with pytest.raises(DataError, match=message) as caught:
        read_tables(EDGES, tmp_path / "nodes.csv")
    assert str(tmp_path / "nodes.csv") in caught.value.message


def test_a_place_in_a_file_is_a_line(tmp_path):
    (tmp_path / "nodes.csv").write_text("id,age\na,1\nb,2\na,3\n")
    with pytest.raises(DataError, match=r"nodes.csv:4: id 'a' is also in row 2"):
        read_tables(EDGES, tmp_path / "nodes.csv")


def test_options_that_contradict_are_usage_errors():
    nodes = nodes_of(v=[1, 2, 4])
    for keywords in (
        {"nodes": nodes},
        {"edges": EDGES, "nodes": nodes, "knn": 2},
        {"nodes": nodes, "knn": 3},
        {"edges": EDGES, "nodes": nodes, "unknown_ids": "x"},
        {"edges": EDGES, "nodes": nodes, "id_column": "idd"},
        {"edges": EDGES, "nodes": nodes, "source_column": "source", "target_column": "source"},
    ):
        with pytest.raises(UsageError):
            read_tables(**keywords)


def test_paths_need_not_be_utf8(tmp_path):
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    for name, text in (
        (b"edges.csv", "source,target\na,b\nb,c\n"),
        (b"nodes.csv", "id,v\na,1\nb,2\n"),
    ):
        with open(folder + b"/" + name, "w") as file:
            file.write(text)
    name = os.fsdecode(folder)
    with pytest.raises(Error, match="is not an id of"):
        read_tables(f"{name}/edges.csv", f"{name}/nodes.csv")


def test_an_index_holds_ids_unless_it_only_numbers_rows():
    nodes = pd.DataFrame({"id": ["c", "a", "b"], "v": [4, 1, 2]}, index=[7, 3, 5])
    graph = read_tables(EDGES, nodes)
    assert graph.ids.tolist() == ["c", "a", "b"] and graph.feature_names == ["v"]
    plain = nodes.drop(columns="id")
    assert read_tables([(7, 3), (3, 5)], plain).ids.tolist() == [7, 3, 5]
    named = nodes.set_index("id")
    assert read_tables(EDGES, named).ids.tolist() == ["c", "a", "b"]
    chosen = pd.DataFrame(EDGES | {"keep": [True, True]}).iloc[[1, 0]].drop(columns="keep")
    assert read_tables(chosen, nodes).source.tolist() == [2, 1]


def test_row_numbers_that_pandas_writes_to_parquet_are_no_column(tmp_path):
    nodes = pd.DataFrame({"id": ["c", "a", "b"], "v": [4, 1, 2]}, index=[7, 3, 5])
    nodes.to_parquet(tmp_path / "nodes.parquet")
    assert read_tables(EDGES, tmp_path / "nodes.parquet").feature_names == ["v"]
