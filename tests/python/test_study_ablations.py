"""The paper's ablations: what they train, and how their claims are judged."""

from __future__ import annotations

from typing import Any

import pytest

from graphsurgeon.study.ablation_experiments import AblationOptions, scaled_gamma
from graphsurgeon.study.ablation_tables import ablation_markdown
from graphsurgeon.study.ablations import ABLATIONS, Ablation, AblationResult, Figures
from graphsurgeon.study.catalog import Catalog
from graphsurgeon.study.experiment import Experiment
from graphsurgeon.study.verdicts import Verdict

Row = dict[str, Any]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog("")


def named(name: str) -> Ablation:
    return next(one for one in ABLATIONS if one.name == name)


def row(variant: str, mean: float, ms: float = 10, mib: float = 100, dataset: str = "photo") -> Row:
    return {
        "dataset": dataset, "variant": variant, "mean": mean, "ms_per_epoch": ms, "peak_mib": mib,
        "parameters": 1, "aug_dim": 1, "gamma": 1, "lr": 1,
    }  # fmt: skip


def experiments(catalog: Catalog, options: AblationOptions) -> list[tuple[str, Experiment]]:
    return [
        (ablation.name, one)
        for ablation in ABLATIONS
        for one in ablation.experiments(["photo", "pubmed"], options, catalog)
    ]


@pytest.mark.parametrize("quick", [False, True])
def test_experiments_have_names_of_their_own(catalog: Catalog, quick: bool) -> None:
    found = [one for _, one in experiments(catalog, AblationOptions(quick=quick))]
    assert len({one.name for one in found}) == len(found) > 20
    assert all(one.dataset in one.name for one in found)


@pytest.mark.parametrize("splits", [1, 10])
def test_a_quick_look_is_twenty_epochs_and_three_splits_at_most(
    catalog: Catalog, splits: int
) -> None:
    for name, one in experiments(catalog, AblationOptions(splits, quick=True)):
        assert one.options["epochs"] <= 20, one.name
        if name != "pre-vs-post":  # tuned values may have fewer
            assert one.options["epochs"] == 20, one.name
        assert one.options["num-splits"] == min(3, splits), one.name


def test_the_loss_changes_the_constraint_alone(catalog: Catalog) -> None:
    found = named("loss").experiments(["photo"], AblationOptions(), catalog)
    assert len(found) == 4
    for one in found:
        assert one.options["epochs"] == 100
        assert one.options["aug-dim"] == found[0].options["aug-dim"]
    assert found[0].options["constraint"] == "naive"
    gamma = found[0].options["gamma"]
    assert found[3].options["gamma"] == pytest.approx(gamma * 7650 / (2 * 128**1.5), abs=1e-9)
    assert found[2].about["gamma_scaled"] == scaled_gamma(gamma, 7650, 128)


def test_the_claim_of_the_loss_needs_accuracy_memory_and_time() -> None:
    def loss(improved: float) -> Verdict:
        rows = [row("naive", 90, 100, 900), row("original", 90, 12, 120)]
        return named("loss").judge([*rows, row("improved", improved), row("scaled", 91)])

    without = named("loss").judge([row("original", 90, 12, 120), row("improved", 90)])
    assert without.holds is None  # accuracy alone is not the claim
    assert "was not seen" in without.text and "+0.00 points" in without.text
    assert loss(89.9).holds is True
    assert loss(80).holds is False
    assert "9.0 times the memory and 10.0 times the time" in loss(89.9).text


def test_claims_are_judged_by_the_numbers() -> None:
    judge = named("symmetry").judge
    assert judge([row("symmetric", 91), row("asymmetric", 90)]).holds is True
    assert judge([row("symmetric", 90), row("asymmetric", 91)]).holds is False

    def batches(large: float) -> bool | None:
        rows = [row("64", 80), row("1024", 85), row("4096", large)]
        return named("batch-size").judge(rows).holds

    assert batches(85.3) is True
    assert batches(88) is False

    def modes(pre_ms: float) -> bool | None:
        rows = [row("pre-equal", 90, pre_ms, 200), row("post-equal", 90.5)]
        return named("pre-vs-post").judge(rows).holds

    assert modes(20) is True
    assert modes(11) is False

    def curve(late: float) -> bool | None:
        points = [[10, 80], [50, 90], [200, late]]
        rows = [{"dataset": "photo", "variant": "curve", "curve": points}]
        return named("convergence").judge(rows).holds

    assert curve(90.5) is True
    assert curve(92) is False


def test_one_datasets_loss_does_not_pay_for_anothers_gain() -> None:
    rows = [
        row(size, score, dataset=dataset)
        for dataset, gap in (("photo", 7.0), ("cs", -7.0), ("dblp", 0.1))
        for size, score in (("64", 70.0), ("1024", 80.0), ("4096", 80 + gap))
    ]
    found = named("batch-size").judge(rows)  # +0.03 on average
    assert found.holds is False
    assert "within half a point on 1 of 3" in found.text

    symmetry = [
        row(variant, score, dataset=dataset)
        for dataset, pair in (("photo", (91, 90)), ("cs", (91, 90)), ("dblp", (80, 89)))
        for variant, score in zip(("symmetric", "asymmetric"), pair, strict=True)
    ]
    found = named("symmetry").judge(symmetry)  # ahead on two of three, though not on average
    assert found.holds is True
    assert "ahead on 2 of 3 datasets, and -2.33 points" in found.text

    modes = [
        row(variant, score, ms, mib, dataset)
        for dataset, post in (("photo", 93), ("cs", 87))
        for variant, score, ms, mib in (("pre-equal", 90, 40, 200), ("post-equal", post, 10, 100))
    ]
    assert named("pre-vs-post").judge(modes).holds is False  # the same on average, nowhere so


def test_times_of_different_numbers_of_threads_are_not_compared() -> None:
    pre, post = row("pre-equal", 90, 40, 200), row("post-equal", 90, 10)
    judge = named("pre-vs-post").judge
    assert judge([pre | {"threads": 1}, post | {"threads": 2}]).holds is None
    assert judge([pre | {"threads": 2}, post | {"threads": 2}]).holds is True
    assert judge([pre, post | {"threads": 2}]).holds is True  # unknown, of an older version


def test_widths_are_judged_when_every_method_is_known() -> None:
    gains = {"graphsurgeon": 1.0, "dgi": 2.0, "mvgrl": 1.0, "gca": 0.0, "bgrl": -1.0}
    rows = []
    for method, gain in gains.items():
        rows += [row(f"{method}-256", 90), row(f"{method}-1280", 90 + gain)]
    judge = named("embedding-size").judge
    assert judge(rows).holds is True
    assert judge(rows[:-1]).holds is None


def test_a_failed_training_takes_no_part() -> None:
    failed = row("asymmetric", 99) | {"problem": "killed by signal 9"}
    found = named("symmetry").judge([row("symmetric", 90), failed])
    assert found.holds is None
    assert "cannot tell" in found.text


def test_twenty_epochs_cannot_tell_whether_fifty_suffice() -> None:
    rows = [{"dataset": "photo", "variant": "curve", "curve": [[10, 80], [20, 90]]}]
    assert named("convergence").judge(rows).holds is None


def test_tables_have_one_column_per_dataset() -> None:
    rows = [
        row("naive", 90.123, 12.34, 100),
        row("naive", 80, 20, 300, "cs"),
        row("scaled", 0) | {"problem": "killed"},
    ]
    verdict = Verdict("What it says.", None)
    text = ablation_markdown(AblationResult("loss", rows, verdict, Figures.COSTS))
    assert "# loss\n\nWhat it says.\n" in text
    assert (
        "| variant | photo | cs |\n|---|--:|--:|\n"
        "| naive | 90.12 ±0.00 | 80.00 ±0.00 |\n| scaled | failed |  |\n"
    ) in text
    assert "| naive | 12.3 | 20.0 |" in text
    assert "Learning rate" not in text
    both = [row("pre-equal", 90) | {"gamma_scaled": 2.5, "lr": 0.0125}]
    text = ablation_markdown(AblationResult("pre-vs-post", both, verdict, Figures.VALUES))
    assert "| pre-equal | 1 (2.5) |" in text and "| pre-equal | 0.0125 |" in text
    assert "Parameters" in text
    text = ablation_markdown(AblationResult("loss", rows[:1], verdict, Figures.SCORES))
    assert "12.3" not in text
    curve = [{"dataset": "cs", "variant": "curve", "curve": [[10, 80.5], [20, 90]]}]
    text = ablation_markdown(AblationResult("convergence", curve, verdict))
    assert "| epoch | cs |\n|---|--:|\n| 10 | 80.50 |\n| 20 | 90.00 |" in text
