"""What the trainings of an ablation say about the paper's claim.

A claim holds when it holds on most datasets: an average would let one dataset's loss pay for
another's gain. Rows with a "problem" take no part.
"""

from __future__ import annotations

from dataclasses import dataclass

from .ablation_experiments import WIDTH_METHODS, WIDTHS
from .ablation_rows import AblationRows, Share
from .experiment import Row


@dataclass
class Verdict:
    text: str  # one paragraph: the paper's claim, our figures, whether it holds
    holds: bool | None  # None where the trainings cannot tell


def judged(*shares: Share) -> bool | None:
    """A claim that needs every one of them; open where one could not be looked at."""
    if any(share.all == 0 for share in shares):
        return None
    return all(share.most for share in shares)


def verdict(holds: bool | None) -> str:
    if holds is None:
        return "These trainings cannot tell."
    return "It holds." if holds else "It does not hold."


def within_a_point(x: float, y: float) -> bool:
    return abs(x - y) <= 1


def greater(x: float, y: float) -> bool:
    return x > y


def judge_loss(found: list[Row]) -> Verdict:
    rows = AblationRows(found)

    def dearer(x: float, y: float) -> bool:
        return x > 1.1 * y

    # The identity gives the original's value and gradient: it stands in where N x N does not fit.
    same = rows.share("improved", "original", "mean", within_a_point)
    memory = rows.share("naive", "improved", "peak_mib", dearer)
    time = rows.share("naive", "improved", "ms_per_epoch", dearer)
    holds = judged(same, memory, time)
    costs = "what the N x N matrix costs was not seen"
    if memory.all and time.all:
        costs = (
            "the original through the N x N matrix takes "
            f"{rows.ratio('naive', 'improved', 'peak_mib'):.1f} times the memory and "
            f"{rows.ratio('naive', 'improved', 'ms_per_epoch'):.1f} times the time of an epoch"
        )
    return Verdict(
        "The paper says that the improved constraint reaches the accuracy of the original one with "
        f"much less memory and time. Ours: {rows.difference('improved', 'original'):+.2f} points "
        f"on average, within a point {same}; {costs}. {verdict(holds)} But the original needs no "
        "N x N matrix: by the identity of the Gram matrices it costs "
        f"{rows.ratio('original', 'improved', 'ms_per_epoch'):.2f} times the improved one's time. "
        f"The scaled form differs by {rows.difference('scaled', 'improved'):+.2f} points from the "
        "improved one.",
        holds,
    )


def judge_batch(found: list[Row]) -> Verdict:
    rows = AblationRows(found)
    grows = rows.share("1024", "64", "mean", greater)
    stays = rows.share("4096", "1024", "mean", lambda x, y: abs(x - y) <= 0.5)
    holds = judged(grows, stays)
    return Verdict(
        "The paper says that accuracy grows with the batch up to 1024 nodes and no further. Ours: "
        f"batches of 1024 are {rows.difference('1024', '64'):+.2f} points against 64 on average, "
        f"and better {grows} datasets; 4096 are {rows.difference('4096', '1024'):+.2f} against "
        f"1024, and within half a point {stays}; an epoch of 64 takes "
        f"{rows.ratio('64', '1024', 'ms_per_epoch'):.1f} times as long as one of 1024. "
        f"{verdict(holds)}",
        holds,
    )


def judge_width(found: list[Row]) -> Verdict:
    rows = AblationRows(found)
    shares, words = [], []
    for method in WIDTH_METHODS:
        wide, narrow = f"{method.name}-{WIDTHS[-1]}", f"{method.name}-{WIDTHS[0]}"
        as_said = greater if method.gains else lambda x, y: x - y < 0.5
        share = rows.share(wide, narrow, "mean", as_said)
        shares.append(share)
        if share.all:
            gain = rows.difference(wide, narrow)
            words.append(f"{method.name} {gain:+.2f} (as said {share})")
    holds = judged(*shares)
    return Verdict(
        "The paper says that GraphSurgeon, DGI and MVGRL gain from wider embeddings while GCA and "
        "BGRL stay or lose. Ours, points from width 256 to 1280 on average: "
        f"{', '.join(words)}. {verdict(holds)}",
        holds,
    )


def judge_mode(found: list[Row]) -> Verdict:
    rows = AblationRows(found)
    equal = rows.share("post-equal", "pre-equal", "mean", within_a_point)
    tuned = rows.share("post-tuned", "pre-tuned", "mean", within_a_point)
    # "About twice": more than half of the way there.
    time = rows.share("pre-equal", "post-equal", "ms_per_epoch", lambda x, y: x >= 1.5 * y)
    memory = rows.share("pre-equal", "post-equal", "peak_mib", greater)
    holds = judged(tuned if tuned.all else equal, time, memory)
    each = "each mode's own tuned values are not known for these datasets"
    if tuned.all:
        each = (
            "with each mode's own values post is "
            f"{rows.difference('post-tuned', 'pre-tuned'):+.2f} points against pre, within a point "
            f"{tuned}, and pre takes {rows.ratio('pre-tuned', 'post-tuned', 'ms_per_epoch'):.2f} "
            "times the time"
        )
    costs = [
        rows.ratio("pre-equal", "post-equal", key)
        for key in ("ms_per_epoch", "peak_mib", "parameters")
    ]
    return Verdict(
        "The paper says that both modes reach the same accuracy and that post is about twice as "
        f"cheap. Ours: at equal D post is {rows.difference('post-equal', 'pre-equal'):+.2f} points "
        f"against pre, within a point {equal}, and pre takes {costs[0]:.2f} times the time of an "
        f"epoch, {costs[1]:.2f} times the memory and {costs[2]:.2f} times the parameters; {each}. "
        f"{verdict(holds)}",
        holds,
    )


def judge_symmetry(found: list[Row]) -> Verdict:
    rows = AblationRows(found)
    ahead = rows.share("symmetric", "asymmetric", "mean", greater)
    holds = judged(ahead)
    return Verdict(
        "The paper says that the asymmetric variant is slightly worse. Ours: the symmetric one is "
        f"ahead {ahead} datasets, and {rows.difference('symmetric', 'asymmetric'):+.2f} points "
        f"against it on average. {verdict(holds)}",
        holds,
    )


def judge_convergence(found: list[Row]) -> Verdict:
    suffice, words = Share(), []
    for row in found:
        curve = row.get("curve")
        if "problem" in row or not curve:
            continue
        best = max(score for _, score in curve)
        by_50 = max((score for epoch, score in curve if epoch <= 50), default=0.0)
        if max(epoch for epoch, _ in curve) > 50:
            suffice.all += 1
            suffice.held += within_a_point(best, by_50)
        words.append(f"{row['dataset']} {by_50:.2f} of {best:.2f}")
    holds = judged(suffice)
    return Verdict(
        "The paper says that 50 epochs usually suffice. Ours, the best by epoch 50 and the best of "
        f"all: {', '.join(words)}. {verdict(holds)}",
        holds,
    )
