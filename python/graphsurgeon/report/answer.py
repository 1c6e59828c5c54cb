"""The answer of one run: its score beside what needs no training, a sentence, three numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from .figures_scores import METRICS, REFERENCES, own_title
from .page import esc
from .run import Run

RANK_ROWS = 20_000  # of the embeddings, for their effective rank


@dataclass(frozen=True)
class Standing:
    """A line of the ladder: a score and its deviation, percent."""

    title: str
    mean: float
    std: float
    own: bool = False


@dataclass(frozen=True)
class Provenance:
    """Where a run comes from; empty where it does not say."""

    date: str = ""
    version: str = ""
    machine: str = ""


def standings(run: Run) -> list[Standing]:
    """The run and its references, best first."""
    if not run.scores:
        return []
    found = run.scores.get("reference_scores", {})
    lines = [
        Standing(title, found[key]["mean"], found[key]["std"])
        for key, title in REFERENCES.items()
        if key in found
    ]
    lines.append(Standing(own_title(run), run.scores["mean"], run.scores["std"], True))
    return sorted(lines, key=lambda line: (-line.mean, not line.own))


def best_reference(run: Run) -> Standing | None:
    return next((line for line in standings(run) if not line.own), None)


def verdict(run: Run) -> str:
    """What `eval` concludes, or the same in short where it kept no conclusion."""
    kept = run.scores.get("verdict") if run.scores else None
    if isinstance(kept, dict) and isinstance(kept.get("text"), str) and kept["text"]:
        return str(kept["text"])
    best = best_reference(run)
    if not run.scores:
        return ""
    if best is None:
        return "Nothing is there to compare the score with."
    gain = run.scores["mean"] - best.mean
    return f"{abs(gain):.1f} points {'above' if gain > 0 else 'below'} {best.title}."


def provenance(run: Run) -> Provenance:
    made = run.record
    try:
        day = datetime.fromisoformat(str(made.get("date", ""))[:10])
    except ValueError:  # a run of a version that kept no record
        day = datetime.fromtimestamp((run.folder / "options.json").stat().st_mtime, UTC)
    version = str(made.get("version") or run.info.get("graphsurgeon", ""))
    cpu, threads = str(made.get("cpu", "")), made.get("threads")
    many = f", {threads} thread{'s' if threads != 1 else ''}" if isinstance(threads, int) else ""
    return Provenance(f"{day.day} {day:%B %Y}", version, f"{cpu}{many}" if cpu else "")


def seconds_of(run: Run) -> float | None:
    """What the run took: as it says itself, or the sum of its epochs."""
    if isinstance(run.record.get("seconds"), (int, float)):
        return float(run.record["seconds"])
    times = [float(row["seconds"]) for row in run.metrics if "seconds" in row]
    return sum(times) if times else None


def shape_of(run: Run) -> str:
    return "" if run.z is None else f"{run.z.shape[0]:,} × {run.z.shape[1]:,}"


def made_of(run: Run) -> str:
    keys = (("nodes", "nodes"), ("edges", "stored edges"), ("features", "features"))
    return ", ".join(f"{int(run.info.get(key, 0)):,} {name}" for key, name in keys)


def effective_rank(z: np.ndarray) -> float:
    """exp of the entropy of the normalized singular values; rows at unit length, as in training."""
    rows = np.asarray(z[:: -(-len(z) // RANK_ROWS)], np.float32)
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)
    values = np.sqrt(np.maximum(np.linalg.eigvalsh((rows.T @ rows).astype(np.float64)), 0))
    shares = values[values > 0] / max(values.sum(), 1e-30)
    return float(np.exp(-(shares * np.log(shares)).sum()))


def numbers(run: Run) -> list[tuple[str, str]]:
    """Three numbers and what they are."""
    out = []
    if run.z is not None:
        out.append((f"{run.z.shape[1]:,}", f"numbers for each of {run.z.shape[0]:,} nodes"))
        rank = effective_rank(run.z)
        out.append((f"{rank:,.0f}", f"independent directions among the {run.z.shape[1]:,}"))
    seconds = seconds_of(run)
    if seconds is not None:
        epochs = run.metrics[-1]["epoch"] if run.metrics else 0
        what = f"to train {epochs:,} epoch{'s' if epochs != 1 else ''}" if epochs else "to solve"
        out.append((f"{seconds:,.1f} s" if seconds < 100 else f"{seconds / 60:,.0f} min", what))
    out.append((f"{int(run.info.get('edges', 0)):,}", "stored edges"))
    out.append((f"{int(run.info.get('features', 0)):,}", "features per node"))
    return out[:3]


def answer(run: Run) -> str:
    tiles = "".join(f"<div><b>{esc(v)}</b><span>{esc(n)}</span></div>" for v, n in numbers(run))
    parts = [f'<div class="tiles">{tiles}</div>', meta(run)]
    if run.scores:
        metric = METRICS.get(run.scores.get("metric", ""), "score")
        splits = len(run.scores["values"])
        how = (
            f"Test {metric} of the method's own predictions"
            if run.supervised
            else f"Test {metric} of a linear classifier on the embeddings"
        )
        how += f", mean and deviation of {splits} splits, percent."
        if best_reference(run):
            how += " Gray: the same classifier on inputs that need no training."
        words = f'<p class="verdict">{esc(verdict(run))}</p><p class="how">{esc(how)}</p>'
        parts.insert(0, f'<div class="answer"><div>{words}</div>{ladder(run)}</div>')
    return "".join(parts)


def ladder(run: Run) -> str:
    """The scores as dots with deviations on one scale, best first. Needs no script."""
    lines = standings(run)
    low = min(line.mean - line.std for line in lines)
    high = max(line.mean + line.std for line in lines)
    low, high = low - 0.06 * (high - low + 1e-9), high + 0.06 * (high - low + 1e-9)

    def at(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    rows = []
    for line in lines:
        width = f"{200 * line.std / (high - low):.2f}%"
        rows.append(
            f'<div class="{"rung own" if line.own else "rung"}"><span>{esc(line.title)}</span>'
            f'<div class="track"><i style="left:{at(line.mean - line.std)};width:{width}"></i>'
            f'<b style="left:{at(line.mean)}"></b></div>'
            f"<span>{line.mean:.2f} <small>± {line.std:.2f}</small></span></div>"
        )
    return f'<div class="ladder">{"".join(rows)}</div>'


def meta(run: Run) -> str:
    made = provenance(run)
    data = f"<code>{esc(run.info.get('data', ''))}</code>"
    parts = [f"Run <code>{esc(run.name)}</code>", f"data {data}, {esc(made_of(run))}"]
    parts += [esc(made.date)] if made.date else []
    parts += [f"graphsurgeon {esc(made.version)}"] if made.version else []
    parts += [esc(made.machine)] if made.machine else []
    return f'<p class="meta">{" · ".join(parts)}</p>'
