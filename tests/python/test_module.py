"""The trained model as a PyTorch module gives our embeddings."""

import pytest
import safetensors.torch
import torch
from conftest import planted, run_python
from torch_geometric.data import Data

import graphsurgeon
from graphsurgeon import DataError, torch_module

SHAPES = [
    {"mode": mode, "encoder": encoder, "norm": norm, "skip": skip}
    for mode in ("pre", "post")
    for encoder in ("gcn", "sage")
    for norm in ("none", "batch", "layer")
    for skip in ("none", "sum", "linear")
]
OTHERS = [
    {"layers": 1},
    {"layers": 3, "skip": "sum"},
    {"head_layers": 2},
    {"mode": "post", "head_layers": 3},
    {"combine": "mean"},
    {"combine": "sum"},
    {"combine": "first"},
    {"asymmetric": True},
    {"mode": "post", "asymmetric": True},
    {"kernels": "torch"},
]


def directed_weighted():
    """Some loops, one-way edges, weights: nothing about it is symmetric."""
    x, edge_index, _ = planted(60, width=13, seed=3)
    keep = torch.rand(edge_index.shape[1], generator=torch.Generator().manual_seed(2)) < 0.6
    edge_index = torch.cat([edge_index[:, keep], torch.tensor([[3, 7], [3, 7]])], 1)
    weight = torch.rand(edge_index.shape[1], generator=torch.Generator().manual_seed(4)) + 0.1
    return x, edge_index, weight


@pytest.mark.parametrize("options", SHAPES + OTHERS, ids=lambda o: "-".join(map(str, o.values())))
def test_output_equals_ours(quick, options):
    x, edge_index, weight = directed_weighted()
    for weights in (None, weight):
        model = quick(aug_dim=11, dim=6, epochs=3, **options)
        z = model.fit_transform(Data(x=x, edge_index=edge_index, edge_weight=weights))
        ours = torch_module(model)(x, edge_index, weights)
        assert ours.shape == z.shape
        torch.testing.assert_close(ours.detach(), z, rtol=1e-4, atol=1e-5)


def test_names_are_those_of_the_file(graph, quick, tmp_path):
    x, edge_index, _ = graph
    for options in SHAPES + OTHERS:
        folder = tmp_path / "-".join(map(str, options.values()))
        quick(epochs=0, **options).fit((edge_index, x), run=folder)
        file = safetensors.torch.load_file(folder / "model.safetensors")
        state = torch_module(folder).state_dict()
        assert set(state) == set(file)
        assert all(torch.equal(state[name], file[name]) for name in file)


def test_the_model_of_a_split_is_taken(graph, quick, tmp_path):
    x, edge_index, y = graph
    quick(select="val", num_splits=2).fit((edge_index, x, y), run=tmp_path)
    file = tmp_path / "model-split-1.safetensors"
    state = torch_module(file).state_dict()
    assert all(
        torch.equal(state[name], values)
        for name, values in safetensors.torch.load_file(file).items()
    )


def test_it_computes_in_the_precision_of_its_features(quick):
    x, edge_index, weight = directed_weighted()
    model = quick().fit(Data(x=x, edge_index=edge_index, edge_weight=weight))
    module = torch_module(model)
    torch.testing.assert_close(module(x, edge_index, weight.double()).detach(), model.embeddings_)
    twice = module.double()(x.double(), edge_index, weight)
    assert twice.dtype == torch.float64
    torch.testing.assert_close(twice.detach().float(), model.embeddings_, rtol=1e-4, atol=1e-5)
    assert module(x.double(), edge_index).dtype == torch.float64


def test_it_can_be_fine_tuned(graph, quick):
    """With a linear classifier on top: the loss falls and every used parameter changes."""
    x, edge_index, y = graph
    module = torch_module(quick().fit((edge_index, x))).train()
    classifier = torch.nn.Linear(16, 3)
    parameters = [*module.parameters(), *classifier.parameters()]
    before = [p.detach().clone() for p in module.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(classifier(module(x, edge_index)), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]
    assert all(not torch.equal(old, new) for old, new in zip(before, module.parameters()))


def test_it_embeds_and_learns_without_a_warning(graph, quick, tmp_path):
    """In a process of its own: torch warns once per process."""
    x, edge_index, _ = graph
    quick().fit((edge_index, x), run=tmp_path)
    code = f"""
import warnings, torch
from graphsurgeon import torch_module
warnings.simplefilter("error")
module = torch_module({str(tmp_path)!r})
weight = torch.ones(2, requires_grad=True)
module(torch.ones(3, {x.shape[1]}), torch.tensor([[0, 1], [1, 2]]), weight).sum().backward()
"""
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr


def test_an_edge_to_no_node_is_refused(graph, quick):
    x, edge_index, _ = graph
    module = torch_module(quick().fit((edge_index, x)))
    for node in (len(x), -1):
        for edge in ([[0], [node]], [[node], [0]]):
            with pytest.raises(DataError, match=f"names node {node}, but there are {len(x)} nodes"):
                module(x, torch.tensor(edge))


def test_repeated_edges_are_one(graph, quick):
    x, edge_index, _ = graph
    module = torch_module(quick().fit((edge_index, x)))
    twice = torch.cat([edge_index, edge_index], 1)
    torch.testing.assert_close(module(x, twice), module(x, edge_index))


def test_edge_weights_have_gradients(quick):
    x, edge_index, weight = directed_weighted()
    module = torch_module(quick().fit(Data(x=x, edge_index=edge_index, edge_weight=weight)))
    weight.requires_grad_()
    module(x, edge_index, weight).square().sum().backward()
    assert weight.grad is not None and (weight.grad != 0).any()


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(graphsurgeon.DataError, match="model.safetensors"):
        torch_module(tmp_path)


def test_a_model_with_other_tensors_is_refused(graph, quick, tmp_path):
    x, edge_index, _ = graph
    quick().fit((edge_index, x), run=tmp_path)
    with safetensors.safe_open(tmp_path / "model.safetensors", "pt") as file:
        about = file.metadata()
    del about["xxh3"]
    safetensors.torch.save_file({"weight": torch.ones(2)}, tmp_path / "model.safetensors", about)
    with pytest.raises(DataError, match="its tensors do not match") as error:
        torch_module(tmp_path)
    assert "\n" not in str(error.value)


def test_a_run_with_preprocessed_data_warns(graph, quick):
    x, edge_index, _ = graph
    model = quick(features="row-norm").fit((edge_index, x))
    with pytest.warns(UserWarning, match="features"):
        torch_module(model)


def test_a_checkpoint_is_not_taken_for_a_model(graph, quick, tmp_path):
    x, edge_index, _ = graph
    quick().fit((edge_index, x), run=tmp_path / "run")
    with pytest.raises(DataError, match="is not a model"):
        torch_module(tmp_path / "run" / "state.safetensors")
