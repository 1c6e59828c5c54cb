"""The top of the page: its title, the runs at a glance, and notes on what is missing."""

from __future__ import annotations

from .figure import color
from .figures_scores import METRICS
from .inputs import Inputs
from .page import esc, table
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
    """Beneath the title: the runs at a glance, and what is missing."""
    runs = inputs.runs
    out = []
    if len(runs) == 1:
        out.append(tiles(runs[0]))
    elif runs:
        out.append(glance(runs))
    for run in runs:
        for note in run.notes:
            who = f"<b>{esc(run.name)}</b>: " if len(runs) > 1 else ""
            out.append(f'<p class="note">{who}{esc(note)}</p>')
    return "".join(out)


def facts(run: Run) -> list[tuple[str, str]]:
    """Value and what it is."""
    out = (
        [(score_text(run), f"test {METRICS.get(run.scores.get('metric', ''), 'score')}, %")]
        if run.scores
        else []
    )
    out += [
        (f"{int(run.info.get(key, 0)):,}", name)
        for key, name in (("nodes", "nodes"), ("edges", "stored edges"), ("features", "features"))
    ]
    if run.metrics:
        last = run.metrics[-1]
        out.append((f"{last['epoch']:,}", "epochs" if last["epoch"] != 1 else "epoch"))
        times = sorted(float(row["seconds"]) for row in run.metrics if "seconds" in row)
        if times:
            out.append((f"{1000 * times[len(times) // 2]:,.0f} ms", "an epoch, median"))
        if "peak_mib" in last:
            out.append((f"{last['peak_mib']:,.0f} MiB", "peak memory"))
        looks = [row for row in run.metrics if row.get("effective_rank")]
        if looks:
            out.append(
                (
                    f"{looks[-1]['effective_rank']:.1f}",
                    f"effective rank at epoch {looks[-1]['epoch']:,}",
                )
            )
    return out


def score_text(run: Run) -> str:
    return f"{run.scores['mean']:.2f} ± {run.scores['std']:.2f}"


def tiles(run: Run) -> str:
    data = esc(run.info.get("data", ""))
    where = (
        f'<p class="lead">{esc(run.name)}: {esc(run.method)}, trained on <code>{data}</code></p>'
    )
    return (
        where
        + '<div class="tiles">'
        + "".join(f"<div><b>{tile(v)}</b><span>{esc(n)}</span></div>" for v, n in facts(run))
        + "</div>"
    )


def tile(value: str) -> str:
    """The deviation of a score is smaller than its mean."""
    mean, sign, deviation = value.partition(" ± ")
    return f"{esc(mean)} <small>± {esc(deviation)}</small>" if sign else esc(value)


def glance(runs: list[Run]) -> str:
    """One row per run; what all have in common goes above."""
    known = [{name: value for value, name in facts(run)} for run in runs]
    names = list(dict.fromkeys(name for found in known for name in found))
    same = [
        name
        for name in ("nodes", "stored edges", "features")
        if len({found.get(name) for found in known}) == 1
    ]
    one_data = len({data_name(run) for run in runs}) == 1
    lead = f'<p class="lead">All on {esc(data_name(runs[0]))}: ' if one_data else ""
    lead += (
        ", ".join(f"{esc(known[0][name])} {name}" for name in same) + ".</p>" if one_data else ""
    )
    shown_names = [name for name in names if not (one_data and name in same)]
    rows = [
        [
            swatch(r, True) + esc(run.name),
            esc(run.method if one_data else f"{run.method} on {data_name(run)}"),
            *(esc(found.get(name, "")) for name in shown_names),
        ]
        for r, (run, found) in enumerate(zip(runs, known))
    ]
    return lead + table(["run", "method" if one_data else "what", *map(esc, shown_names)], rows)
