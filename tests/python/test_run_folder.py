"""The estimator's run folder: saved, loaded, temporary, interrupted."""

import errno
import json
import os
import pickle
import shutil
import signal
import threading
import time

import pytest
import safetensors
import safetensors.torch
import torch
from conftest import run_python
from sklearn.exceptions import NotFittedError

from graphsurgeon import DataError, GraphSurgeon, UsageError


def test_save_and_load_keep_everything(graph, quick, tmp_path):
    x, edge_index, _ = graph
    model = quick(random_state=5, fanouts=[3]).fit((edge_index, x))
    model.save(tmp_path / "run")
    with pytest.raises(DataError, match="already exists"):
        model.save(tmp_path / "run")
    model.save(tmp_path / "run", overwrite=True)
    loaded = GraphSurgeon.load(tmp_path / "run")
    assert loaded.random_state == 5 and loaded.fanouts == [3] and loaded.n_features_in_ == 40
    assert torch.equal(loaded.transform((edge_index, x)), model.embeddings_)
    assert torch.equal(loaded.embeddings_, model.embeddings_)
    with pytest.raises(DataError, match="is not the folder of a run"):
        GraphSurgeon.load(tmp_path)
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(model)


def test_a_run_with_option_names_of_earlier_versions_is_loaded(graph, quick, tmp_path):
    x, edge_index, _ = graph
    z = quick(num_splits=7).fit((edge_index, x), run=tmp_path).embeddings_
    file = tmp_path / "model.safetensors"
    with safetensors.safe_open(file, "pt") as opened:
        about = opened.metadata()
    del about["xxh3"]  # earlier versions had no checksum
    info = json.loads(about["graphsurgeon"])
    for new, old in (("num-splits", "runs"), ("target-nodes", "seeds")):
        info["options"][old] = info["options"].pop(new)
    about["graphsurgeon"] = json.dumps(info)
    safetensors.torch.save_file(safetensors.torch.load_file(file), file, about)
    loaded = GraphSurgeon.load(tmp_path)
    assert loaded.num_splits == 7
    assert torch.equal(loaded.transform((edge_index, x)), z)


def test_saving_over_a_run_keeps_what_is_not_of_the_run(graph, quick, tmp_path):
    x, edge_index, y = graph
    folder = tmp_path / "run"
    quick(select="val", num_splits=2).fit((edge_index, x, y), run=folder)
    assert (folder / "model-split-1.safetensors").exists()
    (folder / "page.html").write_text("mine")
    (folder / "README.md").write_text("my notes")
    (folder / "notes").mkdir()
    model = quick(random_state=5).fit((edge_index, x))
    model.save(folder, overwrite=True)
    assert torch.equal(GraphSurgeon.load(folder).embeddings_, model.embeddings_)
    assert (folder / "page.html").read_text() == "mine"
    assert (folder / "README.md").read_text() == "my notes"
    assert {entry.name for entry in folder.iterdir()} == {
        *os.listdir(model.run_),
        "page.html",
        "notes",
    }


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


def test_another_safetensors_file_is_refused(tmp_path):
    safetensors.torch.save_file(
        {"weight": torch.ones(2)}, tmp_path / "model.safetensors", {"format": "pt"}
    )
    with pytest.raises(DataError, match="is not a model of graphsurgeon"):
        GraphSurgeon.load(tmp_path)


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
    with pytest.raises(DataError, match="already exists and is not empty"):
        quick(epochs=2).fit((edge_index, x), run=tmp_path / "run")
    quick(epochs=6).fit((edge_index, x), run=tmp_path / "run", overwrite=True)
    again = quick(epochs=2).fit((edge_index, x), run=tmp_path / "other", init=tmp_path / "run")
    assert again.result_["epochs"] == 2
    assert not torch.equal(first, again.embeddings_)


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


def test_an_interrupt_keeps_a_checkpoint_that_continues_to_the_same_bits(graph, quick):
    x, edge_index, _ = graph
    model = quick(epochs=100_000, lr=1e-5)  # too small to collapse

    def interrupt():
        while not (
            hasattr(model, "run_") and os.path.exists(os.path.join(model.run_, "metrics.jsonl"))
        ):
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
    assert torch.equal(
        model.embeddings_, quick(epochs=done + 3, lr=1e-5).fit_transform((edge_index, x))
    )


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
    done = run_python(script)
    assert "KeyboardInterrupt" in done.stderr
    folder = done.stderr.rpartition("the checkpoint is in ")[2].partition(";")[0]
    try:
        assert os.path.exists(os.path.join(folder, "state.safetensors"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
