"""Training on several ranks, against one process on the unsharded graph."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import run_program

GRAPH = "sbm:nodes=900,classes=4,features=24,degree=8,seed=5"
MODEL = (
    *("--method", "graphsurgeon", "--layers", "2", "--skip", "sum", "--aug-dim", "32"),
    *("--dim", "16", "--gamma", "200", "--lr", "0.002", "--dropout", "0.3", "--seed", "3"),
)


def start(ranks: int, *words: object, seeds: bool = False) -> list[subprocess.Popen[str]]:
    """Starts each rank as torchrun does, without its agent; with `seeds`, each with its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(ranks)}
    return [
        subprocess.Popen(
            [sys.executable, "-m", "graphsurgeon", *map(str, words), *(["--seed", str(r)] * seeds)],
            env=os.environ
            | place
            | {"RANK": str(r), "LOCAL_WORLD_SIZE": str(ranks), "GLOO_SOCKET_IFNAME": "lo"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for r in range(ranks)
    ]


def wait(processes: list[subprocess.Popen[str]]) -> list[tuple[int, str, str]]:
    out = []
    for process in processes:
        output, errors = process.communicate(timeout=240)
        out.append((process.returncode, output, errors))
    return out


def train(ranks: int, data: object, run: Path, *options: object) -> None:
    done = wait(start(ranks, "train", data, "-o", run, *MODEL, "--quiet", *options))
    assert [code for code, _, _ in done] == [0] * ranks, done
    assert all(output == "" for _, output, _ in done[1:])


def alone(data: object, run: Path, *options: object) -> None:
    run_program("train", data, "-o", run, *MODEL, "--quiet", *options)


def losses(run: Path) -> np.ndarray:
    lines = (run / "metrics.jsonl").read_text().splitlines()
    return np.array([json.loads(line)["loss"]["total"] for line in lines])


def same_training(run: Path, reference: Path) -> None:
    np.testing.assert_allclose(losses(run), losses(reference), rtol=1e-5)
    z, expected = np.load(run / "embeddings.npy"), np.load(reference / "embeddings.npy")
    np.testing.assert_allclose(z, expected, atol=2e-3 * np.abs(expected).max())


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shards") / "graph"
    run_program("data", "shard", GRAPH, "-o", folder, "--shards", 4)
    return folder


def test_full_batches_on_any_number_of_ranks_train_as_one_process(shards, tmp_path):
    options = ("--epochs", 20, "--loader", "full", "--mode", "pre")
    alone(GRAPH, tmp_path / "whole", *options)
    alone(shards, tmp_path / "one", *options)
    same_training(tmp_path / "one", tmp_path / "whole")
    for ranks in (2, 4):
        train(ranks, shards, tmp_path / f"ranks-{ranks}", *options)
        same_training(tmp_path / f"ranks-{ranks}", tmp_path / "whole")


@pytest.mark.parametrize("encoder", ["gcn", "sage"])
def test_full_batches_with_the_augmentation_after_the_encoder(shards, tmp_path, encoder):
    options = ("--epochs", 20, "--loader", "full", "--mode", "post", "--encoder", encoder)
    alone(GRAPH, tmp_path / "whole", *options)
    train(2, shards, tmp_path / "two", *options)
    same_training(tmp_path / "two", tmp_path / "whole")


def test_cluster_batches_take_parts_from_every_shard_on_any_number_of_ranks(shards, tmp_path):
    options = ("--epochs", 6, "--loader", "cluster", "--parts", 16, "--parts-per-batch", 4)
    alone(shards, tmp_path / "one", *options)
    train(2, shards, tmp_path / "two", *options)
    same_training(tmp_path / "two", tmp_path / "one")
    assert json.loads((tmp_path / "two/metrics.jsonl").read_text().split("\n")[0])["batches"] == 4


def test_neighbor_batches_are_those_of_one_process_on_the_unsharded_graph(shards, tmp_path):
    options = ("--epochs", 4, "--loader", "neighbor", "--batch-size", 256, "--fanouts", "4,3")
    alone(GRAPH, tmp_path / "whole", *options)
    train(2, shards, tmp_path / "two", *options)
    same_training(tmp_path / "two", tmp_path / "whole")


def test_a_killed_rank_loses_nothing(shards, tmp_path):
    options = ("--epochs", 60, "--loader", "full", "--checkpoint-every", 1)
    train(2, shards, tmp_path / "whole", *options)
    run = tmp_path / "killed"
    words = ("train", shards, "-o", run, *MODEL, "--quiet", *options)
    processes = start(2, *words)
    metrics, end = run / "metrics.jsonl", time.monotonic() + 120
    while not metrics.exists() or metrics.read_text().count("\n") < 5:
        assert time.monotonic() < end and processes[1].poll() is None
        time.sleep(0.002)
    processes[1].send_signal(signal.SIGKILL)
    (code, _, errors), _ = wait(processes)
    assert code == 4
    assert "error: rank 0: rank 1 of 2 is gone" in errors and "--resume" in errors
    assert metrics.read_text().count("\n") < 60
    train(2, shards, run, *options, "--resume")
    for name in ("embeddings.npy", "model.safetensors"):
        assert (run / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_run_is_resumed_on_another_number_of_ranks(shards, tmp_path):
    run = tmp_path / "run"
    train(4, shards, run, "--loader", "full", "--epochs", 10)
    train(2, shards, run, "--loader", "full", "--epochs", 20, "--resume")
    alone(GRAPH, tmp_path / "whole", "--loader", "full", "--epochs", 20)
    same_training(run, tmp_path / "whole")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--method", "dgi"), "--method: dgi does not work with a sharded folder"),
        (("--loader", "saint"), "--loader: saint does not work with a sharded folder"),
        (("--norm", "batch"), "--norm: batch normalization does not work with a sharded folder"),
        (("--epochs", "x"), "--epochs"),
    ],
)
def test_what_would_not_be_exact_is_refused_once(shards, tmp_path, options, complaint):
    method = () if options[0] == "--method" else ("--method", "graphsurgeon")
    small = ("--layers", 1, "--skip", "none", "--dim", 8)
    done = wait(start(2, "train", shards, "-o", tmp_path / "run", *method, *small, *options))
    assert [code for code, _, _ in done] == [2, 2]
    assert complaint in done[0][2] and "hint: " in done[0][2]
    assert done[1][2] == ""
    assert not (tmp_path / "run").exists()


def test_ranks_with_other_options_are_refused(shards, tmp_path):
    words = ("train", shards, "-o", tmp_path / "run", *MODEL[:-2])
    done = wait(start(2, *words, seeds=True))
    assert [code for code, _, _ in done] == [2, 2]
    assert "error: seed: is 1 on rank 1 and 0 on rank 0" in done[0][2]
    assert done[1][2] == "" and not (tmp_path / "run").exists()


def test_a_rank_that_does_not_start_is_named(shards, tmp_path):
    processes = start(3, "train", shards, "-o", tmp_path / "run", *MODEL, "--timeout", 20)
    processes[2].kill()
    done = wait(processes)
    assert done[0][0] == 4
    assert "rank 2 of 3 did not start in 20 s" in done[0][2]
