"""An extension that was built for another torch is refused before it is loaded."""

import shutil
import subprocess
from pathlib import Path

from conftest import run_python

import graphsurgeon
from graphsurgeon._built_for import TORCH


def package_built_for(version: str, folder: Path) -> Path:
    """The package as if built for another torch."""
    shutil.copytree(Path(graphsurgeon.__file__).parent, folder / "graphsurgeon", symlinks=True)
    (folder / "graphsurgeon" / "_built_for.py").write_text(f'TORCH = "{version}"\n')
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_python(*words, env={"PYTHONPATH": str(folder)})


def test_another_torch_is_one_readable_error(tmp_path):
    folder = package_built_for("2.6.0", tmp_path)
    done = run(folder, "-c", "from graphsurgeon import GraphSurgeon")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    message = f"graphsurgeon was built for torch 2.6.0, but torch {TORCH} is installed (hint: "
    assert last.startswith(f"ImportError: {message}")
    assert "undefined symbol" not in done.stderr
    code = """
import sys
try:
    import graphsurgeon
    graphsurgeon.GraphSurgeon
except ImportError:
    print("graphsurgeon._core" in sys.modules, "libgraphsurgeon" in open("/proc/self/maps").read())
"""
    assert run(folder, "-c", code).stdout == "False False\n"


def test_the_command_says_the_same(tmp_path):
    done = run(package_built_for("2.6.0", tmp_path), "-m", "graphsurgeon", "train", "x", "-o", "y")
    assert done.returncode == 1
    assert done.stderr.startswith("error: graphsurgeon was built for torch 2.6.0")
    assert done.stderr.count("\n") == 1
