"""`graphsurgeon report`: what the page says of runs, what it survives, and what it never does."""

import json
import os
import re
import shutil
import subprocess
from importlib.util import find_spec

import pytest
from conftest import HOSTILE, run_program
from reports import fails, make

import graphsurgeon
from graphsurgeon.report import projection, report_command
from graphsurgeon.report.figure import plain
from graphsurgeon.report.page import embedded

ALL = ["map", "scores", "failures", "inspection", "training", "options"]


def test_a_run_has_every_section_and_every_figure_its_words(capsys, report_runs, tmp_path):
    result, page, text = make(capsys, tmp_path, report_runs / "labeled")
    assert result["sections"] == ALL and result["notes"] == []
    assert result["figures"] == len(page.figures) == len(set(page.figures))
    assert result["bytes"] == len(text.encode())
    assert len(page.ids) == len(set(page.ids))
    for wanted in (
        "scores-by-split",
        "training-loss-0",
        "training-gradient-norm",
        "training-effective-rank",
        "map-0",
        "confusion-0",
        "by-degree",
        "gains-0",
        "spectra-0",
        "agreement-0",
        "agreement-by-class-0",
    ):
        assert wanted in page.figures
    images = [attributes for tag, attributes in page.tags if attributes.get("role") == "img"]
    assert len(images) == len(page.figures) == text.count("<summary>In words</summary>")
    assert all(len(attributes["aria-label"]) > 30 for attributes in images)


def test_options_that_differ_from_their_defaults_come_first(capsys, report_runs, tmp_path):
    _, page, text = make(capsys, tmp_path, report_runs / "labeled", "--map", "pca")
    names = [row[0] for row in page.rows if row and row[0].startswith("--")]
    changed = {"--aug-dim", "--dim", "--gamma", "--lr", "--epochs"}
    assert set(names[: len(changed)]) == changed
    assert page.row("--gamma")[:3] == ["--gamma", "10", "200"]
    assert text.count("<mark>") == len(changed)
    for name in ("--layers", "--skip"):
        assert page.row(name)[2].endswith("by the data")


def test_the_score_table_is_evals(capsys, report_runs, tmp_path):
    data = report_runs / "data"
    words = ("eval", report_runs / "labeled", data, "--threads", 1, "--quiet", "--json")
    score = json.loads(run_program(*words).stdout)
    _, page, _ = make(capsys, tmp_path, report_runs / "labeled", "--map", "pca")
    assert page.row("trained")[1] == f"{score['mean']:.2f} ± {score['std']:.2f}"
    for key, title in (
        ("raw", "raw features"),
        ("smoothed", "two-hop smoothed"),
        ("untrained", "untrained encoder"),
    ):
        assert page.row(title)[1].startswith(f"{score['reference'][key]:.2f} ±")


def test_the_answer_comes_first(capsys, report_runs, tmp_path):
    data, run = report_runs / "data", tmp_path / "run"
    run_program("train", data, "-o", run, "--threads", 1, "--quiet")
    words = ("eval", run, data, "--threads", 1, "--quiet", "--json")
    scores = json.loads(run_program(*words).stdout)
    _, _, text = make(capsys, tmp_path, run, "--map", "pca")
    header = text[text.index("<header>") : text.index("</header>")]
    assert f'<p class="verdict">{scores["verdict"]["text"]}</p>' in header
    rungs = re.findall(
        r'<div class="(rung(?: own)?)"><span>([^<]*)</span>.*?<span>([0-9.]+)', header
    )
    assert sorted(rungs, key=lambda rung: -float(rung[2])) == rungs
    assert {title for _, title, _ in rungs} == {
        "solved",
        "raw features",
        "two-hop smoothed",
        "diffused features",
        "untrained encoder",
    }
    assert [rung[1] for rung in rungs if rung[0] == "rung own"] == ["solved"]
    tiles = re.findall(r"<div><b>([^<]*)</b><span>([^<]*)</span></div>", header)
    assert len(tiles) == 3 and tiles[0][1] == "numbers for each of 120 nodes"
    assert f"graphsurgeon {graphsurgeon.__version__}" in header
    assert "Nothing was trained" in text and "from the node&#x27;s own features" in text


def test_scores_that_have_no_verdict_are_compared_in_short(capsys, report_runs, tmp_path):
    shutil.copytree(report_runs / "labeled", tmp_path / "run")
    score = {"metric": "accuracy", "mean": 50.0, "std": 1.0, "values": [50.0]}
    raw = score | {"mean": 48.0, "values": [48.0]}
    content = score | {"reference_scores": {"raw": raw}}
    (tmp_path / "run" / "scores.json").write_text(json.dumps(content))
    _, _, text = make(capsys, tmp_path, tmp_path / "run", "--map", "pca")
    assert '<p class="verdict">2.0 points above raw features.</p>' in text


def test_seconds_are_compared_on_one_machine_only(capsys, report_runs, tmp_path):
    for name, cpu in (("a", "one"), ("b", "one"), ("c", "two")):
        shutil.copytree(report_runs / "labeled", tmp_path / name)
        file = tmp_path / name / "run.json"
        made = {"date": "2026-02-03T04:05:06Z", "version": "9.9", "cpu": cpu, "threads": 2}
        file.write_text(json.dumps(json.loads(file.read_text()) | made | {"seconds": 12.5}))
    _, page, _ = make(capsys, tmp_path, tmp_path / "a", tmp_path / "b", "--map", "pca")
    assert page.row("a")[-1] == "12.5"
    _, page, text = make(capsys, tmp_path, tmp_path / "a", tmp_path / "c", "--map", "pca")
    assert "12.5" not in page.row("a") and "Times are not compared" in text
    _, _, text = make(capsys, tmp_path, tmp_path / "a", "--map", "pca")
    assert "3 February 2026 · graphsurgeon 9.9 · one, 2 threads" in text


def test_losses_have_a_logarithmic_axis(capsys, report_runs, tmp_path):
    _, _, text = make(capsys, tmp_path, report_runs / "labeled", "--map", "pca")
    spec = re.search(r'id="training-loss-0-data">(.*?)</script>', text)
    assert json.loads(spec[1])["layout"]["yaxis"]["type"] == "log"


@pytest.mark.parametrize("key", ["values", "runs"])  # "runs" is what older versions wrote
def test_scores_that_lie_in_the_run_are_taken(capsys, report_runs, tmp_path, key):
    shutil.copytree(report_runs / "labeled", tmp_path / "run")
    (tmp_path / "run" / "scores.json").write_text(
        json.dumps({"metric": "accuracy", "mean": 12.34, "std": 1, key: [12.34]})
    )
    _, page, _ = make(capsys, tmp_path, tmp_path / "run", "--map", "pca")
    assert page.row("trained")[1] == "12.34 ± 1.00"


def test_scores_kept_without_references_get_them(capsys, report_runs, tmp_path):
    shutil.copytree(report_runs / "labeled", tmp_path / "run")
    words = ("eval", tmp_path / "run", report_runs / "data", "--threads", 1, "--quiet", "--json")
    wanted = json.loads(run_program(*words, "--no-keep", "--num-splits", 3).stdout)
    run_program(*words, "--no-reference", "--num-splits", 3)
    kept = (tmp_path / "run" / "scores.json").read_bytes()
    result, page, _ = make(capsys, tmp_path, tmp_path / "run", "--map", "pca")
    assert result["notes"] == []
    assert page.row("raw features")[1].startswith(f"{wanted['reference']['raw']:.2f} ±")
    assert page.row("trained")[1] == f"{wanted['mean']:.2f} ± {wanted['std']:.2f}"
    assert (tmp_path / "run" / "scores.json").read_bytes() == kept


def test_references_are_not_held_against_scores_of_other_settings(capsys, report_runs, tmp_path):
    shutil.copytree(report_runs / "labeled", tmp_path / "run")
    words = ("eval", tmp_path / "run", report_runs / "data", "--threads", 1, "--quiet")
    run_program(*words, "--no-reference", "--split-seed", 7)
    result, page, _ = make(capsys, tmp_path, tmp_path / "run", "--map", "pca")
    assert "without references" in result["notes"][0]["note"]
    assert not any(row and row[0] == "raw features" for row in page.rows)


def test_a_run_without_labels(capsys, report_runs, tmp_path):
    result, _, _ = make(capsys, tmp_path, report_runs / "unlabeled")
    assert result["sections"] == ["map", "inspection", "training", "options"]
    assert "no labels" in result["notes"][0]["note"]


def test_a_multi_label_run(capsys, report_runs, tmp_path):
    result, page, text = make(capsys, tmp_path, report_runs / "multi")
    assert result["sections"] == ALL
    assert "by-label" in page.figures and "confusion-0" not in page.figures
    assert "ROC-AUC" in text


def test_a_run_of_one_epoch(capsys, report_runs, tmp_path):
    result, _, text = make(capsys, tmp_path, report_runs / "once", "--map", "pca")
    assert result["sections"] == ALL
    assert "in epoch 1, the only one" in text


def test_three_runs_side_by_side(capsys, report_runs, tmp_path):
    runs = [report_runs / name for name in ("labeled", "pre", "gcn")]
    result, page, text = make(capsys, tmp_path, *runs, "--map", "pca")
    assert result["runs"] == ["labeled", "pre", "gcn"] and result["sections"] == ALL
    assert {
        "map-0",
        "map-1",
        "map-2",
        "confusion-0",
        "confusion-1",
        "confusion-2",
        "gains-0",
        "gains-1",
    } <= set(page.figures)
    assert "gains-2" not in page.figures  # gcn has no heads
    assert page.row("--mode")[:5] == ["--mode", "post", "post", "pre", "post"]
    assert text.count('id="graph-') == 1  # labels and degrees are there once


def test_hostile_names_stay_text(capsys, report_runs, tmp_path):
    shutil.copytree(report_runs / "labeled", tmp_path / "<i>run<i>")
    options = json.loads((tmp_path / "<i>run<i>" / "options.json").read_text())
    options["options"]["labels-file"] = "</script><script>alert('o')</script>"
    (tmp_path / "<i>run<i>" / "options.json").write_text(json.dumps(options))
    words = (
        "--data",
        report_runs / "data",
        "--title",
        "</title><script>alert('t')</script>",
        "--map",
        "pca",
    )
    _, page, text = make(capsys, tmp_path, tmp_path / "<i>run<i>", report_runs / "labeled", *words)
    kinds = {tag for tag, _ in page.tags}
    assert not kinds & {"img", "i", "iframe", "object", "link", "form", "base"}
    assert (
        sum(tag == "script" and "type" not in attributes for tag, attributes in page.tags) == 2
    )  # plotly and ours
    assert all(not name.startswith("on") for _, attributes in page.tags for name in attributes)
    for name in HOSTILE:
        assert plain(name, 18) != name and name not in text
    assert "alert('o')" not in text and "alert('t')" not in text


def test_json_cannot_end_its_script():
    assert "<" not in embedded({"</script>": "<!--\u2028&"})
    assert json.loads(embedded({"</script>": "<!--\u2028&"})) == {"</script>": "<!--\u2028&"}


def test_nothing_is_fetched(capsys, report_runs, tmp_path):
    _, page, _ = make(capsys, tmp_path, report_runs / "labeled", "--map", "pca")
    for _, attributes in page.tags:
        assert "src" not in attributes and "srcset" not in attributes
        assert attributes.get("href", "#").startswith("#")
    policy = next(
        a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy and "http" not in policy and "connect-src" not in policy


def test_the_same_input_gives_the_same_bytes(capsys, report_runs, tmp_path):
    pages = [make(capsys, tmp_path, report_runs / "labeled")[2] for _ in range(2)]
    assert pages[0] == pages[1]
    other = make(capsys, tmp_path, report_runs / "labeled", "--seed", 1)[2]
    assert other != pages[0]


def test_a_graph_of_20000_nodes_stays_under_8_mb(capsys, tmp_path, monkeypatch):
    """Three runs of it, with names of nodes; instead of t-SNE, points that take no time."""
    points = ("t-SNE", lambda rows, seed: rows[:, :2])
    monkeypatch.setitem(projection.MAPS, "tsne", points)
    data = tmp_path / "data"
    run_program(
        "data", "generate", "--nodes", 20000, "--features", 8, "--seed", 1, "-o", data, "--quiet"
    )
    about = json.loads((data / "dataset.json").read_text()) | {"names": ["nodes"]}
    (data / "dataset.json").write_text(json.dumps(about))
    (data / "node_ids.txt").write_text(
        "".join(f"https://example.org/node/{i:06}\n" for i in range(20000))
    )
    run_program(
        "train",
        data,
        "-o",
        tmp_path / "a",
        "--epochs",
        1,
        "--aug-dim",
        8,
        "--dim",
        8,
        "--threads",
        1,
        "--quiet",
    )
    score = {"metric": "accuracy", "mean": 50, "std": 1, "values": [50]}
    scores = score | {"reference_scores": {"raw": score}}
    (tmp_path / "a" / "scores.json").write_text(json.dumps(scores))
    for name in "bc":
        shutil.copytree(tmp_path / "a", tmp_path / name)
    result, _, _ = make(capsys, tmp_path, *(tmp_path / name for name in "abc"))
    assert result["bytes"] < 8_000_000


def test_what_is_missing_is_said_and_may_be_given(capsys, report_runs, tmp_path):
    shutil.copytree(
        report_runs / "labeled", tmp_path / "run", ignore=shutil.ignore_patterns("scores.json")
    )
    info = json.loads((tmp_path / "run" / "options.json").read_text()) | {"data": "/nowhere/graph"}
    (tmp_path / "run" / "options.json").write_text(json.dumps(info))
    result, _, _ = make(capsys, tmp_path, tmp_path / "run", "--map", "pca")
    assert result["sections"] == ["map", "training", "options"]
    assert "--data DATA" in result["notes"][0]["note"]
    found, _, _ = make(
        capsys, tmp_path, tmp_path / "run", "--map", "pca", "--data", report_runs / "data"
    )
    assert found["sections"] == ALL and found["notes"] == []
    other, _, _ = make(capsys, tmp_path, tmp_path / "run", "--map", "pca", "--data", "sbm:nodes=50")
    assert "50 nodes" in other["notes"][0]["note"]


def test_data_that_was_named_from_a_folder_above_the_run_is_found(
    capsys, report_runs, tmp_path, monkeypatch
):
    (tmp_path / "work" / "runs").mkdir(parents=True)
    shutil.copytree(report_runs / "data", tmp_path / "work" / "data")
    kept = shutil.ignore_patterns("scores.json")
    shutil.copytree(report_runs / "labeled", tmp_path / "work" / "runs" / "a", ignore=kept)
    info = json.loads((report_runs / "labeled" / "options.json").read_text()) | {"data": "data"}
    (tmp_path / "work" / "runs" / "a" / "options.json").write_text(json.dumps(info))
    monkeypatch.chdir(tmp_path)
    result, _, _ = make(capsys, tmp_path, "work/runs/a", "--map", "pca")
    assert result["sections"] == ALL
    assert f"{tmp_path / 'work' / 'data'} was taken for it" in result["notes"][0]["note"]
    shutil.copytree(
        report_runs / "data", tmp_path / "work" / "runs" / "data"
    )  # now it may be either
    result, _, _ = make(capsys, tmp_path, "work/runs/a", "--map", "pca")
    assert result["sections"] == ["map", "training", "options"]
    assert "--data DATA" in result["notes"][0]["note"]


def test_an_unfinished_run(capsys, report_runs, tmp_path):
    shutil.copytree(
        report_runs / "labeled", tmp_path / "run", ignore=shutil.ignore_patterns("scores.json")
    )
    (tmp_path / "run" / "embeddings.npy").unlink()
    with open(tmp_path / "run" / "metrics.jsonl", "a") as file:
        file.write('{"epoch": 6, "lo')  # killed while it wrote
    result, _, _ = make(capsys, tmp_path, tmp_path / "run")
    assert result["sections"] == ["training", "options"]
    assert "not finished" in result["notes"][0]["note"]


def test_wrong_usage(capsys, report_runs, tmp_path):
    run = report_runs / "labeled"
    assert fails(capsys, run)[0] == 2
    assert fails(capsys, run, "-o", tmp_path / "page.html", "--tittle", "x")[0] == 2
    assert fails(capsys, run, "-o", tmp_path)[0] == 2
    assert fails(capsys, run, "-o", tmp_path / "page.html", "--seed", -1)[0] == 2
    code, said = fails(capsys, run, "-o", tmp_path / "page.html", "--no-tsne")
    assert code == 2 and "--no-tsne is now --map pca" in said
    if find_spec("umap") is None:
        code, said = fails(capsys, run, "-o", tmp_path / "page.html", "--map", "umap")
        assert code == 2 and "pip install umap-learn" in said


def test_bad_folders_are_named_and_nothing_is_left(capsys, report_runs, tmp_path):
    out = tmp_path / "page.html"
    code, said = fails(capsys, tmp_path / "none", "-o", out)
    assert code == 3 and "no such folder" in said and "hint: " in said
    assert fails(capsys, tmp_path, "-o", out)[0] == 3  # an empty folder
    assert fails(capsys, report_runs / "labeled", "-o", tmp_path / "none" / "page.html")[0] == 3
    for file, content in (
        ("options.json", "{"),
        ("options.json", "[]"),
        ("metrics.jsonl", "{}\n"),
        ("embeddings.npy", "x"),
        ("scores.json", "{}"),
    ):
        shutil.copytree(report_runs / "labeled", tmp_path / "run")
        (tmp_path / "run" / file).write_text(content)
        code, said = fails(capsys, tmp_path / "run", "-o", out)
        assert code == 3 and file in said, file
        shutil.rmtree(tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_page_is_kept(capsys, report_runs, tmp_path):
    file = tmp_path / "notes.html"
    file.write_text("<p>mine</p>")
    words = [
        str(report_runs / "labeled"),
        "-o",
        str(file),
        "--threads",
        "1",
        "--quiet",
        "--map",
        "pca",
    ]
    assert report_command.main(words) == 3
    assert "--overwrite" in capsys.readouterr().err
    assert file.read_text() == "<p>mine</p>"
    assert report_command.main([*words, "--overwrite"]) == 0
    assert report_command.main(words) == 0, "one of ours may be made again"


def test_the_program_finds_report_beside_itself():
    program = os.path.join(os.path.dirname(graphsurgeon.__file__), "bin", "graphsurgeon")
    beside = os.path.join(os.path.dirname(os.path.realpath(program)), "graphsurgeon-report")
    if not os.path.exists(beside):
        pytest.skip("an installed package has it in the environment's own bin folder")
    done = subprocess.run([program, "report", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--map" in done.stdout
