"""The top of the page: title, the answer, runs at a glance, and notes on what is missing."""

from __future__ import annotations

from .answer import answer, best_reference, made_of, provenance, seconds_of, shape_of
from .figure import color
from .figures_scores import METRICS
from .inputs import Inputs
from .page import esc, paragraph, table
from .run import Run


def title_of(inputs: Inputs) -> str:
    runs = inputs.runs
    if len(runs) == 1:
        return f"{runs[0].method} on {data_name(runs[0])}"
    if runs:
        data = list(dict.fromkeys(data_name(run) for run in runs))
        return (
            f"{len(runs)} runs on {', '.join(data) if len(data) <= 3 else f'{len(data)} datasets'}"
        )
    kinds = [
        (inputs.ablations, "Ablations"),
        (inputs.benches, "Benchmark"),
        (inputs.tunings, "Search for options"),
    ]
    return ", ".join(name for found, name in kinds if found)


def data_name(run: Run) -> str:
    return (
        run.graph.name
        if run.graph
        else str(run.info.get("data", "")).rstrip("/").rpartition("/")[2] or "unknown data"
    )


def swatch(r: int, several: bool) -> str:
    return f'<span class="swatch" style="background:{color(r)}"></span>' if several else ""


def lead_of(inputs: Inputs) -> str:
    """Below the title: the answer, and what is missing."""
    runs = inputs.runs
    out = []
    if len(runs) == 1:
        out.append(answer(runs[0]))
    elif runs:
        out.append(glance(runs))
    for run in runs:
        for note in run.notes:
            who = f"<b>{esc(run.name)}</b>: " if len(runs) > 1 else ""
            out.append(f'<p class="note">{who}{esc(note)}</p>')
    return "".join(out)


def glance(runs: list[Run]) -> str:
    """One row per run, the best score marked. Times of one machine only are put side by side."""
    one_data = len({data_name(run) for run in runs}) == 1
    machines = {provenance(run).machine for run in runs}
    timed = len(machines) == 1 and machines != {""}
    metrics = dict.fromkeys(str(run.scores["metric"]) for run in runs if run.scores.get("metric"))
    metric = " or ".join(METRICS.get(name, "score") for name in metrics) or "score"
    best = max((run.scores["mean"] for run in runs if run.scores), default=None)
    head = ["run", *([] if one_data else ["data"]), "method", f"test {metric}, %"]
    head += ["best reference, %", "embedding", *(["seconds"] if timed else [])]
    rows = []
    for r, run in enumerate(runs):
        score = reference = ""
        if run.scores:
            score = f"{run.scores['mean']:.2f} ± {run.scores['std']:.2f}"
            if one_data and run.scores["mean"] == best:
                score = f'<span class="best">{score}</span>'
        if found := best_reference(run):
            reference = f'{found.mean:.2f} <span class="help">{esc(found.title)}</span>'
        seconds = seconds_of(run)
        row = [swatch(r, True) + esc(run.name), *([] if one_data else [esc(data_name(run))])]
        row += [esc(run.method), score, reference, esc(shape_of(run))]
        rows.append([*row, *([f"{seconds:,.1f}" if seconds else ""] if timed else [])])
    about = f"All on {data_name(runs[0])}: {made_of(runs[0])}." if one_data else ""
    if not timed:
        about += " Times are not compared: nothing says that the runs were made on one machine."
    return f'<div class="lead">{paragraph(about.strip())}</div>' + table(head, rows)
