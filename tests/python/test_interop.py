"""Every way to hold a graph gives the same dataset."""

import networkx
import numpy as np
import pytest
import scipy.sparse
import torch
from conftest import SMALL
from torch_geometric.data import Data, HeteroData
from torch_geometric.utils import to_networkx

import graphsurgeon
from graphsurgeon import DataError, UsageError, interop


def embed(quick, data, **keywords):
    return quick(**keywords).fit_transform(data)


@pytest.fixture(scope="module")
def wanted(graph):
    x, edge_index, _ = graph
    return graphsurgeon.GraphSurgeon(**SMALL).fit_transform((edge_index, x))


def adjacency(graph):
    _, edge_index, y = graph
    return scipy.sparse.coo_matrix(
        (np.ones(edge_index.shape[1]), edge_index.numpy()), (len(y), len(y))
    )


def ways(graph):
    x, edge_index, y = graph
    shuffled = edge_index[
        :, torch.randperm(edge_index.shape[1], generator=torch.Generator().manual_seed(1))
    ]
    yield "Data", Data(x=x, edge_index=edge_index, y=y)
    yield "Data in any order", Data(x=x, edge_index=shuffled)
    yield "Data with repeats", Data(x=x, edge_index=torch.cat([edge_index, edge_index[:, :9]], 1))
    entries = torch.sparse_coo_tensor(
        edge_index.flip(0), torch.ones(edge_index.shape[1]), (len(x), len(x))
    )
    yield "Data with adj_t", Data(x=x, adj_t=entries.coalesce().to_sparse_csr())
    yield "arrays", (edge_index.numpy(), x.numpy())
    yield "lists", (edge_index.tolist(), x.tolist())
    yield "32-bit ids, doubles", (edge_index.int(), x.double())
    yield "columns first", (edge_index, np.asfortranarray(x.numpy()))
    yield "sparse x", (edge_index, scipy.sparse.csr_matrix(x.numpy()))
    yield "sparse x of torch", (edge_index, x.to_sparse())
    for kind in ("csr", "csc", "coo", "lil"):
        yield f"scipy {kind}", (adjacency(graph).asformat(kind), x)
    yield "scipy array", (scipy.sparse.csr_array(adjacency(graph)), x.numpy())
    yield "networkx", to_networkx(Data(x=x, edge_index=edge_index), node_attrs=["x"])
    yield "networkx and x", (to_networkx(Data(x=x, edge_index=edge_index), to_undirected=True), x)
    yield (
        "OGB",
        {
            "edge_index": edge_index.numpy(),
            "node_feat": x.numpy(),
            "num_nodes": len(x),
            "edge_feat": None,
        },
    )
    yield (
        "OGB with labels",
        ({"edge_index": edge_index.numpy(), "node_feat": x.numpy()}, y.numpy()[:, None]),
    )


def test_every_form_gives_the_same_embeddings(graph, quick, wanted):
    names = []
    for name, data in ways(graph):
        assert torch.equal(embed(quick, data), wanted), name
        names.append(name)
    assert len(names) == 19


def test_an_edge_goes_from_source_to_target(quick):
    """0 -> 1 in every form: node 1 receives from node 0, and not the other way round."""
    x = torch.eye(3)
    edge_index = torch.tensor([[0, 1], [1, 2]])
    wanted = embed(quick, (edge_index, x))
    assert not torch.equal(wanted, embed(quick, (edge_index.flip(0), x)))
    matrix = scipy.sparse.csr_matrix(([1.0, 1.0], edge_index.numpy()), (3, 3))
    assert torch.equal(wanted, embed(quick, (matrix, x)))
    directed = networkx.DiGraph([(0, 1), (1, 2)])
    assert torch.equal(wanted, embed(quick, (directed, x)))
    transposed = (
        torch.sparse_coo_tensor(edge_index.flip(0), torch.ones(2), (3, 3))
        .coalesce()
        .to_sparse_csr()
    )
    assert torch.equal(wanted, embed(quick, Data(x=x, adj_t=transposed)))
    both = embed(quick, (edge_index, x), symmetrize="yes")
    assert torch.equal(both, embed(quick, (networkx.path_graph(3), x)))


def test_weights_count_in_every_form(quick):
    x = torch.eye(4)
    edge_index = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
    weight = torch.tensor([0.5, 2.0, 1.0, 3.0])
    wanted = embed(quick, Data(x=x, edge_index=edge_index, edge_weight=weight))
    assert not torch.equal(wanted, embed(quick, (edge_index, x)))
    matrix = scipy.sparse.csc_matrix((weight.numpy(), edge_index.numpy()), (4, 4))
    assert torch.equal(wanted, embed(quick, (matrix, x)))
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(4))
    graph.add_weighted_edges_from(
        [(u, v, w) for (u, v), w in zip(edge_index.T.tolist(), weight.tolist())]
    )
    assert torch.equal(wanted, embed(quick, (graph, x)))


def test_names_of_nodes_are_kept(quick, tmp_path):
    graph = networkx.Graph([("ada", "ben"), ("ben", "cleo")])
    dataset = graphsurgeon.load_dataset((graph, np.eye(3)))
    assert dataset.node_ids == ["ada", "ben", "cleo"]
    quick().fit((graph, np.eye(3)), run=tmp_path / "run")
    assert (tmp_path / "run" / "ids.txt").read_text().split() == ["ada", "ben", "cleo"]


def test_a_dataset_is_loaded_once_for_several_trainings(graph, quick, wanted):
    x, edge_index, y = graph
    dataset = graphsurgeon.load_dataset(Data(x=x, edge_index=edge_index, y=y))
    assert (dataset.nodes, dataset.edges, dataset.features, dataset.classes) == (
        120,
        edge_index.shape[1],
        40,
        3,
    )
    assert torch.equal(embed(quick, dataset), wanted)
    assert torch.equal(quick().fit(dataset).transform(dataset), wanted)


def test_paths_and_generators_are_taken(quick):
    z = embed(quick, "sbm:nodes=60,classes=2,features=8")
    assert z.shape == (60, 16)
    with pytest.raises(DataError, match="did you mean the dataset 'photo'"):
        embed(quick, "phoot")


def test_masks_are_the_splits(graph, quick):
    x, edge_index, y = graph
    masks = {
        f"{part}_mask": torch.arange(120) % 3 == i
        for i, part in enumerate(("train", "val", "test"))
    }
    data = Data(x=x, edge_index=edge_index, y=y, **masks)
    assert graphsurgeon.load_dataset(data).splits == 1
    wide = {name: torch.stack([mask, mask.roll(1)], 1) for name, mask in masks.items()}
    assert graphsurgeon.load_dataset(Data(x=x, edge_index=edge_index, y=y, **wide)).splits == 2
    quick(select="val", splits="own").fit(data)
    overlapping = Data(
        x=x, edge_index=edge_index, y=y, **(masks | {"val_mask": masks["train_mask"]})
    )
    with pytest.raises(DataError, match="masks"):
        graphsurgeon.load_dataset(overlapping)


def test_labels_of_several_kinds(graph):
    x, edge_index, y = graph

    def load(labels):
        return graphsurgeon.load_dataset(Data(x=x, edge_index=edge_index, y=labels))

    assert load(y).task == "mcc"
    assert load(y % 2).task == "bc"
    assert load(y.float()[:, None]).classes == 3
    assert load(torch.nn.functional.one_hot(y)).task == "mlc"
    assert load(torch.where(y == 0, torch.nan, y.float())).classes == 3
    with pytest.raises(DataError, match="y: 60 labels for 120 nodes"):
        load(y[:60])


def test_memory_is_shared_where_the_layout_allows(graph):
    x, edge_index, _ = graph
    dense = x.numpy()
    assert np.shares_memory(interop._features(dense)["x"], dense)
    assert np.shares_memory(interop._features(x)["x"], dense)
    assert np.shares_memory(interop._edges(edge_index)["source"], edge_index.numpy())
    columns = adjacency(graph).tocsc()
    assert np.shares_memory(interop._scipy(columns)["neighbors"], columns.indices)
    rows = scipy.sparse.csr_matrix(dense)
    assert np.shares_memory(interop._features(rows)["x"], rows.data)
    assert np.shares_memory(interop._features(rows)["x_indices"], rows.indices)


def test_arrays_outlive_their_names(quick):
    """The dataset keeps what it views."""
    rng = np.random.default_rng(0)

    def load():
        return graphsurgeon.load_dataset(
            (rng.integers(0, 200, (2, 2000)), rng.random((200, 50), np.float32))
        )

    dataset = load()
    for _ in range(5):
        rng.random((200, 50), np.float32)
    first = embed(quick, dataset)
    assert torch.isfinite(first).all() and torch.equal(first, embed(quick, dataset))


def test_mostly_zero_features_are_kept_sparse(graph):
    x, edge_index, _ = graph
    assert not graphsurgeon.load_dataset((edge_index, x)).sparse
    assert graphsurgeon.load_dataset((edge_index, torch.eye(120))).sparse


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda x, e: (e[:, :0], x[:0]), "fewer than two nodes"),
        (lambda x, e: (e + 1, x), "names node 120, but there are 120 nodes"),
        (lambda x, e: (e - 1, x), "names node -1"),
        (lambda x, e: (e + 2**40, x), "names node"),
        (lambda x, e: (e.float(), x), "expected integers"),
        (lambda x, e: (e.T, x), r"expected \(2, M\)"),
        (lambda x, e: (e, x[:, 0]), r"expected \(N, F\)"),
        (lambda x, e: (e, torch.full_like(x, torch.nan)), "not finite"),
        (lambda x, e: e, "has no features"),
        (lambda x, e: Data(x=x), "neither edge_index nor adj_t"),
        (lambda x, e: Data(x=x, edge_index=e, edge_weight=torch.ones(3)), "3 edge weights"),
        (
            lambda x, e: Data(x=x, edge_index=e, edge_weight=-torch.ones(e.shape[1])),
            "not a finite number of 0 or more",
        ),
        (lambda x, e: {"x": 3}, "no 'edge_index'"),
        (lambda x, e: (scipy.sparse.eye(3, 4), x), "must be square"),
        (lambda x, e: (scipy.sparse.eye(7).tocsr(), x), "120 feature rows for 7 nodes"),
    ],
)
def test_invalid_graphs_are_refused(graph, quick, data, message):
    x, edge_index, _ = graph
    with pytest.raises(DataError, match=message):
        quick().fit(data(x, edge_index))


def test_unsupported_graphs_are_refused(graph, quick):
    x, edge_index, _ = graph
    with pytest.raises(UsageError, match="several node types"):
        quick().fit(HeteroData())
    with pytest.raises(UsageError, match="features_file: applies to files"):
        quick(features_file="x.npy").fit((edge_index, x))


def test_features_are_made_where_there_are_none(graph, quick):
    assert embed(quick, graph[1], make_features="degree").shape == (120, 16)


def test_made_features_follow_the_seed(graph, quick):
    def embed_with(random_state):
        data = graphsurgeon.load_dataset(
            graph[1], make_features="random", random_state=random_state
        )
        return embed(quick, data)

    assert torch.equal(embed_with(np.random.default_rng(3)), embed_with(np.random.default_rng(3)))
    assert not torch.equal(embed_with(1), embed_with(2))


def test_a_dataset_has_labels_and_degrees():
    edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    one = graphsurgeon.load_dataset(
        Data(x=torch.eye(4), edge_index=torch.from_numpy(edges), y=torch.tensor([2, 0, -1, 1]))
    )
    assert one.labels.tolist() == [2, 0, -1, 1] and one.degrees.tolist() == [1, 2, 1, 0]
    with pytest.raises(ValueError, match="read-only"):
        one.labels[0] = 1
    several = torch.tensor([[1.0, 0], [0, 1], [1, 1], [0, 0]])
    labels = graphsurgeon.load_dataset(
        Data(x=torch.eye(4), edge_index=torch.from_numpy(edges), y=several)
    ).labels
    assert labels.tolist() == several.int().tolist()  # and it outlives its dataset
    assert graphsurgeon.load_dataset((edges, np.eye(4))).labels is None


def test_labels_and_sparse_tensors_beside_a_graph(graph, quick, wanted):
    x, edge_index, y = graph
    assert torch.equal(embed(quick, (edge_index, x, y)), wanted)
    adjacency = torch.sparse_coo_tensor(
        edge_index, torch.ones(edge_index.shape[1]), (len(x), len(x))
    )
    assert torch.equal(embed(quick, (adjacency, x)), wanted)
    assert torch.equal(embed(quick, (edge_index, x.bfloat16())), wanted)  # of zeros and ones


def test_names_of_classes_are_kept(graph):
    x, edge_index, y = graph
    data = graphsurgeon.load_dataset((edge_index, x), [f"class {c}" for c in y.tolist()])
    assert data.class_names == ["class 0", "class 1", "class 2"]


class NAType:
    """As pandas' NA, which is neither equal nor unequal to itself."""

    def __ne__(self, other):
        raise TypeError("boolean value of NA is ambiguous")


@pytest.mark.parametrize(
    "y",
    [
        ["b", None, "a"],
        ["b", float("nan"), "a"],
        np.array(["b", np.float32("nan"), "a"], dtype=object),
        np.array(["b", NAType(), "a"], dtype=object),
    ],
    ids=["None", "NaN", "object array", "pandas' NA"],
)
def test_a_name_that_is_missing_is_no_class(y):
    data = graphsurgeon.load_dataset((np.array([[0, 1], [1, 2]]), np.eye(3)), y)
    assert data.class_names == ["a", "b"]
    assert data.labels.tolist() == [1, -1, 0]


@pytest.mark.parametrize("y", [[1, None, 0], [1, float("nan"), 0], np.array([1, NAType(), 0])])
def test_a_class_id_that_is_missing_is_no_class(y):
    data = graphsurgeon.load_dataset((np.array([[0, 1], [1, 2]]), np.eye(3)), y)
    assert data.classes == 2 and data.labels.tolist() == [1, -1, 0]


def test_a_name_that_is_missing_among_a_graphs_nodes_is_no_class():
    graph = networkx.path_graph(3)
    networkx.set_node_attributes(graph, {0: "b", 1: float("nan"), 2: "a"}, "y")
    data = graphsurgeon.load_dataset((graph, np.eye(3)))
    assert data.class_names == ["a", "b"] and data.labels.tolist() == [1, -1, 0]


def test_rows_of_labels_are_known_or_not():
    edges, nan = np.array([[0, 1], [1, 2]]), float("nan")
    data = graphsurgeon.load_dataset((edges, np.eye(3)), [[1, 0], [nan, nan], [0, 1]])
    assert data.labels.tolist() == [[1, 0], [255, 255], [0, 1]]
    for y in ([[1, 0], [nan, 1], [0, 1]], [[1, 0], [None, 1], [0, 1]], [[1, 0], [-1, 1], [0, 1]]):
        with pytest.raises(DataError, match="the labels of node 1 are known in part .hint: "):
            graphsurgeon.load_dataset((edges, np.eye(3)), y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (lambda y: [["a", "b"]] * len(y), "zeros and ones"),
        (lambda y: y + 0.5, "fractions"),
        (lambda y: y + 3_000_000_000, "3000000002"),
        (lambda y: torch.stack([y, y], 1), "zeros and ones"),
    ],
)
def test_labels_that_cannot_be_are_refused(graph, y, message):
    x, edge_index, labels = graph
    with pytest.raises(DataError, match=message):
        graphsurgeon.load_dataset((edge_index, x), y(labels))


def test_masks_of_another_length_are_refused(graph):
    x, edge_index, y = graph
    mask = torch.zeros(50, dtype=torch.bool)
    with pytest.raises(DataError, match="masks of 120 nodes"):
        graphsurgeon.load_dataset(
            Data(x=x, edge_index=edge_index, y=y, train_mask=mask, val_mask=mask, test_mask=mask)
        )


def test_labels_beside_a_file_are_refused(graph):
    with pytest.raises(UsageError, match="from memory only"):
        graphsurgeon.load_dataset("sbm:nodes=100", graph[2])
