"""`graphsurgeon ablate NAME`."""

from __future__ import annotations

import argparse
from typing import Any

from ..report import page
from ..report.sections_study import ablation_section
from ..report.study_folders import read_ablations
from .ablation_experiments import AblationOptions
from .ablation_tables import ablation_markdown
from .ablations import ABLATIONS, Ablation, AblationResult, run_ablation
from .catalog import Catalog, unknown
from .grid import is_large
from .results_folder import say, write_text
from .study_command import add_common, add_inputs, open_study, run_command, study_parser
from .study_file import StudyFile

ABOUT = "The paper's ablations, each claim checked."
PAGE = "ablations.html"
QUICK_DATASETS = ("photo", "pubmed")


def parser() -> argparse.ArgumentParser:
    lines = "\n".join(f"  {one.name:<16}{one.summary}" for one in ABLATIONS)
    out = study_parser("ablate", ABOUT, f"ablations:\n{lines}")
    out.add_argument("name", metavar="NAME", help="all, or one of those listed below")
    add_inputs(
        out,
        "NAME.json (one line per cell, not trained again) and NAME.md for each, "
        f"{PAGE} for all; default ablations, with --quick ablations-quick",
        "those of the paper's smaller ones that are here",
    )
    add_common(out, "Photo and PubMed, 20 epochs, three splits, the outer widths")
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
    study = open_study(arguments, "ablations", [one.name for one in which], PAGE)
    folder = study.folder
    options = AblationOptions(arguments.num_splits, arguments.quick)
    results = []
    for ablation in which:
        file = StudyFile(folder / f"{ablation.name}.json")

        def after(result: AblationResult, file: StudyFile = file) -> None:
            head = {"name": result.name, "holds": result.verdict.holds, "text": result.verdict.text}
            file.write(head, result.rows)
            write_text(folder / f"{result.name}.md", ablation_markdown(result))

        experiments = ablation.experiments(datasets, options, catalog)
        result = run_ablation(ablation, experiments, file, study.runner, study.listener, after)
        results.append(json_of(result))
        study.print(f"{result.name}: {result.verdict.text}\n")
    sections = [ablation_section([read_ablations(folder, folder.name)])]
    study.finish(page.page("Ablations", "", sections))
    study.print(f"wrote {folder}")
    return {"ablations": results}


def main(words: list[str]) -> int:
    """Returns the exit code."""
    return run_command(words, parser(), ablate)
