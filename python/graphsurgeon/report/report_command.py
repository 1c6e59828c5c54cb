"""`graphsurgeon report RUN... -o page.html`."""

from __future__ import annotations

import argparse
import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .. import _cli
from ..errors import DataError, UsageError
from . import page
from .inputs import Inputs, read_inputs
from .lead import lead_of, title_of
from .projection import MAPS
from .run import ReportSettings, complete
from .sections import sections


def parser() -> argparse.ArgumentParser:
    about = "Writes runs, ablations, benchmarks and searches as one HTML page that works offline."
    out = _cli.Parser(prog="graphsurgeon report", description=about, allow_abbrev=False)
    out.add_argument(
        "folders",
        metavar="RUN",
        nargs="+",
        help="folder written by train, ablate, bench or tune; several are compared",
    )
    out.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="page to write, such as page.html"
    )
    out.add_argument(
        "--data",
        default="",
        metavar="DATA",
        help="data the runs were trained on, if it has moved since",
    )
    out.add_argument(
        "--data-root",
        default="",
        metavar="DIR",
        help="folder of the catalog's datasets; default $GRAPHSURGEON_DATA, else the cache folder",
    )
    out.add_argument("--title", default="", metavar="TEXT", help="title of the page")
    out.add_argument(
        "--map",
        choices=tuple(MAPS),
        default="tsne",
        help="first map of the embeddings; umap needs the package umap-learn, pca is the fastest "
        "(tsne)",
    )
    _cli.add_renamed(out, "--no-tsne", "--map pca")
    out.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="INT",
        help="random seed for sampling nodes and for the map (0)",
    )
    out.add_argument(
        "--threads",
        type=int,
        default=0,
        metavar="INT",
        help="number of threads; 0 uses every core this process may run on",
    )
    out.add_argument(
        "--overwrite", action="store_true", help="replace a file that graphsurgeon did not write"
    )
    out.add_argument("--quiet", action="store_true", help="print no progress and no notes")
    out.add_argument(
        "--json", action="store_true", help="print the result as one JSON object on standard output"
    )
    return out


def check(arguments: argparse.Namespace) -> None:
    output = Path(arguments.output)
    if output.is_dir() or not output.name:
        raise UsageError(f"-o: '{output}' is a folder", "name a file, as page.html")
    if not output.parent.is_dir():
        raise DataError(f"{output.parent}: no such folder", "make it first")
    if output.exists() and not arguments.overwrite and not page.is_page(output):
        raise DataError(
            f"{output}: already exists and was not written by graphsurgeon",
            "pass --overwrite to replace it",
        )
    if arguments.map == "umap" and find_spec("umap") is None:
        raise UsageError("--map umap: umap-learn is not installed", "pip install umap-learn")
    if arguments.seed < 0 or arguments.threads < 0:
        raise UsageError("--seed and --threads are at least 0")


def say(step: str) -> None:
    """Progress: what is being worked on."""
    print(f"report: {step}", file=sys.stderr, flush=True)


def report(arguments: argparse.Namespace) -> dict[str, Any]:
    """Writes the page and returns what `--json` prints."""
    check(arguments)
    inputs: Inputs = read_inputs(arguments.folders)
    settings = ReportSettings(
        arguments.data,
        arguments.data_root,
        arguments.map,
        arguments.seed,
        arguments.threads,
        (lambda step: None) if arguments.quiet else say,
    )
    graphs: dict[str, Any] = {}
    for run in inputs.runs:
        complete(run, settings, graphs)
    settings.step("page")
    made = sections(inputs)
    content = page.page(arguments.title or title_of(inputs), lead_of(inputs), made).encode(
        "utf-8", errors="replace"
    )
    _cli.write(Path(arguments.output), content)
    notes = [{"run": run.name, "note": note} for run in inputs.runs for note in run.notes]
    return {
        "output": arguments.output,
        "bytes": len(content),
        "figures": sum(len(re.findall(r"<figure ", content)) for _, _, content in made),
        "sections": [key for key, _, _ in made],
        "runs": [run.name for run in inputs.runs],
        "notes": notes,
    }


def main(words: list[str] | None = None) -> int:
    """Returns the exit code."""

    def work() -> None:
        arguments = parser().parse_args(words)
        result = report(arguments)
        if arguments.json:
            print(json.dumps(result))
            return
        if not arguments.quiet:
            for row in result["notes"]:
                print(f"note: {row['run']}: {row['note']}", file=sys.stderr)
        print(
            f"wrote {result['output']}: {result['figures']} figures, "
            f"{result['bytes'] / 2**20:.1f} MiB"
        )

    return _cli.run(
        work, "error: stopped; nothing was written\nhint: the same command begins again"
    )
