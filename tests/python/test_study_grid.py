"""The cells of `bench`, what they train with, and the tables made of them."""

from __future__ import annotations

from typing import Any

import pytest

from graphsurgeon import UsageError
from graphsurgeon.options import METHODS
from graphsurgeon.study.catalog import Catalog
from graphsurgeon.study.experiment import by_both_probes
from graphsurgeon.study.grid import (
    CellName,
    GridOptions,
    cell_options,
    experiment_of,
    parse_grid,
    preset_of,
)
from graphsurgeon.study.paper import OUT_OF_MEMORY, paper_figure
from graphsurgeon.study.tables import bench_markdown, check_claim

OURS = CellName("graphsurgeon", "photo")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog("")


def test_groups_name_datasets_and_methods(catalog: Catalog) -> None:
    wanted = [OURS, CellName("graphsurgeon", "cs")]
    assert parse_grid(["photo,cs=graphsurgeon"], catalog) == wanted
    assert len(parse_grid(["photo=graphsurgeon", "photo=graphsurgeon"], catalog)) == 1
    everything = parse_grid(["photo"], catalog)
    assert len(everything) == len(METHODS) - 1  # selfgnn is bgrl
    assert CellName("selfgnn", "photo") not in everything
    assert parse_grid(["photo=all"], catalog) == everything
    assert everything[:3] == [OURS, CellName("spectral", "photo"), CellName("gcn", "photo")]


@pytest.mark.parametrize(
    ("group", "near"),
    [
        ("phot=all", "photo"),
        ("photo=graphsurgeom", "graphsurgeon"),
        ("photo=", "photo,pubmed=all"),
        ("=all", "photo,pubmed=all"),
    ],
)
def test_an_unknown_name_is_an_error_that_names_the_nearest(
    catalog: Catalog, group: str, near: str
) -> None:
    with pytest.raises(UsageError) as error:
        parse_grid([group], catalog)
    assert near in error.value.message + error.value.hint


def test_a_cell_trains_with_the_preset_of_its_dataset() -> None:
    tuned = cell_options(OURS, GridOptions())
    assert preset_of(OURS, GridOptions()) == "photo-tuned"
    assert tuned["num-splits"] == 10
    paper = GridOptions(protocol="paper")
    assert preset_of(OURS, paper) == "photo"
    assert cell_options(OURS, paper)["epochs"] == 500
    short = cell_options(OURS, GridOptions(quick=True))
    assert short["epochs"] < tuned["epochs"]
    assert short["num-splits"] == 3


def test_presets_may_be_the_authors_or_none() -> None:
    authors = cell_options(OURS, GridOptions(presets="authors"))
    assert preset_of(OURS, GridOptions(presets="authors")) == "photo"
    assert authors["constraint"] == "columns" and authors["epochs"] == 50
    none = GridOptions(presets="none")
    assert preset_of(OURS, none) == ""
    assert experiment_of(OURS, none).settings["options"] == {}
    assert preset_of(CellName("dgi", "photo"), GridOptions()) == "dgi-photo"
    assert preset_of(CellName("dgi", "photo"), none) == ""


def test_only_methods_that_learn_without_labels_train_several_encoders() -> None:
    for method, encoders in (
        ("graphsurgeon", 3),
        ("dgi", 3),
        ("spectral", 1),
        ("gcn", 1),
        ("raw", 1),
    ):
        assert experiment_of(CellName(method, "photo"), GridOptions()).encoders == encoders
    assert experiment_of(OURS, GridOptions(quick=True)).encoders == 1


def test_a_cell_is_known_by_the_options_that_differ_from_its_methods_defaults() -> None:
    settings = experiment_of(CellName("gcn", "photo"), GridOptions()).settings
    assert settings == {"dataset": "photo", "method": "gcn", "options": {}}
    assert experiment_of(OURS, GridOptions()).settings["encoders"] == 3
    quick = experiment_of(CellName("gcn", "photo"), GridOptions(quick=True)).settings
    assert quick["options"] == {"epochs": 50, "num-splits": 3}


def test_the_paper_has_its_cells_and_no_others() -> None:
    assert paper_figure("gcn", "photo") == 93.02
    assert paper_figure("graphsurgeon", "reddit") == 91.22
    assert paper_figure("pprgo", "yelp") == 77.7
    assert paper_figure("selfgnn", "cs") == paper_figure("bgrl", "cs")
    assert paper_figure("gca", "physics") == OUT_OF_MEMORY
    assert paper_figure("dgi", "yelp") == OUT_OF_MEMORY
    assert paper_figure("gcn", "yelp") is None
    assert paper_figure("pprgo", "photo") is None
    assert paper_figure("grace", "photo") is None


def row(method: str, dataset: str, mean: float) -> dict[str, Any]:
    return {
        "method": method, "dataset": dataset, "mean": mean, "std": 3.0, "std_over_encoders": 4.0,
        "seconds": 12.4, "peak_mib": 345.6, "paper": mean - 1,
    }  # fmt: skip


def test_tables_show_scores_the_papers_figures_and_costs() -> None:
    text = bench_markdown([row("graphsurgeon", "photo", 92), row("graphsurgeon", "reddit", 91)])
    assert "| photo | **92.00 ±5.00** (91.0) |" in text  # 3 and 4 make 5
    assert "12 s, 346 MiB" in text
    assert "photo: 1 of 1" in text
    assert text.index("| photo") < text.index("Table 3") < text.index("| reddit")
    assert "claim" not in text  # nothing to compare with


def test_the_best_of_each_group_is_bold_and_columns_are_sorted_by_group() -> None:
    means = {"graphsurgeon": 92, "raw": 99, "dgi": 91, "gcn": 90, "gat": 95}
    text = bench_markdown([row(method, "photo", mean) for method, mean in means.items()])
    assert "| dataset | gcn | gat | dgi | graphsurgeon | raw |" in text
    bold = [f"**{mean}.00 ±5.00**" in text for mean in (92, 99, 91, 90, 95)]
    assert bold == [True, False, False, False, True]
    assert "photo: 1 of 2" in text
    assert "does not hold (3.00 points on average over 1 dataset)" in text


def test_logistic_scores_stand_in_a_table_of_their_own() -> None:
    both = row("dgi", "photo", 91) | {"logistic": {"mean": 92.5, "std": 0.3}}
    text = bench_markdown([both, row("gcn", "photo", 90), row("raw", "photo", 80)])
    table = text[text.index("scored by logistic regression") :]
    assert "| photo | 90.00 ±5.00 | 92.50 ±0.30 |  |" in table  # a supervised method has its own
    assert "logistic" not in bench_markdown([row("dgi", "photo", 91)])


def test_rows_have_the_papers_score_first_and_the_logistic_one_beside_it() -> None:
    paper = {"mean": 1.0, "std": 2.0, "std_over_encoders": None}
    logistic = {"mean": 3.0, "std": 4.0, "std_over_encoders": None}
    score = {
        "metric": "accuracy", "splits": "2 random", **logistic, "values": [3.0],
        "probes": {"logistic": logistic, "paper": paper},
        "encoders": [{"probes": {"paper": {"values": [1.0]}}}],
    }  # fmt: skip
    found = by_both_probes(score)
    assert (found["mean"], found["values"], found["logistic"]) == (1.0, [1.0], logistic)


def test_a_failed_cell_is_reported_and_takes_no_part() -> None:
    failed = {"method": "graphsurgeon", "dataset": "cs", "problem": "needs about 9000 MiB"}
    text = bench_markdown([row("graphsurgeon", "photo", 92), failed])
    assert "| cs | failed |" in text
    assert "needs about 9000 MiB" in text
    assert check_claim([failed]).datasets == 0
