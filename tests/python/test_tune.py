"""`graphsurgeon tune`: the search, its storage and its results."""

import csv
import json
import os
import subprocess

import pytest
from conftest import planted, run_program, write_graph
from tuning import BASELINE, SMALL, run_tune, tune_error

import graphsurgeon
from graphsurgeon import UsageError
from graphsurgeon.tune.search_space import Range, parse, search_space
from graphsurgeon.tune.tune_command import seconds_of


def test_ranges_come_from_the_options_own_declaration():
    space = search_space(set(), [])
    assert space["lr"] == Range("lr", 1e-4, 1e-1, log=True)
    assert space["layers"] == Range("layers", 1, 4, whole=True)
    assert set(space) == {"aug_dim", "layers", "dropout", "gamma", "lr"}
    assert "lr" not in search_space({"lr"}, [])
    changed = search_space(set(), ["lr=1e-3..1e-2", "mode=pre,post"])
    assert changed["lr"] == Range("lr", 1e-3, 1e-2)
    assert changed["mode"].choices == ("pre", "post")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lr", "is not a range"),
        ("lrr=1..2", "did you mean 'lr'"),
        ("lr=2..1", "is empty"),
        ("lr=0..1:log", "log scale"),
        ("lr=1e-3..1:exp", "is not a scale"),
        ("lr=a..b", "not a value of lr"),
        ("lr=nan..1", "not finite"),
        ("layers=-1..3", "out of range for layers"),
        ("mode=1..2", "no numeric range"),
        ("mode=pre,pots", "is not one of pre, post"),
        ("method=gcn,gat", "about one method"),
        ("seed=1,2", "scored differently"),
        ("protocol=authors,paper", "scored differently"),
        ("epochs=0..9", "0 epochs train nothing"),
        ("runs=1..9", "is now 'num_splits'"),
    ],
)
def test_invalid_ranges_are_refused(text, message):
    with pytest.raises(UsageError, match=message):
        parse(text)


def test_an_option_cannot_be_fixed_and_searched():
    with pytest.raises(UsageError, match="fixed"):
        search_space({"lr"}, ["lr=1e-3..1e-2"])


def test_durations():
    assert [seconds_of(text) for text in ("90", "90s", "10m", "1h", "1h30m")] == [
        90,
        90,
        600,
        3600,
        5400,
    ]
    for text in ("", "soon", "1d"):
        with pytest.raises(UsageError):
            seconds_of(text)


def test_a_search_ends_with_a_preset_that_train_takes(tmp_path):
    data = write_graph(tmp_path / "data")
    result = run_tune(data, "-o", tmp_path / "study", "--trials", 7, "--lr", "0.01", *SMALL)
    assert result["trials"] == 7 == result["complete"] + result["pruned"]
    assert result["best"]["options"]["lr"] == 0.01
    assert 0 < result["best"]["value"] <= 100
    run_program(
        "train",
        data,
        "--config",
        tmp_path / "study" / "best.json",
        "-o",
        tmp_path / "run",
        "--quiet",
    )
    options = json.loads((tmp_path / "run" / "options.json").read_text())["options"]
    assert all(
        value in (options[name], "auto", 0) for name, value in result["best"]["options"].items()
    )
    with open(tmp_path / "study" / "trials.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7
    assert (
        max(float(row["value"]) for row in rows if row["state"] == "complete")
        == result["best"]["value"]
    )
    page = (tmp_path / "study" / "tuning.html").read_text()
    assert all(
        f'id="tuning-0-{figure}"' in page
        for figure in ("history", "curves", "importance", "by-gamma")
    )
    # What is there is enough: rerunning adds nothing, asking for more goes on.
    again = run_tune(data, "-o", tmp_path / "study", "--trials", 7, "--lr", "0.01", *SMALL)
    assert again["trials"] == 7 and again["best"] == result["best"]
    more = run_tune(data, "-o", tmp_path / "study", "--trials", 9, "--lr", "0.01", *SMALL)
    assert more["trials"] == 9 and more["best"]["value"] >= result["best"]["value"]
    code, printed = tune_error(data, "-o", tmp_path / "study", *SMALL)
    assert code == 3 and "started with another" in printed


def test_the_first_trial_has_the_starting_values(tmp_path):
    data = write_graph(tmp_path / "data")
    run_tune(data, "-o", tmp_path / "study", "--trials", 1, "--preset", "photo", *SMALL)
    with open(tmp_path / "study" / "trials.csv", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    authors = graphsurgeon.GraphSurgeon.from_preset("photo")
    assert [float(row[name]) for name in ("lr", "gamma")] == [authors.lr, authors.gamma]
    assert 4 <= int(row["aug_dim"]) <= 16, "the authors' 417 is outside the range given"


def test_bad_trials_are_pruned_by_their_validation_scores(tmp_path):
    """One column per view cannot separate three classes: the median pruner stops such trials."""
    data = write_graph(tmp_path / "data")
    dim = SMALL.index("--dim")
    small = SMALL[:dim] + SMALL[dim + 2 :]
    words = [data, "-o", tmp_path / "study", "--trials", 30, *small]
    words += ["--epochs", 20, "--look-every", 4]
    result = run_tune(*words, "--search", "dim=1,16")
    assert result["pruned"] > 0
    assert result["best"]["options"]["dim"] == 16


def test_test_labels_are_never_read(tmp_path):
    """Other labels of the test nodes change nothing."""
    parts = [("train", "val", "test")[i % 3 if i % 2 else 2] for i in range(120)]
    _, _, y = planted()
    wrong = [(label + 1) % 3 if part == "test" else label for label, part in zip(y.tolist(), parts)]
    results = []
    for name, labels in (("right", None), ("wrong", wrong)):
        data = write_graph(tmp_path / name, labels, parts)
        words = [
            data,
            "-o",
            tmp_path / f"study-{name}",
            "--trials",
            4,
            *SMALL[:-2],
            "--splits",
            "own",
        ]
        results.append(run_tune(*words)["best"])
    assert results[0] == results[1]


def test_rankme_needs_no_labels(tmp_path):
    words = ["-o", tmp_path / "study", "--trials", 3, "--objective", "rankme"]
    words += ["sbm:nodes=80,classes=2,features=10"]
    result = run_tune(*words, *SMALL)
    assert 1 <= result["best"]["value"] <= 8
    words = ["-o", tmp_path / "gcn", "--method", "gcn", "--trials", 1]
    words += ["sbm:nodes=80,classes=0,features=10"]
    code, printed = tune_error(*words)
    assert code == 3 and "has no labels, which gcn learns from" in printed
    # With gcn, --objective rankme would be refused.
    assert "--method graphsurgeon --objective rankme" in printed


def test_wrong_usage_has_its_exit_code(tmp_path):
    assert tune_error("photo", "-o", tmp_path, "--trails", "3")[0] == 2
    code, printed = tune_error(tmp_path / "none", "-o", tmp_path / "study")
    assert code == 3 and "no such file" in printed
    code, printed = tune_error("photo", "-o", tmp_path, "--runs", "3")
    assert code == 2 and "--runs is now --num-splits" in printed


def test_the_program_finds_tune_beside_itself():
    program = os.path.join(os.path.dirname(graphsurgeon.__file__), "bin", "graphsurgeon")
    beside = os.path.join(os.path.dirname(os.path.realpath(program)), "graphsurgeon-tune")
    if not os.path.exists(beside):
        pytest.skip("an installed package has it in the environment's own bin folder")
    done = subprocess.run([program, "tune", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--trials" in done.stdout


def test_a_baseline_searches_what_it_reads_and_trains_what_it_records(tmp_path):
    data = write_graph(tmp_path / "graph")
    found = run_tune(data, "-o", tmp_path / "study", "--method", "dgi", "--trials", "2", *BASELINE)
    assert {"lr", "dropout", "layers"} <= found["best"]["options"].keys()
    assert not {"aug-dim", "gamma"} & found["best"]["options"].keys()
    first = next(csv.DictReader((tmp_path / "study" / "trials.csv").open()))
    own = graphsurgeon.GraphSurgeon(method="dgi")
    assert (float(first["lr"]), int(first["layers"]), first["epochs"]) == (own.lr, own.layers, "20")


def test_augmentations_of_a_baseline_are_searched():
    assert {"edge_drop", "feature_mask_2", "temperature"} <= search_space(set(), [], "gca").keys()
    assert "edge_drop" not in search_space(set(), [])


def test_a_method_that_learns_from_labels_is_scored_by_its_own_validation(tmp_path):
    data = write_graph(tmp_path / "graph")
    found = run_tune(data, "-o", tmp_path / "study", "--method", "gcn", "--trials", "2", *BASELINE)
    assert found["complete"] == 2
    assert found["best"]["value"] > 40  # of three classes


def test_the_data_is_not_searched_but_kept(tmp_path):
    with pytest.raises(UsageError, match="loaded once"):
        parse("features=raw,binary")
    with pytest.raises(UsageError, match="lists"):
        parse("fanouts=12,25")
    data = write_graph(tmp_path / "graph")
    found = run_tune(
        data, "-o", tmp_path / "study", "--features", "row-norm", "--trials", "1", *SMALL
    )
    assert found["best"]["options"]["features"] == "row-norm"


def test_the_first_trial_stays_within_the_given_ranges(tmp_path):
    data = write_graph(tmp_path / "graph")
    found = run_tune(
        data, "-o", tmp_path / "study", "--search", "clip=1..1", "--trials", "1", *SMALL
    )
    assert found["best"]["options"]["clip"] == 1


@pytest.mark.parametrize("words", [["--method", "gcn"], []])
def test_no_epochs_are_refused(words, tmp_path):
    code, printed = tune_error(
        write_graph(tmp_path / "graph"), "-o", tmp_path / "study", "--epochs", "0", *words
    )
    assert code == 2 and "--epochs: 0" in printed


def test_a_mistyped_command_leaves_nothing_behind(tmp_path):
    assert tune_error("sbm:nodez=120", "-o", tmp_path / "study", *SMALL)[0] == 2
    data = write_graph(tmp_path / "graph")
    assert run_tune(data, "-o", tmp_path / "study", "--trials", "1", *SMALL)["complete"] == 1


def test_errors_are_a_line_and_a_hint(tmp_path):
    data = write_graph(tmp_path / "graph")
    (tmp_path / "file").write_text("no folder")
    for words, code, text in [
        (
            [tmp_path / "nothing", "-o", tmp_path / "a", "--workers", "2"],
            3,
            "every worker ended early",
        ),
        ([data, "-o", tmp_path / "file"], 3, "cannot create the folder"),
        ([data, "-o", tmp_path / "b", "--storage", "garbage"], 3, "cannot store a study"),
        ([data, "-o", tmp_path / "c", "--preset", "phoot"], 2, "did you mean 'photo'"),
        ([data, "-o", tmp_path / "d", "--lr", "nan"], 2, "lr"),
        ([data, "-o", tmp_path / "e", "--method", "raw"], 2, "is not trained"),
        (
            [data, "-o", tmp_path / "f", "--splits", "own", "--trials", "50"],
            3,
            "no splits of its own",
        ),
        (
            [data, "-o", tmp_path / "g", "--method", "gcn", "--objective", "rankme"],
            2,
            "gcn learns from labels",
        ),
    ]:
        small = [
            word
            for word in SMALL
            if "--splits" not in words or word not in ("--splits", "random:20/40/40")
        ]
        found, errors = tune_error(*words, *small)
        assert found == code, errors
        assert text in errors
