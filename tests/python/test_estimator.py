"""The estimator by scikit-learn's conventions."""

import errno
import inspect
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import safetensors.torch
import torch
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
    assert "width D of the augmented features" in GraphSurgeon.__doc__


def test_params_are_read_set_and_cloned():
    model = GraphSurgeon(mode="pre", fanouts=[5, 5], random_state=3)
    assert model.get_params()["mode"] == "pre"
    assert model.get_params()["random_state"] == 3
    assert model.set_params(epochs=9, output="numpy") is model
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    assert copy.epochs == 9
    assert repr(copy) == "GraphSurgeon(mode='pre', epochs=9, random_state=3, fanouts=[5, 5], output='numpy')"
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()


def test_unknown_keywords_name_the_nearest():
    with pytest.raises(TypeError, match="unknown option 'epocs'; did you mean 'epochs'"):
        GraphSurgeon(epocs=3)
    with pytest.raises(ValueError, match="did you mean 'aug_dim'"):
        GraphSurgeon().set_params(augdim=3)
    with pytest.raises(TypeError, match="random_state"):
        GraphSurgeon(seed=3)


def test_bad_values_are_told_with_their_keyword(graph, quick):
    x, edge_index, _ = graph
    with pytest.raises(UsageError, match="aug_dim: 0 is out of range"):
        quick(aug_dim=0).fit((edge_index, x))
    with pytest.raises(UsageError, match="did you mean 'post'"):
        quick(mode="pots").fit((edge_index, x))
    with pytest.raises(UsageError, match="epochs"):
        quick(epochs="many").fit((edge_index, x))
    with pytest.raises(ValueError, match="expected 'torch' or 'numpy'"):
        quick(output="pandas").fit_transform((edge_index, x))


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
    model = quick(protocol="paper", epochs=7, select_every=7).fit(Data(x=x, edge_index=edge_index, y=y))
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


def test_save_and_load_keep_everything(graph, quick, tmp_path):
    x, edge_index, _ = graph
    model = quick(random_state=5, fanouts=[3]).fit((edge_index, x))
    model.save(tmp_path / "run")
    with pytest.raises(DataError, match="is there already"):
        model.save(tmp_path / "run")
    model.save(tmp_path / "run", overwrite=True)
    loaded = GraphSurgeon.load(tmp_path / "run")
    assert loaded.random_state == 5 and loaded.fanouts == [3] and loaded.n_features_in_ == 40
    assert torch.equal(loaded.transform((edge_index, x)), model.embeddings_)
    assert torch.equal(loaded.embeddings_, model.embeddings_)
    with pytest.raises(DataError, match="not the folder of a finished run"):
        GraphSurgeon.load(tmp_path)
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(model)


def test_saving_over_a_run_keeps_what_is_not_of_the_run(graph, quick, tmp_path):
    x, edge_index, y = graph
    folder = tmp_path / "run"
    quick(select="val", runs=2).fit((edge_index, x, y), run=folder)
    assert (folder / "model-split-1.safetensors").exists()
    (folder / "page.html").write_text("mine")
    (folder / "notes").mkdir()
    model = quick(random_state=5).fit((edge_index, x))
    model.save(folder, overwrite=True)
    assert torch.equal(GraphSurgeon.load(folder).embeddings_, model.embeddings_)
    assert (folder / "page.html").read_text() == "mine"
    assert {entry.name for entry in folder.iterdir()} == {*os.listdir(model.run_), "page.html", "notes"}


def test_saving_over_a_link_to_a_run_writes_where_it_leads(graph, quick, tmp_path):
    x, edge_index, _ = graph
    quick().fit((edge_index, x), run=tmp_path / "run")
    (tmp_path / "link").symlink_to(tmp_path / "run")
    model = quick(random_state=5).fit((edge_index, x))
    model.save(tmp_path / "link", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert torch.equal(GraphSurgeon.load(tmp_path / "run").embeddings_, model.embeddings_)
    assert sorted(os.listdir(tmp_path)) == ["link", "run"]


def test_a_save_that_fails_leaves_the_run_that_was_there(graph, quick, tmp_path, monkeypatch):
    x, edge_index, _ = graph
    before = quick().fit((edge_index, x), run=tmp_path / "run").embeddings_
    model = quick(random_state=5).fit((edge_index, x))
    names = sorted(os.listdir(tmp_path / "run"))
    copied, really = [], shutil.copyfile

    def copy(source, target):
        if len(copied) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        copied.append(really(source, target))

    monkeypatch.setattr(shutil, "copyfile", copy)
    for target in (tmp_path / "run", tmp_path / "other"):
        copied.clear()
        with pytest.raises(DataError, match="cannot be written: No space left on device"):
            model.save(target, overwrite=True)
    assert sorted(os.listdir(tmp_path / "run")) == names
    assert torch.equal(GraphSurgeon.load(tmp_path / "run").embeddings_, before)
    assert os.listdir(tmp_path) == ["run"]


def test_a_model_of_somebody_else_is_told(tmp_path):
    safetensors.torch.save_file({"weight": torch.ones(2)}, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(DataError, match="is not a model of graphsurgeon"):
        GraphSurgeon.load(tmp_path)


def test_an_unfitted_one_says_so(graph):
    with pytest.raises(NotFittedError):
        GraphSurgeon().transform(graph[:2])
    with pytest.raises(NotFittedError):
        check_is_fitted(GraphSurgeon())


def test_it_stands_in_a_pipeline(graph, quick):
    x, edge_index, _ = graph
    z = make_pipeline(quick(output="numpy"), StandardScaler()).fit_transform((edge_index, x))
    assert np.allclose(z.mean(0), 0, atol=1e-5)


def test_temporary_runs_go_away(graph, quick):
    x, edge_index, _ = graph
    model = quick().fit((edge_index, x))
    folder = model.run_
    assert os.path.isdir(folder)
    del model
    assert not os.path.exists(folder)


def test_a_run_in_the_way_is_kept(graph, quick, tmp_path):
    x, edge_index, _ = graph
    first = quick().fit((edge_index, x), run=tmp_path / "run").embeddings_
    with pytest.raises(DataError, match="holds files already"):
        quick(epochs=2).fit((edge_index, x), run=tmp_path / "run")
    quick(epochs=6).fit((edge_index, x), run=tmp_path / "run", overwrite=True)
    again = quick(epochs=2).fit((edge_index, x), run=tmp_path / "other", init=tmp_path / "run")
    assert again.result_["epochs"] == 2
    assert not torch.equal(first, again.embeddings_)


def test_every_epoch_is_told(graph, quick):
    x, edge_index, _ = graph
    seen = []
    model = quick(epochs=12).fit((edge_index, x), on_epoch=seen.append)
    assert [line["epoch"] for line in seen] == list(range(1, 13))
    assert seen == model.history_
    assert {"total", "similarity", "constraint"} <= set(seen[0]["loss"])


def test_epochs_of_another_run_are_not_told(graph, quick, tmp_path):
    x, edge_index, _ = graph
    quick().fit((edge_index, x), run=tmp_path)
    seen = []
    with pytest.raises(DataError, match="holds files already"):
        quick().fit((edge_index, x), run=tmp_path, on_epoch=seen.append)
    with pytest.raises(UsageError, match="lr"):
        quick(epochs=6, lr=0.002).fit((edge_index, x), run=tmp_path, resume=True, on_epoch=seen.append)
    assert seen == []


def test_a_callback_may_stop_the_training(graph, quick):
    x, edge_index, _ = graph

    class Enough(Exception):
        pass

    def stop_at_once(line):
        raise Enough

    model = quick(epochs=100_000)
    with pytest.raises(Enough):
        model.fit((edge_index, x), on_epoch=stop_at_once)
    assert os.path.exists(os.path.join(model.run_, "state.safetensors"))
    with pytest.raises(NotFittedError):
        model.transform((edge_index, x))


def test_an_interrupt_keeps_a_checkpoint_that_goes_on_to_the_same_bits(graph, quick):
    x, edge_index, _ = graph
    model = quick(epochs=100_000, lr=1e-5)  # so little that it does not collapse meanwhile

    def interrupt():
        while not (hasattr(model, "run_") and os.path.exists(os.path.join(model.run_, "metrics.jsonl"))):
            time.sleep(0.01)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt) as stop:
        model.fit((edge_index, x))
    thread.join()
    assert model.run_ in "".join(stop.value.__notes__)
    with open(os.path.join(model.run_, "metrics.jsonl"), encoding="utf-8") as file:
        done = len(file.readlines())
    assert 0 < done < 100_000
    seen = []
    model.set_params(epochs=done + 3).fit((edge_index, x), resume=True, on_epoch=seen.append)
    assert [line["epoch"] for line in seen] == [done + 1, done + 2, done + 3]
    assert torch.equal(model.embeddings_, quick(epochs=done + 3, lr=1e-5).fit_transform((edge_index, x)))


def test_other_threads_run_while_the_core_does(graph, quick):
    """The interpreter's lock is free: a thread of Python counts on while a training goes."""
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
    """Two would fight over the cores. In a process without scikit-learn, which brings its own."""
    code = """
import re, torch, graphsurgeon
edges = torch.randint(50, (2, 400), generator=torch.Generator().manual_seed(0))
graphsurgeon.GraphSurgeon(aug_dim=8, dim=4, epochs=2).fit((edges, torch.eye(50)))
maps = open("/proc/self/maps").read()
assert "libgraphsurgeon.so" in maps
print(sorted(set(re.findall(r"/\\S*/lib(?:gomp|iomp5|omp)[^/]*\\.so\\S*", maps))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    runtimes = done.stdout.strip()
    assert runtimes.count("/lib") > 0 and runtimes.count(",") == 0, runtimes


def test_what_is_given_is_trained_though_another_method_has_it_as_default(graph, quick):
    x, edge_index, _ = graph
    model = GraphSurgeon(method="dgi", dim=8, epochs=60, lr=0.005, progress=False).fit((edge_index, x))
    assert model.result_["epochs"] == 60  # graphsurgeon's default, not dgi's
    assert GraphSurgeon.load(model.run_).lr == 0.005


def test_what_was_left_alone_follows_the_method():
    model = GraphSurgeon(lr=0.5)
    model.set_params(method="dgi")
    assert (model.lr, model.epochs) == (0.5, GraphSurgeon(method="dgi").epochs)
    assert clone(model).get_params() == model.get_params()


def test_a_fit_that_fails_leaves_the_one_before(graph, quick):
    x, edge_index, _ = graph
    model = quick()
    z = model.fit_transform((edge_index, x))
    with pytest.raises(UsageError):
        model.set_params(aug_dim=0).fit((edge_index, x))
    assert torch.equal(model.embeddings_, z)


def test_a_checkpoint_outlives_an_interrupted_script(graph, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal\n"
        "from graphsurgeon import GraphSurgeon\n"
        "stop = lambda row: os.kill(os.getpid(), signal.SIGINT) if row['epoch'] == 3 else None\n"
        "model = GraphSurgeon(aug_dim=8, dim=4, epochs=100000, progress=False)\n"
        "model.fit('sbm:nodes=100,classes=2,features=8', on_epoch=stop)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert "KeyboardInterrupt" in done.stderr
    folder = done.stderr.rpartition("the checkpoint is in ")[2].partition(";")[0]
    try:
        assert os.path.exists(os.path.join(folder, "state.safetensors"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
def test_values_that_cannot_be_are_told_in_a_line(graph, quick, options, message):
    x, edge_index, _ = graph
    with pytest.raises(UsageError, match=message):
        quick(**options).fit((edge_index, x))


def test_fanouts_may_be_typed_as_on_the_command_line():
    assert graphsurgeon.options.OPTIONS["fanouts"].value_of("12,25") == [12, 25]
    assert graphsurgeon.options.OPTIONS["fanouts"].value_of(5) == [5]
