#!/usr/bin/env python3
"""Prints python/graphsurgeon/estimator.pyi: what type checkers and editors know of the estimator.

    PYTHONPATH=build/python .venv/bin/python tools/make_stub.py > python/graphsurgeon/estimator.pyi

Signatures are those of estimator.py; the options, which it takes as **keywords, are spelled out from their declaration
in the core. tests/python/test_typing.py compares the file with this.
"""

import ast
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from graphsurgeon.options import EXTRAS, OPTIONS

SOURCE = Path(__file__).parents[1] / "python" / "graphsurgeon" / "estimator.py"
HEADER = """# Made by tools/make_stub.py of estimator.py and of the options that the core declares.
import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict

import numpy as np
from typing_extensions import Unpack

from . import _core as core
from .progress import OnEpoch
"""
# Private, but another module of the package calls it.
SHARED = {"_check_fitted"}
# Name, type and default of every keyword.
KEYWORDS = [(name, option.annotation, option.default) for name, option in OPTIONS.items()]
KEYWORDS += [(name, kind, default) for name, (kind, default, _) in EXTRAS.items()]
# Those that the data depends on: features that are made for a graph without any, on the seed.
OF_DATA = {name for name, option in OPTIONS.items() if option.group == "Data"} | {"random_state", "threads"}

Function = ast.FunctionDef


def text_of(kind: Any) -> str:
    """A type as one would write it."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if origin in (Union, types.UnionType):
        return " | ".join(map(text_of, arguments))
    if origin is not None:
        return f"{text_of(origin)}[{', '.join(map(text_of, arguments))}]"
    if kind is type(None):
        return "None"
    prefix = {"os": "os.", "numpy": "np.random."}.get(kind.__module__.partition(".")[0], "")
    return prefix + kind.__name__


def is_public(node: ast.stmt) -> bool:
    """Whether a statement of the module or of its class declares something that users see."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return not node.name.startswith("_") or node.name in SHARED | {"__init__"}
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id[0] != "_"


def keyword_only(names: set[str] | None = None) -> tuple[list[ast.arg], list[ast.expr]]:
    """The options (those of `names`) as arguments, and their defaults."""
    rows = [row for row in KEYWORDS if names is None or row[0] in names]
    arguments = [ast.arg(name, ast.parse(text_of(kind), mode="eval").body) for name, kind, _ in rows]
    return arguments, [ast.parse(repr(default), mode="eval").body for _, _, default in rows]


def spelled_out(function: Function, fit: Function) -> Function:
    """With its **keywords in full."""
    given = function.args
    if given.kwarg is None:
        return function
    if function.name == "__init__":
        more = keyword_only()
    elif given.kwarg.arg == "load":
        more = keyword_only(OF_DATA)
    elif given.kwarg.arg == "fit":
        more = (fit.args.kwonlyargs, fit.args.kw_defaults)
    else:  # what is not given stays as it is: there is no default to show
        given.kwarg.annotation = ast.parse("Unpack[_Keywords]", mode="eval").body
        return function
    given.kwarg = None
    given.kwonlyargs, given.kw_defaults = given.kwonlyargs + more[0], given.kw_defaults + more[1]
    return function


def lines_of(function: Function) -> list[str]:
    """One line, or one an argument where that is too long."""
    function.body = [ast.Expr(ast.Constant(...))]
    *decorators, head, _ = ast.unparse(function).splitlines()
    if len(head) <= 112:
        return [*decorators, f"{head} ..."]
    given = function.args
    before = ast.unparse(ast.arguments([], given.args, None, [], [], None, given.defaults))
    rows = [f"    {before}", "    *"]
    for argument, default in zip(given.kwonlyargs, given.kw_defaults):
        rows.append(f"    {ast.unparse(argument)}" + (f" = {ast.unparse(default)}" if default else ""))
    result = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return [*decorators, f"def {function.name}(", *(f"{row}," for row in rows), f"){result}: ..."]


def stub() -> str:
    public = [node for node in ast.parse(SOURCE.read_text(encoding="utf-8")).body if is_public(node)]
    (estimator,) = (node for node in public if isinstance(node, ast.ClassDef))
    members = [node for node in estimator.body if is_public(node)]
    fit = next(node for node in members if isinstance(node, Function) and node.name == "fit")
    table = [f"    {name}: {text_of(kind)}" for name, kind, _ in KEYWORDS]
    lines = [HEADER, "class _Keywords(TypedDict, total=False):", *table, ""]
    for node in public:
        if isinstance(node, Function):
            lines += lines_of(spelled_out(node, fit))
    lines += ["", f"class {estimator.name}:"]
    lines += [f"    {ast.unparse(node)}" for node in members if isinstance(node, ast.AnnAssign)] + table
    for node in members:
        if isinstance(node, Function):
            lines += [f"    {line}" for line in lines_of(spelled_out(node, fit))]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(stub(), end="")
