"""The page's sections, in order; one that has nothing to show is left out."""

from __future__ import annotations

from typing import Any

from ..options import OPTIONS
from .figure import colour
from .figures_inspection import inspection_figures
from .figures_scores import METRICS, confusion_figure, degree_figure, label_figure, score_figure, score_rows
from .figures_study import ablation_figures, bench_figures, tuning_figures
from .figures_training import training_figures
from .inputs import Inputs
from .map import graph_payload, map_payload, map_words
from .page import details, esc, figures_html, json_script, map_html, paragraph, section, table
from .run import Run
from .study import Bench, Tuning

Section = tuple[str, str, str]


def sections(inputs: Inputs) -> list[Section]:
    runs = inputs.runs
    made: list[Section] = []
    if runs:
        made += [options_section(runs), scores_section(runs), training_section(runs), map_section(runs),
                 failures_section(runs), inspection_section(runs)]  # fmt: skip
    made += [ablation_section(inputs), bench_section(inputs.benches), tuning_section(inputs.tunings)]
    return [one for one in made if one[2]]


def title_of(inputs: Inputs) -> str:
    runs = inputs.runs
    if len(runs) == 1:
        return f"{runs[0].method} on {data_name(runs[0])}"
    if runs:
        data = list(dict.fromkeys(data_name(run) for run in runs))
        return f"{len(runs)} runs on {', '.join(data) if len(data) <= 3 else f'{len(data)} datasets'}"
    kinds = [(inputs.ablations, "Ablations"), (inputs.benches, "Benchmark"), (inputs.tunings, "Search for options")]
    return " and ".join(name for found, name in kinds if found)


def data_name(run: Run) -> str:
    return run.graph.name if run.graph else str(run.info.get("data", "")).rstrip("/").rpartition("/")[2] or "unknown data"


def swatch(r: int, several: bool) -> str:
    return f'<span class="swatch" style="background:{colour(r)}"></span>' if several else ""


# what was run


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
    out = [(score_text(run), f"test {METRICS.get(run.scores.get('metric', ''), 'score')}, %")] if run.scores else []
    out += [(f"{int(run.info.get(key, 0)):,}", name) for key, name in (("nodes", "nodes"), ("edges", "stored edges"), ("features", "features"))]
    if run.metrics:
        last = run.metrics[-1]
        out.append((f"{last['epoch']:,}", "epochs" if last["epoch"] != 1 else "epoch"))
        times = sorted(float(row["seconds"]) for row in run.metrics if "seconds" in row)
        if times:
            out.append((f"{1000 * times[len(times) // 2]:,.0f} ms", "an epoch, median"))
        if "peak_mib" in last:
            out.append((f"{last['peak_mib']:,.0f} MiB", "peak memory"))
        if last.get("effective_rank"):
            out.append((f"{last['effective_rank']:.1f}", "effective rank at the end"))
    return out


def score_text(run: Run) -> str:
    return f"{run.scores['mean']:.2f} ± {run.scores['std']:.2f}"


def tiles(run: Run) -> str:
    where = f'<p class="lead">{esc(run.name)}: {esc(run.method)}, trained on <code>{esc(run.info.get("data", ""))}</code></p>'
    return where + '<div class="tiles">' + "".join(f"<div><b>{tile(v)}</b><span>{esc(n)}</span></div>" for v, n in facts(run)) + "</div>"


def tile(value: str) -> str:
    """The deviation of a score is smaller than its mean."""
    mean, sign, deviation = value.partition(" ± ")
    return f"{esc(mean)} <small>± {esc(deviation)}</small>" if sign else esc(value)


def glance(runs: list[Run]) -> str:
    names = list(dict.fromkeys(name for run in runs for _, name in facts(run)))
    rows = []
    for r, run in enumerate(runs):
        found = {name: value for value, name in facts(run)}
        data = f"{esc(run.method)} on {esc(data_name(run))}"
        rows.append([swatch(r, True) + esc(run.name), data, *(esc(found.get(name, "")) for name in names)])
    return table(["run", "what", *map(esc, names)], rows)


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def options_section(runs: list[Run]) -> Section:
    changed, same = [], []
    for name in dict.fromkeys(name for run in runs for name in run.options):
        values = [run.options.get(name) for run in runs]
        usual = [run.default_options.get(name) for run in runs]
        (changed if values != usual or len(set(map(shown, values))) > 1 else same).append(name)
    changed.sort(key=lambda name: name != "method")
    head = ["option", "default", *((swatch(r, len(runs) > 1) + esc(run.name)) for r, run in enumerate(runs)), "meaning"]
    data = ["<code>DATA</code>", "", *(f"<code>{esc(run.info.get('data', ''))}</code>" for run in runs), "what it was trained on"]
    content = [table(head, [data, *(option_row(name, runs) for name in changed)], numeric=False)]
    if not changed:
        content.append(paragraph("Every option has its default."))
    rest = table(head, [option_row(name, runs) for name in same], numeric=False)
    content.append(details(f"{len(same)} options that have their defaults", rest))
    return section("options", "What was run", *content)


def option_row(name: str, runs: list[Run]) -> list[str]:
    usual = list(dict.fromkeys(shown(run.default_options.get(name, "")) for run in runs))
    cells = []
    for run in runs:
        value = run.options.get(name)
        text = f"<code>{esc(shown(value))}</code>" if value is not None and shown(value) else ""
        cells.append(f"<mark>{text}</mark>" if text and value != run.default_options.get(name) else text)
    option = OPTIONS.get("random_state" if name == "seed" else name.replace("-", "_"))
    meaning = f'<span class="help">{esc(option.help)}</span>' if option else ""
    return [f"<code>--{esc(name)}</code>", f"<code>{esc(' or '.join(filter(None, usual)))}</code>" if any(usual) else "", *cells, meaning]


# scores


def scores_section(runs: list[Run]) -> Section:
    scored = [run for run in runs if run.scores]
    if not scored:
        return section("scores", "Scores")
    figure = score_figure(runs)
    content = [paragraph("The same linear probe on the trained embeddings and on what needs no training, so that one sees what "
                         "training gave. Mean and deviation over splits, percent.")]  # fmt: skip
    for r, run in enumerate(runs):
        if run.scores:
            content.append(score_table(run, r, len(runs) > 1))
    return section("scores", "Scores", *content, figures_html([figure] if figure else []))


def score_table(run: Run, r: int, several: bool) -> str:
    s = run.scores
    rows = score_rows(run)
    best = max(mean for _, mean, _, _ in rows)
    body = []
    for title, mean, deviation, splits in rows:
        text = f'<span class="best">{mean:.2f} ± {deviation:.2f}</span>' if mean == best else f"{mean:.2f} ± {deviation:.2f}"
        name = f'<span class="best">{esc(title)}</span>' if title == "trained" else esc(title)
        body.append([name, text, f"{min(splits):.2f}", f"{max(splits):.2f}"])
    metric = METRICS.get(s.get("metric", ""), "score")
    about = f"Test {metric} over {len(s['runs'])} splits ({s.get('splits', 'splits unknown')}"
    about += f"; {s['train_labels']:,} training labels a split)" if "train_labels" in s else ")"
    who = f"<h3>{swatch(r, True)}{esc(run.name)}</h3>" if several else ""
    return f'{who}<p class="how">{esc(about)}</p>' + table(["", f"mean {esc(metric)}", "least", "most"], body)


# training, map, failures, inspection


def training_section(runs: list[Run]) -> Section:
    return section("training", "Training, by epoch", figures_html(training_figures(runs)))


def map_section(runs: list[Run]) -> Section:
    drawn = [(r, run) for r, run in enumerate(runs) if run.maps]
    if not drawn:
        return section("map", "Embedding map")
    parts, shared, keys = [], [], {}
    for r, run in drawn:
        payload = map_payload(run) | {"colour": colour(r)}
        if run.graph is not None:
            if id(run.graph) not in keys:
                keys[id(run.graph)] = f"graph-{len(keys)}"
                shared.append(json_script(keys[id(run.graph)], graph_payload(run.graph, run.order)))
            payload["graph"] = keys[id(run.graph)]
        title = f"Nodes by their embeddings: {run.name}" if len(runs) > 1 else "Nodes by their embeddings"
        parts.append(map_html(f"map-{r}", title, map_words(run), payload))
    hint = "Hover or tap a dot for its node; a click in the legend hides a class, a double click shows it alone."
    return section("map", "Embedding map", paragraph(hint), f'<div class="figures">{"".join(parts)}</div>', *shared)


def failures_section(runs: list[Run]) -> Section:
    found = [run for run in runs if run.predictions]
    if not found:
        return section("failures", "Where it fails")
    several = len(runs) > 1
    told = []
    for run in found:
        what = "micro F1" if run.predictions.multi_label else "accuracy"
        text = f"Predictions {run.predictions.how}: {what} {run.predictions.score:.2f} %."
        if run.scores and not run.predictions.multi_label:
            text += f" The protocol's own probe has {run.scores['runs'][0]:.2f} % there." if not run.supervised else ""
        told.append(f'<p class="how">{f"<b>{esc(run.name)}</b>: " if several else ""}{esc(text)}</p>')
    figures = [confusion_figure(run, r, several) for r, run in enumerate(runs)]
    figures += [label_figure(runs), degree_figure(runs)]
    return section("failures", "Where it fails", *told, figures_html([made for made in figures if made]))


def inspection_section(runs: list[Run]) -> Section:
    parts = []
    for r, run in enumerate(runs):
        if run.inspection:
            if len(runs) > 1:
                parts.append(f"<h3>{swatch(r, True)}{esc(run.name)}</h3>")
            parts += [figures_html(inspection_figures(run, r)), disagreeing(run)]
    if parts:
        parts.insert(0, paragraph("What the two learned heads let through, and how far the views they make differ."))
    return section("inspection", "What the learned augmentations do", *parts)


def disagreeing(run: Run) -> str:
    rows = [[esc(row["id"]), f"{row['cosine']:.3f}", f"{row['degree']:,}", esc(row.get("class", ""))] for row in run.inspection["disagree"][:10]]
    return details("The nodes whose views disagree most", table(["node", "cosine", "degree", "class"], rows)) if rows else ""


# studies


def ablation_section(inputs: Inputs) -> Section:
    parts = []
    for a, found in enumerate(inputs.ablations):
        for result in found.results:
            verdict = '<span class="holds">holds</span>' if result.holds else '<span class="fails">does not hold</span>'
            where = f" ({esc(found.name)})" if len(inputs.ablations) > 1 else ""
            problems = [f"{row.get('dataset')} {row.get('variant', '')}: {row['problem']}" for row in result.rows if "problem" in row]
            parts.append(f"<h3>{esc(result.name)}{where}: {verdict}</h3>{paragraph(result.text)}")
            parts += [f'<p class="note">{esc(problem)}</p>' for problem in problems]
            parts.append(figures_html(ablation_figures(result, f"ablation-{a}")))
    return section("ablations", "Ablations", *parts)


def bench_section(benches: list[Bench]) -> Section:
    parts = []
    for b, bench in enumerate(benches):
        if len(benches) > 1:
            parts.append(f"<h3>{esc(bench.name)}</h3>")
        names = list(dict.fromkeys(str(row.get("dataset", "")) for row in bench.rows))
        cells = {(str(row["method"]), str(row.get("dataset", ""))): row for row in bench.rows}
        methods = list(dict.fromkeys(str(row["method"]) for row in bench.rows))
        rows = [[esc(method), *(bench_cell(cells.get((method, name))) for name in names)] for method in methods]
        parts.append(table(["method", *map(esc, names)], rows, "Test score, percent; the paper's figure in brackets"))
        parts.append(figures_html(bench_figures(bench, b)))
    return section("bench", "Benchmark", *parts)


def bench_cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    paper = row.get("paper")
    told = f' <span class="help">({esc(f"{paper:.2f}" if isinstance(paper, (int, float)) else paper)})</span>' if paper is not None else ""
    if not isinstance(row.get("mean"), (int, float)):
        return f'<span class="help" title="{esc(row.get("problem", ""))}">failed</span>{told}'
    return f"{row['mean']:.2f} ± {float(row.get('std') or 0):.2f}{told}"


def tuning_section(tunings: list[Tuning]) -> Section:
    parts = []
    for t, tuning in enumerate(tunings):
        if len(tunings) > 1:
            parts.append(f"<h3>{esc(tuning.name)}</h3>")
        rows = [[f"<code>--{esc(name)}</code>", f"<code>{esc(shown(value))}</code>"] for name, value in tuning.best.items()]
        parts += [paragraph(tuning.origin), table(["option", "best"], rows), figures_html(tuning_figures(tuning, t))]
        head = ["trial", "state", "score", "epochs", "seconds", *map(esc, tuning.searched)]
        keys = ["trial", "state", "value", "epochs", "seconds", *tuning.searched]
        table_rows = [[esc("" if row.get(key) is None else shown(row[key])) for key in keys] for row in tuning.trials[:500]]
        parts.append(details(f"{len(tuning.trials)} trials", table(head, table_rows)))
    return section("tuning", "Search for options", *parts)

