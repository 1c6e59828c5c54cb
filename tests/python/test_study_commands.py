"""`bench` and `ablate` as a user runs them, on a real dataset where there is one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import SOURCE, failed_program, run_program

from graphsurgeon import program
from graphsurgeon.program import PROGRAM


@pytest.fixture(scope="module")
def shared_data() -> Path:
    """The folder of the real datasets; without it, a test that needs it is skipped."""
    folder = os.environ.get("GRAPHSURGEON_DATA")
    if folder and (Path(folder) / "actor").exists():
        return Path(folder)
    pytest.skip("GRAPHSURGEON_DATA names no folder with Actor in it")


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "graphsurgeon", *map(str, words)]


def result(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_program(*words, "--json").stdout)
    return found


def test_bench_makes_a_table_and_keeps_its_cells(shared_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["bench", "actor=graphsurgeon", "--quick", "--num-splits", 1]
    words += ["--data-root", shared_data, "-o", out]
    rows = result(*words)["rows"]
    assert len(rows) == 1
    keys = {"method", "dataset", "metric", "mean", "std", "paper", "ms_per_epoch", "peak_mib"}
    assert keys | {"seconds", "values", "preset", "options"} <= rows[0].keys()
    assert rows[0]["mean"] > 22  # chance is 20
    assert rows[0]["paper"] == 30.19
    assert 100 < rows[0]["peak_mib"] < 400  # the training's own, not that of Python with torch
    assert sorted(file.name for file in out.iterdir()) == ["bench.html", "bench.json", "bench.md"]
    assert result(*words)["rows"] == rows  # every cell is known: the very same row
    (out / "bench.json").unlink()
    code, said = failed_program(*words)
    assert code == 3 and "bench.md" in said and "-o" in said  # a table of somebody else's


def test_a_cell_that_was_begun_with_other_options_begins_again(
    shared_data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    work = out / "work" / "untrained-actor"
    root = ["--data-root", shared_data]
    small = ["--method", "untrained", "--dim", 8, "--quiet"]
    run_program("train", "actor", *small, *root, "-o", work / "run")
    (work / "config.json").write_text('{"options": {"dim": 8}}')
    words = ["bench", "actor=untrained", "--quick", "--num-splits", 1, *root, "-o", out]
    assert "mean" in result(*words)["rows"][0]


def test_data_that_is_not_here_is_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said = failed_program("bench", "photo=graphsurgeon", "--data-root", tmp_path, "-o", out)
    assert code == 3 and "photo" in said and "data fetch" in said
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["bench", "photo=graphsurgeom"], "did you mean 'graphsurgeon'"),
        (["bench", "photo=gcn", "--runs", "3"], "error: --runs is now --num-splits\n"),
        (["bench", "photo=gcn", "--seeds=3"], "error: --seeds is now --encoders\n"),
        (["bench", "--num-splits", "0"], "--num-splits"),
        (["bench", "--nonsense"], "--nonsense"),
        (["ablate"], "NAME"),
        (["ablate", "symetry"], "did you mean 'symmetry'"),
        (["ablate", "loss", "--datasets", "phot"], "did you mean 'photo'"),
        (["ablate", "loss", "--runs", "3"], "error: --runs is now --num-splits\n"),
    ],
)
def test_wrong_usage_names_what_is_right(words: list[str], near: str) -> None:
    code, said = failed_program(*words)
    assert code == 2 and near in said and "hint: " in said


def test_other_names_of_a_dataset_are_known(tmp_path: Path) -> None:
    code, said = failed_program(
        "bench", "Amazon-Photo=gcn", "--data-root", tmp_path, "-o", tmp_path / "o"
    )
    assert code == 3 and "left out: photo" in said


def symmetry_on_actor(shared_data: Path, out: Path) -> list[object]:
    words: list[object] = ["ablate", "symmetry", "--datasets", "actor", "--quick", "--num-splits"]
    return [*words, 1, "--quiet", "--threads", 1, "--data-root", shared_data, "-o", out]


def test_ablate_continues_from_the_training_that_is_done(shared_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = symmetry_on_actor(shared_data, out)
    work = out / "work" / "symmetry-actor-symmetric"
    # Stopped once the first training has ended: during its evaluation, or soon after.
    process = subprocess.Popen(command(*words), stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (work / "trained.json").exists():
        time.sleep(0.02)
    trained = json.loads((work / "trained.json").read_text())
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert process.returncode == 4, said
    assert "stopped" in said and "hint: " in said
    found = result(*words)["ablations"][0]
    assert "The paper says" in found["text"]
    assert len(found["rows"]) == 2
    for key in ("ms_per_epoch", "peak_mib", "threads", "epochs"):
        assert found["rows"][0][key] == trained[key]
    assert trained["ms_per_epoch"] > 0 and trained["threads"] == 1
    assert found["rows"][0]["mean"] > 22  # chance is 20
    names = ["ablations.html", "symmetry.json", "symmetry.md"]
    assert sorted(file.name for file in out.iterdir()) == names
    assert result(*words)["ablations"][0] == found  # all is known


def test_ablate_does_not_replace_files_of_somebody_else(shared_data: Path, tmp_path: Path) -> None:
    for name in ("symmetry.md", "symmetry.json", "ablations.html"):
        (tmp_path / name).write_text("[1, 2]")
        code, said = failed_program(*symmetry_on_actor(shared_data, tmp_path))
        assert code == 3 and name in said and "-o" in said
        assert (tmp_path / name).read_text() == "[1, 2]"
        (tmp_path / name).unlink()
    assert list(tmp_path.iterdir()) == []


def test_committed_cells_serve_their_commands_at_once(shared_data: Path, tmp_path: Path) -> None:
    """The commands that docs/results.md gives, with nothing left to train."""
    root = ["--data-root", shared_data, "--quiet"]
    for folder in ("tables", "ablations"):
        (tmp_path / folder).mkdir()
        for file in (SOURCE / "docs" / folder).glob("*.json"):
            (tmp_path / folder / file.name).write_bytes(file.read_bytes())
    some = "cs,dblp,facebook=gcn,gat,graphsage,dgi,bgrl,cca-ssg,graphsurgeon"
    words = ["bench", "photo,pubmed,actor=all", some, "-o", tmp_path / "tables"]
    run_program(*words, *root, timeout=60)
    datasets = "photo,cs,dblp,pubmed,actor,facebook"
    words = ["ablate", "all", "--datasets", datasets, "-o", tmp_path / "ablations"]
    run_program(*words, *root, timeout=60)
    for folder in ("tables", "ablations"):
        for file in (SOURCE / "docs" / folder).iterdir():
            if file.suffix in (".json", ".md"):
                assert (tmp_path / folder / file.name).read_bytes() == file.read_bytes(), file


def test_the_program_finds_both_beside_itself() -> None:
    beside = Path(os.path.realpath(PROGRAM)).parent
    for name, option in (("bench", "--encoders"), ("ablate", "--num-splits")):
        if not (beside / f"graphsurgeon-{name}").exists():
            pytest.skip("an installed package has them in the environment's own bin folder")
        done = subprocess.run([PROGRAM, name, "--help"], capture_output=True, text=True)
        assert done.returncode == 0 and option in done.stdout


def test_a_process_of_the_program_reports_its_own_peak_and_why_it_failed(tmp_path: Path) -> None:
    blob = bytearray(600 * 2**20)
    blob[:: 2**12] = b"x" * len(blob[:: 2**12])  # this process is larger than the one it starts
    words = ["train", "sbm:nodes=60,features=8", "--epochs", 1, "--aug-dim", 8, "--dim", 8]
    done = program.run(*words, "-o", tmp_path / "run", "--threads", 1, "--quiet", "--json")
    assert done.code == 0 and json.loads(done.output)["epochs"] == 1
    assert 0 < done.peak_mib < 500
    failed = program.run("train", tmp_path / "nowhere", "-o", tmp_path / "other")
    assert failed.code == 3 and "nowhere" in failed.problem and failed.error.hint
