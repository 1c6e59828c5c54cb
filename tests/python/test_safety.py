"""What hostile surroundings must not do: files, paths, processes and signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import torch
from conftest import failed_program, planted, run_program, run_python

import graphsurgeon
from graphsurgeon import DataError, GraphSurgeon
from graphsurgeon.program import PROGRAM

BUILD = Path(os.path.realpath(PROGRAM)).parent
NOT_UTF8 = os.fsdecode(b"caf\xe9")


@pytest.mark.parametrize("command", ["report", "tune", "bench", "ablate"])
def test_modules_in_the_current_folder_are_not_imported(command, tmp_path):
    """A folder of somebody else's data may hold any file."""
    if not (BUILD / f"graphsurgeon-{command}").exists():
        pytest.skip("an installed package has them in the environment's own bin folder")
    for name in ("json", "numpy", "graphsurgeon", "optuna", "plotly"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from here')")
    done = subprocess.run(
        [PROGRAM, command, "--help"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0 and "imported" not in done.stderr


def write_folder(path, shift=0.0):
    """A dataset folder with dense features, which are mapped."""
    x, edge_index, _ = planted(nodes=400, width=64)
    np.savez(
        path.with_suffix(".npz"),
        features=x.numpy() + np.float32(0.5 + shift),
        target=np.arange(400) % 3,
        edges=edge_index.numpy().T,
    )
    run_program("data", "convert", path.with_suffix(".npz"), "-o", path, "--quiet", "--overwrite")
    return path


@pytest.mark.parametrize("damage", ["cut", "rewritten"])
def test_a_dataset_whose_files_changed_is_refused_before_use(damage, tmp_path, quick):
    data = graphsurgeon.load_dataset(write_folder(tmp_path / "data"))
    model = quick().fit(data)
    time.sleep(0.01)
    with open(tmp_path / "data" / "features.npy", "r+b") as file:
        if damage == "cut":
            file.truncate(200)
        else:
            file.seek(1000)
            file.write(b"12345678")
    for use in (lambda: quick().fit(data), lambda: model.transform(data)):
        with pytest.raises(DataError, match=r"features.npy: changed while it was in use"):
            use()


def test_a_dataset_whose_files_were_replaced_by_new_ones_is_used_as_it_was(tmp_path, quick):
    data = graphsurgeon.load_dataset(write_folder(tmp_path / "data"))
    wanted = quick(random_state=1, output="numpy").fit_transform(data)
    write_folder(tmp_path / "data", shift=1)
    assert np.array_equal(quick(random_state=1, output="numpy").fit_transform(data), wanted)


FORKED = """
import os, sys
import numpy as np
from graphsurgeon import GraphSurgeon
sys.path.insert(0, {tests!r})
from conftest import SMALL, planted
x, edge_index, _ = planted(nodes=400)
def z():
    return GraphSurgeon(**SMALL, threads=2, output="numpy").fit_transform((edge_index, x))
before = z()
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(z(), before) else 9)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_trains_to_the_same_bits():
    """It has none of the threads that its parent's OpenMP started."""
    done = run_python("-c", FORKED.format(tests=str(Path(__file__).parent)), timeout=120)
    assert done.stdout == "0\n", done.stderr


def test_gradients_are_on_in_the_callback_and_fit_needs_none(graph, quick):
    x, edge_index, _ = graph
    seen = []

    def on_epoch(_):
        weight = torch.ones(3, requires_grad=True)
        (weight * 2).sum().backward()
        seen.append(weight.grad is not None)

    quick().fit((edge_index, x), on_epoch=on_epoch)
    assert seen and all(seen)
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            quick().fit((edge_index, x))
        assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def test_paths_in_any_encoding(tmp_path, graph, quick):
    x, edge_index, _ = graph
    folder = tmp_path / NOT_UTF8
    folder.mkdir()
    np.savez(
        folder / "a.npz",
        features=x.numpy(),
        target=np.arange(len(x)) % 3,
        edges=edge_index.numpy().T,
    )
    for path in (folder / "a.npz", os.fsencode(folder / "a.npz")):
        model = quick(output="numpy").fit(path, run=folder / "run", overwrite=True)
        again = GraphSurgeon.load(folder / "run").transform(path)
        assert np.array_equal(model.embeddings_, again)
    model.save(folder / "copy")
    assert model.run_ == str(folder / "run") and "a" in repr(graphsurgeon.load_dataset(path))
    with pytest.raises(DataError, match="no such file"):
        quick().fit(folder / "nothing.npz")
    subprocess.run([PROGRAM, "verify", folder / "copy"], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda x, e: (e, x + 1j), "x holds complex numbers"),
        (lambda x, e: (e, scipy.sparse.csr_matrix(x.numpy() + 1j)), "x holds complex numbers"),
        (lambda x, e: (scipy.sparse.eye(120).tocsr() * 1j, x), "weights are complex"),
        (
            lambda x, e: torch_geometric_data(x, e, torch.ones(e.shape[1]) * 1j),
            "weights are complex",
        ),
        (lambda x, e: (bad_csr(), x), "cannot read the graph"),
        (lambda x, e: (e, bad_csr()), "cannot read the graph"),
    ],
)
def test_arrays_that_would_be_misread_are_refused(graph, quick, data, message):
    x, edge_index, _ = graph
    with pytest.raises(DataError, match=message):
        quick().fit(data(x, edge_index))


def torch_geometric_data(x, edge_index, weight):
    from torch_geometric.data import Data

    return Data(x=x, edge_index=edge_index, edge_weight=weight)


def bad_csr():
    """A matrix with a column index out of range, which scipy takes as it is."""
    matrix = scipy.sparse.eye(120, dtype=np.float32).tocsr()
    matrix.indices[7] = 10**9
    return matrix


@pytest.fixture
def read_only(tmp_path):
    """A disk that cannot be written to."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", disk], check=False)
    if mounted.returncode != 0:
        pytest.skip("a disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_read_only_disk_is_bad_data(read_only, tmp_path, quick, graph):
    x, edge_index, _ = graph
    quick().fit((edge_index, x), run=tmp_path / "run")
    words = [["report", tmp_path / "run"], ["embed", tmp_path / "run", "sbm:nodes=90,features=40"]]
    for command, output in zip(words, ("page.html", "z.npy")):
        code, printed = failed_program(*command, "-o", read_only / output)
        assert code == 3 and "read-only" in printed.lower() and "hint: " in printed
    with pytest.raises(DataError, match="(?i)read-only"):
        quick().fit((edge_index, x), run=read_only / "run")


def children_of(pid):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    direct = [int(word) for word in found.stdout.split()]
    return direct + [below for child in direct for below in children_of(child)]


def test_a_killed_bench_leaves_no_training_behind(tmp_path):
    code = (
        "from graphsurgeon import program; program.run('train', 'sbm:nodes=500,features=9',"
        f" '-o', {str(tmp_path / 'run')!r}, '--epochs', 10**6, '--lr', 1e-12, '--quiet')"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    metrics = tmp_path / "run" / "metrics.jsonl"
    for _ in range(600):
        if metrics.exists() and metrics.stat().st_size:
            break
        time.sleep(0.05)
    children = children_of(parent.pid)
    assert len(children) == 2  # the launcher and the training
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    for _ in range(600):
        if not any(os.path.exists(f"/proc/{pid}") for pid in children):
            break
        time.sleep(0.05)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in children)
    done = json.loads((metrics.read_text()).splitlines()[-1])
    assert done["epoch"] >= 1
