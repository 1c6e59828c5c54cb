"""The estimator by scikit-learn's conventions."""

import inspect
import os
import pickle
import re
import threading
import time

import numpy as np
import pytest
import torch
from conftest import run_python
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted
from torch_geometric.data import Data

import graphsurgeon
from graphsurgeon import DataError, GraphSurgeon, UsageError


def test_every_option_is_a_keyword_with_its_doc():
    signature = inspect.signature(GraphSurgeon.__init__)
    assert signature.parameters["epochs"].default == 60
    assert signature.parameters["aug_dim"].default == 512
    assert signature.parameters["random_state"].default == 0
    for name in set(signature.parameters) - {"self"}:
        assert f"    {name} : " in GraphSurgeon.__doc__, name
    for option in graphsurgeon.options.OPTIONS.values():
        assert words_of(option.help) in words_of(GraphSurgeon.__doc__)
        for name, about in option.choices.items():
            line = words_of(f"- {name}: {about}")
            assert about and line in words_of(GraphSurgeon.__doc__), option.name


def words_of(text):
    """The text on one line, with options as keywords."""
    return " ".join(graphsurgeon.options.in_keywords(text).split())


def test_the_help_speaks_of_keywords():
    assert re.findall(r"(?<![-\w])--[a-z]", GraphSurgeon.__doc__) == []
    assert max(map(len, GraphSurgeon.__doc__.splitlines())) <= 100


def test_params_are_read_set_and_cloned():
    model = GraphSurgeon(mode="pre", fanouts=[5, 5], random_state=3)
    assert model.get_params()["mode"] == "pre"
    assert model.get_params()["random_state"] == 3
    assert model.set_params(epochs=9, output="numpy") is model
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    assert copy.epochs == 9
    assert (
        repr(copy)
        == "GraphSurgeon(mode='pre', epochs=9, random_state=3, fanouts=[5, 5], output='numpy')"
    )
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()


def test_unknown_keywords_name_the_nearest():
    with pytest.raises(TypeError, match="unknown option 'epocs'; did you mean 'epochs'"):
        GraphSurgeon(epocs=3)
    with pytest.raises(ValueError, match="did you mean 'aug_dim'"):
        GraphSurgeon().set_params(augdim=3)
    with pytest.raises(TypeError, match="random_state"):
        GraphSurgeon(seed=3)


def test_keywords_of_earlier_versions_name_the_new_ones():
    with pytest.raises(TypeError, match="option 'runs' is now 'num_splits'"):
        GraphSurgeon(runs=3)
    with pytest.raises(ValueError, match="option 'seeds' is now 'target_nodes'"):
        GraphSurgeon().set_params(seeds="nodes.txt")


def test_errors_name_the_keyword(graph, quick):
    x, edge_index, _ = graph
    with pytest.raises(UsageError, match="aug_dim: 0 is out of range"):
        quick(aug_dim=0).fit((edge_index, x))
    with pytest.raises(UsageError, match="did you mean 'post'"):
        quick(mode="pots").fit((edge_index, x))
    with pytest.raises(UsageError, match="epochs"):
        quick(epochs="many").fit((edge_index, x))
    with pytest.raises(ValueError, match="output is 'excel', expected one of auto, torch"):
        quick(output="excel").fit_transform((edge_index, x))


def test_embeddings_are_tensors_or_arrays(graph, quick):
    x, edge_index, _ = graph
    z = quick().fit_transform((edge_index, x))
    assert isinstance(z, torch.Tensor) and z.dtype == torch.float32 and z.shape == (120, 16)
    array = quick(output="numpy").fit_transform((edge_index, x))
    assert isinstance(array, np.ndarray) and np.array_equal(array, z.numpy())


def test_the_seed_decides(graph, quick):
    x, edge_index, _ = graph

    def embed(random_state):
        return quick(random_state=random_state).fit_transform((edge_index, x))

    assert torch.equal(embed(1), embed(1))
    assert not torch.equal(embed(1), embed(2))
    assert torch.equal(embed(np.random.RandomState(4)), embed(np.random.RandomState(4)))
    assert not torch.equal(embed(None), embed(None))
    assert torch.equal(embed(np.int64(1)), embed(1))


def test_numbers_are_taken_where_texts_may_be_numbers(graph, quick):
    x, edge_index, _ = graph
    first = quick(similarity_weight=500).fit_transform((edge_index, x))
    assert torch.equal(first, quick(similarity_weight="500").fit_transform((edge_index, x)))
    assert not torch.equal(first, quick().fit_transform((edge_index, x)))


def test_the_protocol_sets_what_was_not(graph, quick):
    x, edge_index, y = graph
    model = quick(protocol="paper", epochs=7, select_every=7).fit(
        Data(x=x, edge_index=edge_index, y=y)
    )
    assert model.result_["epochs"] == 7
    assert os.path.exists(os.path.join(model.run_, "model-split-0.safetensors"))


def test_presets_are_starting_points():
    model = GraphSurgeon.from_preset("photo", epochs=3)
    assert model.epochs == 3
    assert model.aug_dim == graphsurgeon.presets()["photo"]["options"]["aug-dim"]
    with pytest.raises(ValueError, match="did you mean 'photo'"):
        GraphSurgeon.from_preset("phoot")


def test_labels_may_come_as_y(graph, quick):
    x, edge_index, y = graph
    with pytest.raises(DataError, match="no labels"):
        quick(select="val").fit((edge_index, x))
    quick(select="val").fit((edge_index, x), y)


def test_transform_embeds_other_graphs_and_refuses_other_features(graph, quick):
    x, edge_index, _ = graph
    model = quick(output="numpy").fit((edge_index, x))
    assert np.array_equal(model.transform((edge_index, x)), model.embeddings_)
    half = edge_index[:, (edge_index < 60).all(0)]
    assert model.transform((half, x[:60])).shape == (60, 16)
    with pytest.raises(DataError, match="7 features, but the model was trained on 40"):
        model.transform((half, x[:60, :7]))


def test_transform_of_some_nodes_gives_their_rows(graph, quick):
    x, edge_index, _ = graph
    data = (edge_index, x)
    for model in (quick(output="numpy"), GraphSurgeon(output="numpy", dim=12)):
        z = model.fit_transform(data)
        some = model.transform(data, nodes=np.array([5, 0, 5]))
        assert np.abs(some - z[[5, 0, 5]]).max() < 1e-5 * np.abs(z).max()
        with pytest.raises(UsageError, match="'9999' is not a node"):
            model.transform(data, nodes=[9999])


def test_an_unfinished_run_says_so(graph, quick, tmp_path):
    x, edge_index, _ = graph
    model = quick().fit((edge_index, x), run=tmp_path / "run")
    (tmp_path / "run" / "model.safetensors").unlink()
    with pytest.raises(DataError, match="this run ended at epoch 4 of 4 before it was finished"):
        GraphSurgeon.load(tmp_path / "run")
    with pytest.raises(DataError, match="this run ended at epoch"):
        model.transform((edge_index, x))


def test_an_unfitted_estimator_raises(graph):
    with pytest.raises(NotFittedError):
        GraphSurgeon().transform(graph[:2])
    with pytest.raises(NotFittedError):
        check_is_fitted(GraphSurgeon())


def test_it_stands_in_a_pipeline(graph, quick):
    x, edge_index, _ = graph
    z = make_pipeline(quick(output="numpy"), StandardScaler()).fit_transform((edge_index, x))
    assert np.allclose(z.mean(0), 0, atol=1e-5)


def test_every_epoch_is_reported(graph, quick):
    x, edge_index, _ = graph
    seen = []
    model = quick(epochs=12).fit((edge_index, x), on_epoch=seen.append)
    assert [line["epoch"] for line in seen] == list(range(1, 13))
    assert seen == model.history_
    assert {"total", "similarity", "constraint"} <= set(seen[0]["loss"])


def test_epochs_of_another_run_are_not_reported(graph, quick, tmp_path):
    x, edge_index, _ = graph
    quick().fit((edge_index, x), run=tmp_path)
    seen = []
    with pytest.raises(DataError, match="already exists and is not empty"):
        quick().fit((edge_index, x), run=tmp_path, on_epoch=seen.append)
    with pytest.raises(UsageError, match="lr"):
        quick(epochs=6, lr=0.002).fit(
            (edge_index, x), run=tmp_path, resume=True, on_epoch=seen.append
        )
    assert seen == []


def test_other_threads_run_while_the_core_does(graph, quick):
    """The interpreter's lock is free: another Python thread counts during a training."""
    x, edge_index, _ = graph
    counted, finished = [], threading.Event()

    def count():
        while not finished.is_set():
            counted.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.monotonic()
    quick(epochs=600).fit((edge_index, x))
    ended = time.monotonic()
    finished.set()
    thread.join()
    during = [moment for moment in counted if begun < moment < ended]
    assert len(during) > 5
    gaps = np.diff([begun, *during, ended])
    assert gaps.max() < (ended - begun) / 2


def test_torchs_settings_are_left_alone(graph, quick):
    x, edge_index, _ = graph
    before = torch.get_num_threads()
    quick(threads=1).fit((edge_index, x))
    assert torch.get_num_threads() == before


def test_a_bar_is_shown_when_asked_for(graph, quick, capsys):
    x, edge_index, _ = graph
    quick(progress=True, epochs=30).fit((edge_index, x))
    assert "training" in capsys.readouterr().err
    quick(progress="auto").fit((edge_index, x))
    assert capsys.readouterr().err == ""


def test_one_openmp_runtime_in_the_process(tmp_path):
    """Two would compete for the cores. Without scikit-learn, which brings its own runtime."""
    code = """
import re, torch, graphsurgeon
edges = torch.randint(50, (2, 400), generator=torch.Generator().manual_seed(0))
graphsurgeon.GraphSurgeon(aug_dim=8, dim=4, epochs=2).fit((edges, torch.eye(50)))
maps = open("/proc/self/maps").read()
assert "libgraphsurgeon.so" in maps
print(sorted(set(re.findall(r"/\\S*/lib(?:gomp|iomp5|omp)[^/]*\\.so\\S*", maps))))
"""
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
    runtimes = done.stdout.strip()
    assert runtimes.count("/lib") > 0 and runtimes.count(",") == 0, runtimes


def test_what_is_given_is_trained_though_another_method_has_it_as_default(graph, quick):
    x, edge_index, _ = graph
    model = GraphSurgeon(method="dgi", dim=8, epochs=60, lr=0.005, progress=False).fit(
        (edge_index, x)
    )
    assert model.result_["epochs"] == 60  # graphsurgeon's default, not dgi's
    assert GraphSurgeon.load(model.run_).lr == 0.005


def test_without_an_option_of_training_it_is_solved(graph):
    x, edge_index, _ = graph
    model = GraphSurgeon(dim=12, features="raw", progress=False)
    assert (model.method, model.epochs) == ("spectral", 0)
    assert repr(model) == "GraphSurgeon(dim=12, features='raw', progress=False)"
    assert model.fit((edge_index, x)).result_["method"] == "spectral"
    assert GraphSurgeon().dim == GraphSurgeon(method="spectral").dim


@pytest.mark.parametrize("given", [{"mode": "pre"}, {"epochs": 60}, {"layers": 2}, {"lr": 0.1}])
def test_an_option_of_training_trains(given):
    """Even one with its default value, and wherever it is given."""
    usual = GraphSurgeon(method="graphsurgeon")
    for model in (GraphSurgeon(**given), GraphSurgeon().set_params(**given)):
        assert model.method == "graphsurgeon"
        assert model.get_params() == usual.get_params() | given
    assert clone(GraphSurgeon()).set_params(**given).get_params() == usual.get_params() | given
    assert GraphSurgeon(method="spectral").set_params(**given).method == "spectral"


def test_the_text_of_an_estimator_makes_an_equal_one():
    for model in (
        GraphSurgeon(),
        GraphSurgeon(dim=8),
        GraphSurgeon(epochs=60),
        GraphSurgeon(method="dgi", lr=0.5),
        GraphSurgeon.from_preset("photo"),
    ):
        assert eval(repr(model)).get_params() == model.get_params()
    assert repr(GraphSurgeon()) == "GraphSurgeon()"
    assert GraphSurgeon.from_preset("photo").method == "graphsurgeon"


def test_what_was_left_alone_follows_the_method():
    model = GraphSurgeon(lr=0.5)
    model.set_params(method="dgi")
    assert (model.lr, model.epochs) == (0.5, GraphSurgeon(method="dgi").epochs)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": float("nan")}, "lr"),
        ({"fanouts": "5,x"}, "fanouts"),
        ({"fanouts": None}, "fanouts"),
        ({"threads": "x"}, "threads"),
        ({"threads": 5000}, "threads"),
    ],
)
def test_invalid_values_are_one_line(graph, quick, options, message):
    x, edge_index, _ = graph
    with pytest.raises(UsageError, match=message):
        quick(**options).fit((edge_index, x))


def test_fanouts_may_be_typed_as_on_the_command_line():
    assert graphsurgeon.options.OPTIONS["fanouts"].value_of("12,25") == [12, 25]
    assert graphsurgeon.options.OPTIONS["fanouts"].value_of(5) == [5]
