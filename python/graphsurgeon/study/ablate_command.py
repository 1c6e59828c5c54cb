"""`graphsurgeon ablate NAME`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .. import _cli
from ..progress import Listener, wanted
from ..report import page
from ..report.sections_study import ablation_section
from ..report.study_folders import read_ablations
from .ablation_experiments import AblationOptions
from .ablation_tables import ablation_markdown
from .ablations import ABLATIONS, Ablation, AblationResult, run_ablation
from .catalog import Catalog, unknown
from .experiment import Runner
from .grid import is_large
from .results_folder import (
    add_common,
    check_results,
    make_folder,
    refuse_renamed,
    remove_empty,
    say,
    write_text,
)
from .study_file import StudyFile

ABOUT = "The paper's ablations, each claim checked."
PAGE = "ablations.html"
QUICK_DATASETS = ("photo", "pubmed")
RENAMED = {"--runs": "--num-splits"}


def parser() -> argparse.ArgumentParser:
    lines = "\n".join(f"  {one.name:<16}{one.summary}" for one in ABLATIONS)
    out = _cli.Parser(
        prog="graphsurgeon ablate",
        description=ABOUT,
        epilog=f"ablations:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    out.add_argument("name", metavar="NAME", help="all, or one of those listed below")
    out.add_argument(
        "-o", "--output", default="", metavar="DIR",
        help="folder of the results: NAME.json (one line per cell, not trained again) and "
        f"NAME.md for each, {PAGE} for all; default ablations, with --quick ablations-quick",
    )  # fmt: skip
    out.add_argument(
        "--datasets", default="all", metavar="NAMES",
        help="catalog names, as photo,cs; all: those of the paper's smaller ones that are here",
    )  # fmt: skip
    out.add_argument(
        "--quick", action="store_true",
        help="Photo and PubMed, 20 epochs, three splits, the outer widths: a first look",
    )  # fmt: skip
    add_common(out)
    return out


def chosen(name: str) -> list[Ablation]:
    found = [one for one in ABLATIONS if name in ("all", one.name)]
    if not found:
        raise unknown("ablation", name, ["all", *(one.name for one in ABLATIONS)], "ablate")
    return found


def datasets_here(arguments: argparse.Namespace, catalog: Catalog) -> list[str]:
    if arguments.datasets != "all":
        out = []
        for name in catalog.parse(arguments.datasets):
            if catalog[name].here:
                out.append(name)
            else:
                say(f"not here, and left out: {name}", arguments.quiet)
    else:
        out = [e.name for e in catalog.entries if e.in_paper and e.here and not is_large(e.name)]
        if arguments.quick:
            out = [name for name in out if name in QUICK_DATASETS]
    if not out:
        raise catalog.none_here()
    return out


def json_of(result: AblationResult) -> dict[str, Any]:
    verdict = result.verdict
    return {"name": result.name, "holds": verdict.holds, "text": verdict.text, "rows": result.rows}


def ablate(arguments: argparse.Namespace) -> dict[str, Any]:
    """Makes the ablations, and returns what `--json` prints."""
    which = chosen(arguments.name)
    catalog = Catalog(arguments.data_root)
    datasets = datasets_here(arguments, catalog)
    folder = Path(arguments.output or ("ablations-quick" if arguments.quick else "ablations"))
    for ablation in which:
        check_results(folder, ablation.name, PAGE)
    make_folder(folder)
    runner = Runner(folder, arguments.threads, arguments.data_root)
    listener = Listener(wanted("auto") and not arguments.quiet)
    options = AblationOptions(arguments.num_splits, arguments.quick)
    results = []
    for ablation in which:
        file = StudyFile(folder / f"{ablation.name}.json")

        def after(result: AblationResult, file: StudyFile = file) -> None:
            head = {"name": result.name, "holds": result.verdict.holds, "text": result.verdict.text}
            file.write(head, result.rows)
            write_text(folder / f"{result.name}.md", ablation_markdown(result))

        experiments = ablation.experiments(datasets, options, catalog)
        result = run_ablation(ablation, experiments, file, runner, listener, after)
        results.append(json_of(result))
        if not arguments.json:
            print(f"{result.name}: {result.verdict.text}\n", flush=True)
    remove_empty(folder / "work")
    sections = [ablation_section([read_ablations(folder, folder.name)])]
    write_text(folder / PAGE, page.page("Ablations", "", sections))
    if not arguments.json:
        print(f"wrote {folder}")
    return {"ablations": results}


def main(words: list[str]) -> int:
    """Returns the exit code."""

    def work() -> None:
        refuse_renamed(words, RENAMED)
        arguments = parser().parse_args(words)
        result = ablate(arguments)
        if arguments.json:
            print(json.dumps(result))

    _cli.stop_on_terminate()
    return _cli.run(work, _cli.STOPPED)
