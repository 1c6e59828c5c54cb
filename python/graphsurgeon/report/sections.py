"""The page's sections, in order; one that has nothing to show is left out."""

from __future__ import annotations

from ..options import OPTIONS
from .figure import color
from .figures_inspection import inspection_figures
from .figures_scores import (
    METRICS,
    OWN,
    REFERENCES,
    confusion_figure,
    degree_figure,
    label_figure,
    score_figure,
    score_rows,
)
from .figures_training import training_figures
from .inputs import Inputs
from .lead import swatch
from .map import graph_payload, map_payload, map_words
from .page import (
    Section,
    details,
    esc,
    figures_html,
    json_script,
    map_html,
    paragraph,
    section,
    shown,
    table,
)
from .plain_words import heads_in_words, solved_in_words
from .run import Run
from .sections_study import ablation_section, bench_section, tuning_section


def sections(inputs: Inputs) -> list[Section]:
    runs = inputs.runs
    made: list[Section] = []
    if runs:
        made += [
            map_section(runs),
            scores_section(runs),
            failures_section(runs),
            inspection_section(runs),
            training_section(runs),
            options_section(runs),
        ]
    made += [
        ablation_section(inputs.ablations),
        bench_section(inputs.benches),
        tuning_section(inputs.tunings),
    ]
    return [one for one in made if one[2]]


def code(text: object) -> str:
    return f"<code{' class=long' if len(str(text)) > 30 else ''}>{esc(text)}</code>"


def options_section(runs: list[Run]) -> Section:
    changed: list[str] = []
    same: list[str] = []
    for name in dict.fromkeys(name for run in runs for name in run.options):
        values = [run.options.get(name) for run in runs]
        usual = all(run.is_default(name) for run in runs) and len(set(map(shown, values))) == 1
        (same if usual else changed).append(name)
    changed.sort(key=lambda name: name != "method")
    head = [
        "option",
        "default",
        *((swatch(r, len(runs) > 1) + esc(run.name)) for r, run in enumerate(runs)),
        "meaning",
    ]
    data = [
        "<code>DATA</code>",
        "",
        *(code(run.info.get("data", "")) for run in runs),
        '<span class="help">what it was trained on</span>',
    ]
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
        text = code(shown(value)) if value is not None and shown(value) else ""
        if name in run.by_data:
            text += ' <span class="help">by the data</span>'
        cells.append(text if run.is_default(name) or not text else f"<mark>{text}</mark>")
    option = OPTIONS.get("random_state" if name == "seed" else name.replace("-", "_"))
    meaning = f'<span class="help">{esc(option.help)}</span>' if option else ""
    return [
        f"<code>--{esc(name)}</code>",
        f"<code>{esc(' or '.join(filter(None, usual)))}</code>" if any(usual) else "",
        *cells,
        meaning,
    ]


# scores


def scores_section(runs: list[Run]) -> Section:
    scored = [(r, run) for r, run in enumerate(runs) if run.scores]
    if not scored:
        return section("scores", "Scores")
    several = len(runs) > 1
    about = (
        "The same linear classifier on the embeddings and on four inputs that need no training, "
        "which shows what the method adds. Mean and deviation over splits, percent."
    )
    if any(run.supervised for _, run in scored):
        about += " A method that learns from labels is scored by its own predictions."
    runs_by_splits: dict[str, list[str]] = {splits_text(run): [] for _, run in scored}
    for _, run in scored:
        runs_by_splits[splits_text(run)].append(run.name)
    lines = [
        f"{', '.join(names)}: {text}" if len(runs_by_splits) > 1 else text
        for text, names in runs_by_splits.items()
    ]
    head = ["", *(swatch(r, several) + (esc(run.name) if several else "mean") for r, run in scored)]
    figure = score_figure(runs)
    cells = table(head, score_cells([run for _, run in scored]))
    return section(
        "scores",
        "Scores",
        paragraph(about),
        *(f'<p class="how">{esc(line)}</p>' for line in lines),
        figures_html([figure] if figure else []),
        details("The same as a table", cells) if len(runs) == 1 else cells,
    )


def splits_text(run: Run) -> str:
    s = run.scores
    encoders = s.get("encoders") or [s]
    many = f" of each of {len(encoders)} encoders" if len(encoders) > 1 else ""
    over = f"{len(encoders[0]['values'])} splits{many} ({s.get('splits', 'unknown')}"
    text = f"Test {METRICS.get(s.get('metric', ''), 'score')} over {over}"
    return text + (
        f"; {s['train_labels']:,} training labels each)." if "train_labels" in s else ")."
    )


def score_cells(runs: list[Run]) -> list[list[str]]:
    """A row for each reference and one for the runs themselves; the best of a run is marked."""
    found = [{row[0]: row for row in score_rows(run)} for run in runs]
    best = [max(row[1] for row in rows.values()) for rows in found]
    out = []
    for title in [*REFERENCES.values(), *OWN]:
        if not any(title in rows for rows in found):
            continue
        cells = []
        for rows, top in zip(found, best):
            text = f"{rows[title][1]:.2f} ± {rows[title][2]:.2f}" if title in rows else ""
            cells.append(
                f'<span class="best">{text}</span>'
                if title in rows and rows[title][1] == top
                else text
            )
        out.append([f'<span class="best">{title}</span>' if title in OWN else esc(title), *cells])
    return out


# training, map, failures, inspection


def training_section(runs: list[Run]) -> Section:
    return section("training", "Training, by epoch", figures_html(training_figures(runs)))


def map_section(runs: list[Run]) -> Section:
    drawn = [(r, run) for r, run in enumerate(runs) if run.maps]
    if not drawn:
        return section("map", "Embedding map")
    parts, shared = [], []
    keys: dict[int, str] = {}
    for r, run in drawn:
        payload = map_payload(run) | {"color": color(r)}
        if run.graph is not None:
            if id(run.graph) not in keys:
                keys[id(run.graph)] = f"graph-{len(keys)}"
                shared.append(json_script(keys[id(run.graph)], graph_payload(run.graph, run.order)))
            payload["graph"] = keys[id(run.graph)]
        title = (
            f"Nodes by their embeddings: {run.name}"
            if len(runs) > 1
            else "Nodes by their embeddings"
        )
        parts.append(map_html(f"map-{r}", title, map_words(run), payload, len(drawn) == 1))
    hint = (
        "Hover or tap a dot for its node; a click in the legend hides a class, a double click "
        "shows it alone."
    )
    return section(
        "map",
        "Embedding map",
        paragraph(hint),
        f'<div class="figures">{"".join(parts)}</div>',
        *shared,
    )


def failures_section(runs: list[Run]) -> Section:
    found = [(run, run.predictions) for run in runs if run.predictions]
    if not found:
        return section("failures", "Where it fails")
    several = len(runs) > 1
    lines = []
    for run, predictions in found:
        what = "micro F1" if predictions.multi_label else "accuracy"
        text = f"Predictions {predictions.how}: {what} {predictions.score:.2f} %."
        lines.append(
            f'<p class="how">{f"<b>{esc(run.name)}</b>: " if several else ""}{esc(text)}</p>'
        )
    figures = [confusion_figure(run, r, several) for r, run in enumerate(runs)]
    figures += [label_figure(runs), degree_figure(runs)]
    return section(
        "failures", "Where it fails", *lines, figures_html([made for made in figures if made])
    )


def inspection_section(runs: list[Run]) -> Section:
    parts = []
    for r, run in enumerate(runs):
        if run.inspection:
            if len(runs) > 1:
                parts.append(f"<h3>{swatch(r, True)}{esc(run.name)}</h3>")
            if "filters" in run.inspection:
                parts.append(solved_parts(run))
                continue
            parts += [
                *map(plain_words, heads_in_words(run)),
                figures_html(inspection_figures(run, r)),
                named_features(run),
                disagreeing(run),
            ]
    solved = [run for run in runs if "filters" in run.inspection]
    title = "What the embedding is made of" if solved else "What the two heads do"
    return section("inspection", title, *parts)


def plain_words(text: str) -> str:
    return f'<p class="plain">{esc(text)}</p>'


def solved_parts(run: Run) -> str:
    """What each graph filter of a solved embedding contributes."""
    rows = []
    for row in run.inspection["filters"]:
        features = row["leading"][0]["features"][:8] if row["leading"] else []
        names = ", ".join(("−" if f["weight"] < 0 else "") + f["name"] for f in features)
        share = f"{100 * row['share']:.1f} %"
        filter_ = f"<code>{esc(row['filter'])}</code>"
        rows.append([filter_, f"{row['columns']:,}", share, esc(names)])
    titles = ["filter", "columns", "share", "features of its leading direction"]
    words = "".join(map(plain_words, solved_in_words(run)))
    return words + table(titles, rows, numeric=False)


def named_features(run: Run) -> str:
    """What each head lets through most and least, and what it adds up."""
    gains, mixing = run.inspection["gains"], run.inspection.get("mixing", {})
    rows = []
    for head in ("first", "second"):
        mixed = mixing.get(head, {"closest": [], "features_each": 0})
        most, least = (
            ", ".join(row["name"] for row in gains[f"{what}_by_{head}"][:12])
            for what in ("amplified", "suppressed")
        )
        pairs = ", ".join(
            f"{p['name']} with {p['with']} ({p['cosine']:.2f})" for p in mixed["closest"][:6]
        )
        rows.append(
            [f"{head} head", esc(most), esc(least), esc(pairs), f"{mixed['features_each']:,.0f}"]
        )
    titles = [
        "",
        "lets through most",
        "lets through least",
        "adds up (cosine of the effects)",
        "features in a column",
    ]
    return details(
        "Features that each head amplifies, suppresses and mixes",
        table(titles, rows, numeric=False),
    )


def disagreeing(run: Run) -> str:
    rows = [
        [esc(row["id"]), f"{row['cosine']:.3f}", f"{row['degree']:,}", esc(row.get("class", ""))]
        for row in run.inspection["disagree"][:10]
    ]
    return (
        details(
            "The nodes whose views disagree most",
            table(["node", "cosine", "degree", "class"], rows),
        )
        if rows
        else ""
    )
