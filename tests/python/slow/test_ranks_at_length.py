"""Training on several ranks: real graphs, many lost ranks, two hosts."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import run_program
from test_ranks import GRAPH, MODEL, alone, losses, start, train, wait

TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]


def shard(data: object, folder: Path, shards: int = 8) -> Path:
    run_program("data", "shard", data, "-o", folder, "--shards", shards)
    return folder


@pytest.mark.parametrize("name", ["amazon_electronics_photo.npz", "ms_academic_cs.npz"])
def test_the_losses_of_real_graphs_are_those_of_one_process(name, tmp_path):
    data = Path(os.environ.get("GRAPHSURGEON_DATA", "/nowhere")) / name
    if not data.exists():
        pytest.skip(f"GRAPHSURGEON_DATA has no {name}")
    shards = shard(data, tmp_path / "shards")
    loaders = {
        "full": (data, ("--loader", "full")),
        "neighbor": (data, ("--loader", "neighbor", "--batch-size", 4096, "--fanouts", "5,5")),
        "cluster": (shards, ("--loader", "cluster", "--parts", 32, "--parts-per-batch", 16)),
    }
    for loader, (reference, options) in loaders.items():
        options += ("--epochs", 20 if loader == "full" else 5)
        alone(reference, tmp_path / loader, *options)
        for ranks in (2, 4):
            train(ranks, shards, tmp_path / f"{loader}-{ranks}", *options)
            np.testing.assert_allclose(
                losses(tmp_path / f"{loader}-{ranks}"), losses(tmp_path / loader), rtol=1e-5
            )


def test_ranks_killed_at_random_lose_nothing_under_torchrun(tmp_path):
    shards = shard(GRAPH, tmp_path / "shards", 4)
    options = ("--loader", "full", "--epochs", 400, "--checkpoint-every", 1)
    train(2, shards, tmp_path / "whole", *options)
    run, draws = tmp_path / "run", random.Random(0)
    metrics = run / "metrics.jsonl"
    words = ("train", shards, "-o", run, *MODEL, "--quiet", *options)
    options_of_torchrun = ("--standalone", "--nproc-per-node=2", "--max-restarts=10")
    process = subprocess.Popen(
        [*TORCHRUN, *options_of_torchrun, "-m", "graphsurgeon", *map(str, words)],
        env=os.environ | {"GLOO_SOCKET_IFNAME": "lo"},
        stderr=subprocess.DEVNULL,
    )
    for kill in range(5):
        wanted, end = 60 * kill + draws.randrange(5, 55), time.monotonic() + 120
        while not metrics.exists() or metrics.read_text().count("\n") < wanted:
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.005)
        workers = children(process.pid)
        os.kill(draws.choice(workers), signal.SIGKILL)
        while any(Path(f"/proc/{worker}").exists() for worker in workers):
            assert time.monotonic() < end
            time.sleep(0.05)
    assert process.wait(timeout=240) == 0
    for name in ("embeddings.npy", "model.safetensors"):
        assert (run / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [
        int(child)
        for child in listed
        if b"graphsurgeon" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


HOSTS = ("gs-host-a", "gs-host-b")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[None]:
    """Two network namespaces with a cable between them."""
    if os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("makes network namespaces, as root")
    try:
        for name in HOSTS:
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("link", "add", "veth0", "netns", HOSTS[0], "type", "veth")
        made = subprocess.run(
            ["ip", "-n", HOSTS[0], "-o", "link"], capture_output=True, text=True, check=True
        )
        assert "veth0" in made.stdout
        ip("-n", HOSTS[0], "link", "set", "veth1", "netns", HOSTS[1])
        for i, name in enumerate(HOSTS):
            ip("-n", name, "address", "add", f"10.77.0.{i + 1}/24", "dev", f"veth{i}")
            ip("-n", name, "link", "set", f"veth{i}", "up")
        yield
    except subprocess.CalledProcessError as error:
        pytest.skip(f"network namespaces: {error.stderr.decode()}")
    finally:
        for name in HOSTS:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def start_on_hosts(*words: object, interface: bool = True) -> list[subprocess.Popen[str]]:
    place = {"MASTER_ADDR": "10.77.0.1", "MASTER_PORT": "29511", "WORLD_SIZE": "2"}
    return [
        subprocess.Popen(
            ["ip", "netns", "exec", name, sys.executable, "-m", "graphsurgeon", *map(str, words)],
            env=os.environ
            | place
            | {"RANK": str(r)}
            | ({"GLOO_SOCKET_IFNAME": f"veth{r}"} if interface else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for r, name in enumerate(HOSTS)
    ]


@pytest.mark.usefixtures("hosts")
def test_two_hosts_train_as_two_processes_of_one(tmp_path):
    shards = shard(GRAPH, tmp_path / "shards", 4)
    options = ("--loader", "full", "--epochs", 10)
    train(2, shards, tmp_path / "one", *options)
    done = wait(start_on_hosts("train", shards, "-o", tmp_path / "two", *MODEL, *options))
    assert [code for code, _, _ in done] == [0, 0], done
    one, two = (tmp_path / run / "embeddings.npy" for run in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.usefixtures("hosts")
def test_a_cut_cable_ends_both_hosts_within_the_timeout(tmp_path):
    shards = shard(GRAPH, tmp_path / "shards", 4)
    options = ("--loader", "full", "--epochs", 100000, "--timeout", 10)
    processes = start_on_hosts("train", shards, "-o", tmp_path / "run", *MODEL, *options)
    metrics, end = tmp_path / "run" / "metrics.jsonl", time.monotonic() + 60
    while not metrics.exists() or metrics.read_text().count("\n") < 5:
        assert time.monotonic() < end
        time.sleep(0.1)
    ip("-n", HOSTS[1], "link", "set", "veth1", "down")
    begun = time.monotonic()
    for code, _, errors in wait(processes):
        assert code == 4
        assert errors.count("error: ") == 1 and "timeout" in errors
    assert time.monotonic() - begun < 30


@pytest.mark.usefixtures("hosts")
def test_a_loopback_address_is_refused_across_hosts(tmp_path):
    shards = shard(GRAPH, tmp_path / "shards", 4)
    name = subprocess.run(["getent", "hosts", os.uname().nodename], capture_output=True, text=True)
    if not name.stdout.startswith("127."):
        pytest.skip("the name of this host is no loopback address")
    words = ("train", shards, "-o", tmp_path / "run", *MODEL)
    for code, _, errors in wait(start_on_hosts(*words, interface=False)):
        assert code == 4 and "GLOO_SOCKET_IFNAME" in errors


def test_a_stopped_rank_is_waited_for_and_then_named(tmp_path):
    shards = shard(GRAPH, tmp_path / "shards", 4)
    run = tmp_path / "run"
    options = ("--loader", "full", "--epochs", 100000, "--timeout", 8, "--quiet")
    processes = start(2, "train", shards, "-o", run, *MODEL, *options)
    metrics, end = run / "metrics.jsonl", time.monotonic() + 60
    while not metrics.exists() or metrics.read_text().count("\n") < 5:
        assert time.monotonic() < end
        time.sleep(0.1)
    processes[1].send_signal(signal.SIGSTOP)
    time.sleep(3)
    assert processes[0].poll() is None
    processes[1].send_signal(signal.SIGCONT)  # slow, not lost
    before = metrics.read_text().count("\n")
    time.sleep(2)
    assert metrics.read_text().count("\n") > before
    processes[1].send_signal(signal.SIGSTOP)
    _, errors = processes[0].communicate(timeout=60)
    processes[1].kill()
    processes[1].wait()
    assert processes[0].returncode == 4
    assert "rank 1 of 2 did not answer within the timeout" in errors
