"""`graphsurgeon data import EDGES NODES -o FOLDER`."""

from __future__ import annotations

import argparse
import json
import os
import sys

from .. import _cli
from .._load import core
from ..errors import UsageError
from ..progress import Listener
from .graph import read_tables


def parser() -> argparse.ArgumentParser:
    about = (
        "Makes a dataset folder from a table of edges and a table of nodes: CSV, Parquet or Arrow "
        "files. Numbers and dates are scaled, categories become columns of 0 and 1, missing values "
        "are marked."
    )
    out = _cli.Parser(prog="graphsurgeon data import", description=about, allow_abbrev=False)
    add = out.add_argument
    add("tables", nargs="+", metavar="EDGES NODES", help="the tables; only NODES with --knn")
    add("-o", "--output", required=True, metavar="FOLDER", help="folder to write")
    edges = out.add_argument_group("edges").add_argument
    edges("--source-column", default="", metavar="NAME", help="where an edge begins; guessed")
    edges("--target-column", default="", metavar="NAME", help="where it ends; guessed")
    edges("--weight-column", default="", metavar="NAME", help="its weight; guessed")
    edges("--directed", action="store_true", help="keep the direction; by default edges have none")
    edges(
        "--unknown-ids",
        choices=["error", "drop"],
        default="error",
        help="what to do with edges to ids that NODES does not have (error)",
    )
    edges("--knn", type=int, default=0, metavar="K", help="no EDGES: join each node with K others")
    nodes = out.add_argument_group("nodes").add_argument
    nodes(
        "--id-column", default="", metavar="NAME", help="the ids; 'row': numbers of rows; guessed"
    )
    nodes("--label-column", default="", metavar="NAME", help="the classes, no feature; guessed")
    nodes("--no-label", action="store_true", help="no column holds classes")
    nodes(
        "--categories",
        action="append",
        default=[],
        metavar="NAME,...",
        help="columns to take as words even if they are numbers or many words",
    )
    nodes("--ignore", action="append", default=[], metavar="NAME,...", help="columns to leave out")
    nodes("--like", metavar="RUN", help="encode as the tables of this run or dataset folder were")
    out.add_argument("--overwrite", action="store_true", help="replace an existing dataset folder")
    out.add_argument("--json", action="store_true", help="print the result as one JSON object")
    out.add_argument("--quiet", action="store_true", help="print no notes")
    return out


def _names(given: list[str]) -> list[str]:
    return [name for text in given for name in text.split(",") if name]


def import_tables(words: list[str]) -> None:
    given = parser().parse_args(words)
    tables: list[str] = given.tables
    if len(tables) > 2 or (len(tables) == 2 and given.knn):
        hint = "EDGES NODES, or only NODES with --knn"
        raise UsageError(f"{len(tables)} tables are too many", hint)
    edges, nodes = tables if len(tables) == 2 else (None, tables[0])
    graph = read_tables(
        edges,
        nodes,
        source_column=given.source_column,
        target_column=given.target_column,
        weight_column=given.weight_column,
        id_column=given.id_column,
        label_column=None if given.no_label else given.label_column,
        categories=_names(given.categories),
        ignore=_names(given.ignore),
        directed=given.directed,
        unknown_ids=given.unknown_ids,
        knn=given.knn,
        like=given.like,
    )
    if not given.quiet:
        print(
            "\n".join([*graph.notes, *(f"note: {text}" for text in graph.warnings)]),
            file=sys.stderr,
        )
    graph.name = os.path.basename(os.path.normpath(given.output))
    silent = Listener(False)
    dataset = core.dataset(graph.graph_arrays(), "{}", 0, silent)
    core.write_dataset(dataset, given.output, given.overwrite, tables, silent)
    result = {
        "output": given.output,
        "nodes": dataset.nodes,
        "edges": dataset.edges,
        "features": dataset.features,
        "classes": dataset.classes,
    }
    if given.json:
        print(json.dumps(result))
        return
    sizes = f"{dataset.nodes:,} nodes, {dataset.edges:,} stored edges, {dataset.features} features"
    print(f"wrote {given.output}: {sizes}")
    if given.like:
        print(f"next: graphsurgeon embed RUN {given.output} -o embeddings.csv")
    else:
        print(f"next: graphsurgeon train {given.output} -o run")


def main(words: list[str]) -> int:
    _cli.stop_on_terminate()
    return _cli.run(lambda: import_tables(words), "error: stopped; nothing was written")
