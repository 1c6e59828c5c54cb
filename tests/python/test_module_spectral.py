"""A solved model as a PyTorch module gives our embeddings."""

import numpy as np
import pytest
import safetensors.torch
import scipy.sparse
import torch
from conftest import planted
from test_module import directed_weighted
from torch_geometric.data import Data

from graphsurgeon import DataError, GraphSurgeon, SpectralModule, UsageError, torch_module

SHAPES = [
    {"row_transform": transform, "magnitudes": magnitudes, "filters": filters}
    for transform in ("shares", "powers", "unit", "none")
    for magnitudes in (0, 0.5)
    for filters in ("own*0.85,pagerank:0.3,mean@2", "pagerank:0.15")
]
OTHERS = [
    {"encoder": "sage"},
    {"hops": 0},
    {"hops": 1, "filters": "mean"},
    {"center": False},
    {"scale_columns": True, "noise": 0.3, "power": 1},
    {"method": "diffused"},
]


def solved(**options):
    return GraphSurgeon(**({"method": "spectral", "dim": 12, "progress": False} | options))


def expect_ours(module, model, x, edge_index, weight=None):
    z = model.transform(Data(x=x, edge_index=edge_index, edge_weight=weight))
    found = module(x, edge_index, weight).detach()
    assert found.shape == z.shape
    torch.testing.assert_close(found, z, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("options", SHAPES + OTHERS, ids=lambda o: "-".join(map(str, o.values())))
def test_output_equals_ours_on_the_graph_and_on_another(options):
    x, edge_index, weight = directed_weighted()
    for weights in (None, weight):
        model = solved(**options).fit(Data(x=x, edge_index=edge_index, edge_weight=weights))
        module = torch_module(model)
        assert isinstance(module, SpectralModule)
        expect_ours(module, model, x, edge_index, weights)
        other_x, other_edges, _ = planted(33, width=13, seed=8)
        other_x[5] = 0  # a row without a feature
        expect_ours(module, model, 3 * other_x, other_edges)


def test_features_with_a_sign_and_wide_ones():
    generator = torch.Generator().manual_seed(1)
    _, edge_index, _ = planted(80)
    for width in (20, 900):
        x = torch.randn(80, width, generator=generator)
        model = solved().fit((edge_index, x))
        assert GraphSurgeon.load(model.run_).row_transform == "unit"
        expect_ours(torch_module(model), model, x, edge_index)


def test_sparse_features():
    """Our core keeps them sparse; the module takes them dense and sparse."""
    rng = np.random.default_rng(2)
    _, edge_index, _ = planted(90)
    words = scipy.sparse.random(90, 400, 0.02, "csr", np.float32, rng)
    words.data[:] = 1 + rng.integers(0, 5, len(words.data))
    x = torch.from_numpy(words.toarray())
    for transform in ("shares", "powers", "unit", "none"):
        model = solved(row_transform=transform, features="raw").fit((edge_index, words))
        z = model.embeddings_
        module = torch_module(model)
        for form in (x, x.to_sparse()):
            torch.testing.assert_close(module(form, edge_index).detach(), z, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("transform", ["shares", "powers"])
def test_negative_features_have_no_shares(graph, transform):
    x, edge_index, _ = graph
    model = solved(row_transform=transform).fit((edge_index, x))
    x = x.clone()
    x[3, 4] = -1
    with pytest.raises(DataError) as ours:
        model.transform((edge_index, x))
    with pytest.raises(DataError) as found:
        torch_module(model)(x, edge_index)
    assert str(found.value) == str(ours.value)


def test_names_are_those_of_the_file(graph, tmp_path):
    x, edge_index, _ = graph
    for magnitudes in (0, 1):
        solved(magnitudes=magnitudes).fit((edge_index, x), run=tmp_path / str(magnitudes))
        file = safetensors.torch.load_file(tmp_path / str(magnitudes) / "model.safetensors")
        state = torch_module(tmp_path / str(magnitudes)).state_dict()
        assert set(state) == set(file)
        assert all(torch.equal(state[name], file[name]) for name in file)


@pytest.mark.parametrize("transform", ["shares", "powers", "unit", "none"])
def test_the_gradient_of_the_features_is_right(transform):
    x, edge_index, _ = planted(12, width=5, seed=4)
    x = x.double() + 0.5
    module = torch_module(solved(row_transform=transform, dim=8).fit((edge_index, x.float())))
    x.requires_grad_()
    assert torch.autograd.gradcheck(lambda v: module.double()(v, edge_index), x)


def test_the_gradient_is_finite_where_features_are_zero(graph):
    x, edge_index, _ = graph
    x = x.clone()
    x[0] = 0
    for transform in ("shares", "powers", "unit"):
        module = torch_module(solved(row_transform=transform).fit((edge_index, x)))
        value = x.clone().requires_grad_()
        module(value, edge_index).square().sum().backward()
        assert torch.isfinite(value.grad).all() and (value.grad != 0).any()


def test_tensors_that_do_not_match_are_refused(graph, tmp_path):
    x, edge_index, _ = graph
    solved().fit((edge_index, x), run=tmp_path)
    with safetensors.safe_open(tmp_path / "model.safetensors", "pt") as file:
        about = file.metadata()
    del about["xxh3"]
    safetensors.torch.save_file({"weight": torch.ones(2)}, tmp_path / "model.safetensors", about)
    with pytest.raises(DataError, match="its tensors do not match"):
        torch_module(tmp_path)


def test_a_model_of_another_method_is_refused(graph):
    x, edge_index, _ = graph
    model = GraphSurgeon(method="dgi", dim=8, epochs=1, progress=False).fit((edge_index, x))
    with pytest.raises(UsageError, match="is a dgi model"):
        torch_module(model)
