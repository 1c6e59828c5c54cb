"""What type checkers read agrees with the package."""

import ast
import runpy

from conftest import SOURCE

from graphsurgeon import load_dataset
from graphsurgeon._load import core

PACKAGE = SOURCE / "python" / "graphsurgeon"


def test_the_keywords_are_the_options_of_the_core():
    tool = runpy.run_path(str(SOURCE / "tools" / "make_keywords.py"))
    again = "PYTHONPATH=build/python .venv/bin/python tools/make_keywords.py"
    assert (PACKAGE / "keywords.py").read_text() == tool["keywords"](), f"run {again}"


def stub_classes():
    """The classes that the extension's stub declares; None stands for the module."""
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    classes = {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}
    return {None: tree.body, **classes}


def declared(body):
    """The public names that statements of a stub declare."""
    names = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    names |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    return {name for name in names if not name.startswith("_")}


def public(value):
    return {name for name in dir(value) if not name.startswith("_")}


def test_the_stub_of_the_extension_is_complete():
    for name, body in stub_classes().items():
        if name is None or not name.startswith("_"):
            assert declared(body) == public(getattr(core, name) if name else core), name


def check_types(value, body):
    for node in body:
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(decorator, ast.Name) and decorator.id == "property"
            for decorator in node.decorator_list
        ):
            kinds = ast.unparse(node.returns).replace("np.", "").split(" | ")
            found = type(getattr(value, node.name)).__name__
            assert found in [kind.partition("[")[0] for kind in kinds], node.name


def test_values_have_the_types_that_the_stub_declares(graph, quick):
    stub = stub_classes()
    check_types(load_dataset("sbm:nodes=30,classes=3,features=4"), stub["Dataset"])
    x, edge_index, _ = graph
    model = quick().fit((edge_index, x))
    check_types(core.RunFolder(model.run_), stub["RunFolder"])
