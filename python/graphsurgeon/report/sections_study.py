"""The page's sections of ablations, benches and searches."""

from __future__ import annotations

import math
from typing import Any

from .figures_study import ablation_panel, bench_figures
from .figures_tuning import tuning_figures
from .page import Section, details, esc, figures_html, paragraph, section, shown, table
from .study_folders import Ablations, Bench, Tuning

VERDICTS = {
    True: '<span class="badge holds">the claim holds</span>',
    False: '<span class="badge fails">the claim does not hold</span>',
    None: '<span class="badge open">undecided</span>',
}


def ablation_section(ablations: list[Ablations]) -> Section:
    parts = []
    for a, found in enumerate(ablations):
        where = f" ({found.name})" if len(ablations) > 1 else ""
        for result in found.results:
            made = ablation_panel(result, f"ablation-{a}")
            problems = [
                f"{row.get('dataset')} {row.get('variant', '')}: {row['problem']}"
                for row in result.rows
                if "problem" in row
            ]
            legend = "".join(
                f'<span><span class="swatch" style="background:{shade}"></span>{esc(name)}</span>'
                for shade, name in made.legend
            )
            parts += [
                f'<article class="panel"><h3>{esc(made.question)}{esc(where)}</h3>',
                f"<p>{VERDICTS[result.holds]} {esc(result.text)}</p>",
                *(f'<p class="note">{esc(problem)}</p>' for problem in problems),
                f'<div class="legend">{legend}</div>' if len(made.legend) > 1 else "",
                figures_html(made.figures),
                value_details(made.values),
                "</article>",
            ]
    return section("ablations", "Ablations", *parts)


def value_details(values: list[list[str]]) -> str:
    if not values:
        return ""
    head, *rows = [[esc(cell) for cell in row] for row in values]
    return details("What else differs", table(head, rows))


def bench_section(benches: list[Bench]) -> Section:
    parts = []
    for b, bench in enumerate(benches):
        if len(benches) > 1:
            parts.append(f"<h3>{esc(bench.name)}</h3>")
        names = list(dict.fromkeys(str(row.get("dataset", "")) for row in bench.rows))
        cells = {(str(row["method"]), str(row.get("dataset", ""))): row for row in bench.rows}
        methods = list(dict.fromkeys(str(row["method"]) for row in bench.rows))
        rows = [
            [esc(method), *(bench_cell(cells.get((method, name))) for name in names)]
            for method in methods
        ]
        parts.append(
            table(
                ["method", *map(esc, names)],
                rows,
                "Test score, percent; the paper's figure in brackets",
            )
        )
        parts.append(figures_html(bench_figures(bench, b)))
    return section("bench", "Benchmark", *parts)


def bench_cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    paper = row.get("paper")
    text = f"{paper:.2f}" if isinstance(paper, (int, float)) else paper
    reported = "" if paper is None else f' <span class="help below">({esc(text)})</span>'
    if not isinstance(row.get("mean"), (int, float)):
        return f'<span class="help" title="{esc(row.get("problem", ""))}">failed</span>{reported}'
    deviation = math.hypot(
        float(row.get("std") or 0),
        float(row.get("std_over_encoders") or row.get("std_over_seeds") or 0),
    )  # as in bench.md
    return f"{row['mean']:.2f} ± {deviation:.2f}{reported}"


def tuning_section(tunings: list[Tuning]) -> Section:
    parts = []
    for t, tuning in enumerate(tunings):
        if len(tunings) > 1:
            parts.append(f"<h3>{esc(tuning.name)}</h3>")
        rows = [
            [f"<code>--{esc(name)}</code>", f"<code>{esc(shown(value))}</code>"]
            for name, value in tuning.best.items()
        ]
        note = f'<p class="note">{esc(tuning.note)}</p>' if tuning.note else ""
        parts += [
            paragraph(tuning.origin),
            note,
            table(["option", "best"], rows),
            figures_html(tuning_figures(tuning, t)),
        ]
        head = ["trial", "state", "score", "epochs", "seconds", *map(esc, tuning.searched)]
        keys = ["trial", "state", "value", "epochs", "seconds", *tuning.searched]
        table_rows = [
            [esc("" if row.get(key) is None else shown(row[key])) for key in keys]
            for row in tuning.trials[:500]
        ]
        parts.append(details(f"{len(tuning.trials)} trials", table(head, table_rows)))
    return section("tuning", "Search for options", *parts)
