"""The paper's ablations, each with its claim: what is trained, what is compared, and whether the
claim holds by our numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from ..progress import Listener
from .ablation_experiments import (
    AblationOptions,
    batch_experiments,
    convergence_experiments,
    loss_experiments,
    mode_experiments,
    symmetry_experiments,
    width_experiments,
)
from .catalog import Catalog
from .experiment import Experiment, Row, Runner
from .results_folder import find_or_run
from .study_file import StudyFile
from .verdicts import (
    Verdict,
    judge_batch,
    judge_convergence,
    judge_loss,
    judge_mode,
    judge_symmetry,
    judge_width,
)


class Figures(IntEnum):
    """What the tables of an ablation show; each also what comes before it."""

    SCORES = 0
    COSTS = 1
    VALUES = 2


@dataclass(frozen=True)
class Ablation:
    name: str
    summary: str
    experiments: Callable[[list[str], AblationOptions, Catalog], list[Experiment]]
    judge: Callable[[list[Row]], Verdict]
    figures: Figures = Figures.SCORES


ABLATIONS = (
    Ablation(
        "loss",
        "original, improved and scaled constraint: accuracy, memory, time",
        loss_experiments,
        judge_loss,
        Figures.COSTS,
    ),
    Ablation(
        "batch-size",
        "sampled batches of 64 to 4096 nodes: accuracy and time",
        batch_experiments,
        judge_batch,
        Figures.COSTS,
    ),
    Ablation(
        "embedding-size",
        "widths 256 to 1280, beside the baselines",
        width_experiments,
        judge_width,
    ),
    Ablation(
        "pre-vs-post",
        "heads before or after the encoder: accuracy, memory, time, values",
        mode_experiments,
        judge_mode,
        Figures.VALUES,
    ),
    Ablation(
        "symmetry",
        "symmetric against asymmetric networks",
        symmetry_experiments,
        judge_symmetry,
    ),
    Ablation(
        "convergence",
        "accuracy by epoch: do 50 suffice?",
        convergence_experiments,
        judge_convergence,
    ),
)


@dataclass
class AblationResult:
    name: str
    rows: list[Row] = field(default_factory=list)
    verdict: Verdict = field(default_factory=lambda: Verdict("", None))
    figures: Figures = Figures.SCORES


def run_ablation(
    ablation: Ablation,
    experiments: list[Experiment],
    file: StudyFile,
    runner: Runner,
    listener: Listener,
    after: Callable[[AblationResult], None],
) -> AblationResult:
    """Runs the experiments that are not in `file`; calls `after` with the result so far after each
    of them, and in the end."""
    rows: list[Row] = []
    listener.start(ablation.name, len(experiments), "trainings")
    for experiment in experiments:
        listener.advance(0, experiment.name)
        row, fresh = find_or_run(experiment, file, runner)
        rows.append(row)
        listener.advance(1, "")
        if fresh and len(rows) < len(experiments):
            after(result_of(ablation, rows))
    listener.finish()
    result = result_of(ablation, rows)
    after(result)
    return result


def result_of(ablation: Ablation, rows: list[Row]) -> AblationResult:
    verdict = ablation.judge(rows)
    for row in rows:
        if "problem" in row:
            verdict.text += f" ({row['variant']} on {row['dataset']} failed: {row['problem']})"
    return AblationResult(ablation.name, list(rows), verdict, ablation.figures)
