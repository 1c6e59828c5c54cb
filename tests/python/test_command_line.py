"""Python and the command line are one tool."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy.sparse
import torch
from conftest import SOURCE, planted, run_program
from torch_geometric.data import Data
from torch_geometric.utils import remove_self_loops, to_undirected

import graphsurgeon
from graphsurgeon import GraphSurgeon


def amazon_data(file) -> Data:
    """What PyG's own Amazon dataset makes of the file: binary features, undirected, no loops."""
    raw = np.load(file)
    x = scipy.sparse.csr_matrix((raw["attr_data"], raw["attr_indices"], raw["attr_indptr"]), raw["attr_shape"])
    x = torch.from_numpy(x.todense()).to(torch.float)
    x[x > 0] = 1
    adjacency = scipy.sparse.csr_matrix((raw["adj_data"], raw["adj_indices"], raw["adj_indptr"]), raw["adj_shape"])
    adjacency = adjacency.tocoo()
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
    """A gnn-benchmark file of an undirected graph, one direction of every edge, values other than 1."""
    one_way = edge_index[:, edge_index[0] < edge_index[1]].numpy()
    a = scipy.sparse.csr_matrix((np.ones(one_way.shape[1]), one_way), (len(x), len(x)))
    f = scipy.sparse.csr_matrix(x.numpy() * 3)
    np.savez(
        file,
        adj_data=a.data, adj_indices=a.indices, adj_indptr=a.indptr, adj_shape=a.shape,
        attr_data=f.data, attr_indices=f.indices, attr_indptr=f.indptr, attr_shape=f.shape,
        labels=y.numpy(),
    )  # fmt: skip


def test_generated_photo(tmp_path):
    """The same without the shared data: a file like Photo's, and another that is sparse enough to stay so."""
    for width, keep in ((40, 1.0), (400, 0.02)):
        x, edge_index, y = planted(width=width)
        x = x * (torch.rand(x.shape, generator=torch.Generator().manual_seed(1)) < keep)
        file = tmp_path / f"like_photo_{width}.npz"
        write_npz(file, x, edge_index, y)
        folder = tmp_path / f"run-{width}"
        run_program("train", file, "-o", folder, "--epochs", 3, "--features", "binary", "--quiet", "--select", "val")
        model = GraphSurgeon(epochs=3, output="numpy", select="val")
        z = model.fit_transform(Data(x=x, edge_index=edge_index, y=y))
        assert np.array_equal(z, np.load(folder / "embeddings.npy"))
        from_file = GraphSurgeon(epochs=3, output="numpy", select="val", features="binary").fit_transform(file)
        assert np.array_equal(z, from_file)


def test_module_is_the_program():
    assert "usage" in run_program("train", "--help").stdout.lower()
    wrong = subprocess.run([sys.executable, "-m", "graphsurgeon", "trian"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "did you mean 'train'" in wrong.stderr


def test_saved_runs_are_the_command_lines(graph, quick, tmp_path):
    x, edge_index, y = graph
    write_npz(tmp_path / "data.npz", x, edge_index, y)
    quick().fit((edge_index, x)).save(tmp_path / "run")
    run_program("embed", tmp_path / "run", tmp_path / "data.npz", "--features", "binary", "-o", tmp_path / "z.npy")
    assert np.array_equal(np.load(tmp_path / "z.npy"), np.load(tmp_path / "run" / "embeddings.npy"))
    score = json.loads(run_program("eval", tmp_path / "run", tmp_path / "data.npz", "--json").stdout)
    assert score["mean"] > 40


def test_the_command_line_does_not_wait_for_torch():
    code = "import sys, graphsurgeon.__main__; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_the_program_is_told_where_torch_lies(tmp_path):
    """Which may be another folder than the package's; what the user has set comes behind."""
    shutil.copytree(Path(graphsurgeon.__file__).parent, tmp_path / "graphsurgeon", symlinks=True)
    program = tmp_path / "graphsurgeon" / "bin" / "graphsurgeon"
    program.unlink()
    program.write_text('#!/bin/sh\necho "{\\"path\\": \\"$LD_LIBRARY_PATH\\"}"\n')
    program.chmod(0o755)
    torch_lib = str(Path(torch.__file__).parent / "lib")
    ask = "from graphsurgeon.report import program; import json; print(json.dumps(program.ask('train')))"
    for words in (["-m", "graphsurgeon", "train"], ["-c", ask]):
        for before, wanted in (({}, torch_lib), ({"LD_LIBRARY_PATH": "/opt/mine"}, f"{torch_lib}:/opt/mine")):
            done = subprocess.run(
                [sys.executable, *words], capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)} | before
            )
            assert json.loads(done.stdout) == {"path": wanted}, done.stderr


def test_the_example_runs(tmp_path):
    package = Path(graphsurgeon.__file__).absolute().parents[1]  # PYTHONPATH may name it from this folder
    done = subprocess.run(
        [sys.executable, SOURCE / "examples" / "embed_pyg.py", "--epochs", "5"],
        capture_output=True, text=True, cwd=tmp_path,
        env=os.environ | {"GRAPHSURGEON_DATA": "", "PYTHONPATH": str(package)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout
