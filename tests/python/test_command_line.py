"""Python and the command line give the same results."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import scipy.sparse
import torch
from conftest import SOURCE, failed_program, planted, run_program, run_python
from torch_geometric.data import Data
from torch_geometric.utils import remove_self_loops, to_undirected

import graphsurgeon
from graphsurgeon import GraphSurgeon


def amazon_data(file) -> Data:
    """The file as PyG's Amazon dataset reads it: binary features, undirected, no loops."""
    raw = np.load(file)

    def matrix(name):
        parts = (raw[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
        return scipy.sparse.csr_matrix(tuple(parts), raw[f"{name}_shape"])

    x = torch.from_numpy(matrix("attr").todense()).to(torch.float)
    x[x > 0] = 1
    adjacency = matrix("adj").tocoo()
    edge_index = torch.from_numpy(np.stack([adjacency.row, adjacency.col])).long()
    edge_index, _ = remove_self_loops(edge_index)
    edge_index = to_undirected(edge_index, num_nodes=x.shape[0])
    return Data(x=x, edge_index=edge_index, y=torch.from_numpy(raw["labels"]).long())


def test_photo_as_pyg_data_gives_the_command_lines_embeddings_bit_for_bit(photo_file, tmp_path):
    run_program("train", photo_file, "-o", tmp_path / "run", "--epochs", 3, "--seed", 7, "--quiet")
    model = GraphSurgeon(epochs=3, random_state=7, output="numpy")
    z = model.fit_transform(amazon_data(photo_file))
    assert z.shape == (7650, 512)
    assert np.array_equal(z, np.load(tmp_path / "run" / "embeddings.npy"))
    assert np.array_equal(z, model.transform(amazon_data(photo_file)))


def write_npz(file, x, edge_index, y):
    """A gnn-benchmark file with one direction of every edge and feature values other than 1."""
    one_way = edge_index[:, edge_index[0] < edge_index[1]].numpy()
    a = scipy.sparse.csr_matrix((np.ones(one_way.shape[1]), one_way), (len(x), len(x)))
    f = scipy.sparse.csr_matrix(x.numpy() * 3)
    parts = {
        f"{name}_{part}": getattr(matrix, part)
        for name, matrix in (("adj", a), ("attr", f))
        for part in ("data", "indices", "indptr", "shape")
    }
    np.savez(file, **parts, labels=y.numpy())


def test_generated_photo(tmp_path):
    """The same without the shared data: a file like Photo's, and one that stays sparse."""
    for width, keep in ((40, 1.0), (400, 0.02)):
        x, edge_index, y = planted(width=width)
        x = x * (torch.rand(x.shape, generator=torch.Generator().manual_seed(1)) < keep)
        file = tmp_path / f"like_photo_{width}.npz"
        write_npz(file, x, edge_index, y)
        folder = tmp_path / f"run-{width}"
        words = ["--epochs", 3, "--features", "binary", "--select", "val", "--quiet"]
        run_program("train", file, "-o", folder, *words)
        model = GraphSurgeon(epochs=3, output="numpy", select="val")
        z = model.fit_transform(Data(x=x, edge_index=edge_index, y=y))
        assert np.array_equal(z, np.load(folder / "embeddings.npy"))
        from_file = model.set_params(features="binary").fit_transform(file)
        assert np.array_equal(z, from_file)


def test_module_is_the_program():
    assert "usage" in run_program("train", "--help").stdout.lower()
    code, printed = failed_program("trian")
    assert code == 2 and "did you mean 'train'" in printed


def test_saved_runs_are_the_command_lines(graph, quick, tmp_path):
    x, edge_index, y = graph
    write_npz(tmp_path / "data.npz", x, edge_index, y)
    quick().fit((edge_index, x)).save(tmp_path / "run")
    run, data, z = tmp_path / "run", tmp_path / "data.npz", tmp_path / "z.npy"
    run_program("embed", run, data, "--features", "binary", "-o", z)
    assert np.array_equal(np.load(z), np.load(run / "embeddings.npy"))
    score = json.loads(run_program("eval", run, data, "--json").stdout)
    assert score["mean"] > 40


def test_the_command_line_does_not_wait_for_torch():
    code = "import sys, graphsurgeon.__main__; print('torch' in sys.modules)"
    assert run_python("-c", code).stdout == "False\n"


def test_the_program_finds_torch_in_another_folder(tmp_path):
    """The user's own LD_LIBRARY_PATH comes after it."""
    shutil.copytree(Path(graphsurgeon.__file__).parent, tmp_path / "graphsurgeon", symlinks=True)
    program = tmp_path / "graphsurgeon" / "bin" / "graphsurgeon"
    program.unlink()
    program.write_text('#!/bin/sh\necho "{\\"path\\": \\"$LD_LIBRARY_PATH\\"}"\n')
    program.chmod(0o755)
    torch_lib = str(Path(torch.__file__).parent / "lib")
    ask = "import json; from graphsurgeon import program; print(json.dumps(program.ask('train')))"
    cases = [({}, torch_lib), ({"LD_LIBRARY_PATH": "/opt/mine"}, f"{torch_lib}:/opt/mine")]
    for words in (["-m", "graphsurgeon", "train"], ["-c", ask]):
        for before, wanted in cases:
            done = run_python(*words, env={"PYTHONPATH": str(tmp_path)} | before)
            assert json.loads(done.stdout) == {"path": wanted}, done.stderr


def test_the_example_runs(tmp_path):
    package = Path(graphsurgeon.__file__).absolute().parents[1]  # PYTHONPATH may be relative
    environment = os.environ | {"GRAPHSURGEON_DATA": "", "PYTHONPATH": str(package)}
    example = SOURCE / "examples" / "embed_pyg.py"
    done = run_python(example, "--epochs", 5, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout
