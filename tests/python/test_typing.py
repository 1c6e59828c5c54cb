"""What type checkers read is what there is."""

import ast
import subprocess
import sys

from conftest import SOURCE

from graphsurgeon import load_dataset
from graphsurgeon._load import core

PACKAGE = SOURCE / "python" / "graphsurgeon"


def test_the_estimators_stub_has_the_cores_options():
    made = subprocess.run([sys.executable, SOURCE / "tools" / "make_stub.py"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    again = "PYTHONPATH=build/python .venv/bin/python tools/make_stub.py > python/graphsurgeon/estimator.pyi"
    assert (PACKAGE / "estimator.pyi").read_text() == made.stdout, f"make it anew: {again}"


def declared(body):
    """The names that statements of a stub declare."""
    named = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return named | {node.target.id for node in body if isinstance(node, ast.AnnAssign)}


def public(value):
    return {name for name in dir(value) if not name.startswith("_")}


def test_the_extensions_stub_names_all_that_is_in_it():
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    (dataset,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    assert declared(tree.body) == public(core)
    assert declared(dataset.body) == public(core.Dataset)


def test_a_dataset_has_the_types_that_the_stub_tells():
    data = load_dataset("sbm:nodes=30,classes=3,features=4")
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    (dataset,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for node in dataset.body:
        if isinstance(node, ast.FunctionDef):
            kinds = ast.unparse(node.returns).replace("np.", "").split(" | ")
            found = type(getattr(data, node.name)).__name__
            assert found in [kind.partition("[")[0] for kind in kinds], node.name
