"""The file of a study: which cells it knows, and what is kept when it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import SOURCE

from graphsurgeon import DataError
from graphsurgeon.study.ablation_tables import ablation_markdown
from graphsurgeon.study.ablations import ABLATIONS, result_of
from graphsurgeon.study.experiment import Experiment, defaults
from graphsurgeon.study.study_file import StudyFile
from graphsurgeon.study.tables import bench_markdown


def experiment(**options: object) -> Experiment:
    values = defaults("gcn") | {name.replace("_", "-"): v for name, v in options.items()}
    return Experiment("gcn-photo", "photo", values)


def row_of(one: Experiment, mean: float) -> dict[str, object]:
    return one.settings | {"mean": mean, "std": 1.0}


def test_one_line_per_cell_found_by_its_settings(tmp_path: Path) -> None:
    file = StudyFile(tmp_path / "bench.json")
    plain, short = experiment(), experiment(epochs=7)
    file.write({"name": "bench"}, [row_of(plain, 90.5), row_of(short, 80)])
    lines = (tmp_path / "bench.json").read_text().splitlines()
    assert len(lines) == 4
    assert json.loads(lines[2])["options"] == {"epochs": 7}
    again = StudyFile(tmp_path / "bench.json")
    assert again.find(plain) == {"mean": 90.5, "std": 1.0}
    assert again.find(short) == {"mean": 80, "std": 1.0}
    assert again.find(experiment(epochs=8)) is None
    other = experiment()
    other.encoders = 2
    assert again.find(other) is None


def test_an_option_that_is_new_leaves_a_cell_as_it_is(tmp_path: Path) -> None:
    file = StudyFile(tmp_path / "bench.json")
    old = experiment(epochs=7)
    del old.options["momentum"]  # as if it had not been there yet
    file.write({"name": "bench"}, [row_of(old, 90)])
    assert file.find(experiment(epochs=7)) == {"mean": 90, "std": 1.0}


def test_cells_that_are_not_shown_are_kept(tmp_path: Path) -> None:
    file = StudyFile(tmp_path / "bench.json")
    first, second = experiment(), experiment(epochs=7)
    file.write({"name": "bench"}, [row_of(first, 90)])
    another = StudyFile(tmp_path / "bench.json")  # of a command that runs at the same time
    another.write({"name": "bench"}, [row_of(second, 80)])
    content = json.loads((tmp_path / "bench.json").read_text())
    assert content["shown"] == 1 and content["cells"][0]["mean"] == 80
    assert file.find(first) and file.find(second)


def test_a_failed_cell_is_shown_and_made_again(tmp_path: Path) -> None:
    file = StudyFile(tmp_path / "bench.json")
    one = experiment()
    file.write({"name": "bench"}, [one.settings | {"problem": "killed by signal 9"}])
    assert "signal 9" in (tmp_path / "bench.json").read_text()
    assert StudyFile(tmp_path / "bench.json").find(one) is None
    file.write({"name": "bench"}, [])
    assert "signal 9" not in (tmp_path / "bench.json").read_text()


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"cells": 3}'])
def test_a_file_of_somebody_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "bench.json").write_text(text)
    with pytest.raises(DataError, match=r"bench\.json"):
        StudyFile(tmp_path / "bench.json")


def committed(file: Path) -> list[dict[str, object]]:
    content = json.loads(file.read_text())
    shown: list[dict[str, object]] = content["cells"][: content["shown"]]
    return shown


def test_the_tables_of_the_documentation_are_those_of_their_files() -> None:
    tables = SOURCE / "docs" / "tables"
    assert bench_markdown(committed(tables / "bench.json")) == (tables / "bench.md").read_text()
    folder = SOURCE / "docs" / "ablations"
    for ablation in ABLATIONS:
        result = result_of(ablation, committed(folder / f"{ablation.name}.json"))
        assert ablation_markdown(result) == (folder / f"{ablation.name}.md").read_text()
