"""`graphsurgeon report` of ablations, benches and searches."""

import json

from reports import fails, make, write_studies


def test_every_figure_of_ablations_benches_and_searches(capsys, tmp_path):
    folders = write_studies(tmp_path)
    before = {
        file: file.read_bytes() for folder in folders for file in folder.iterdir() if file.is_file()
    }
    result, page, text = make(capsys, tmp_path, *folders)
    assert result["sections"] == ["ablations", "bench", "tuning"]
    wanted = {f"ablation-0-loss-{key}" for key in ("mean", "peak-mib", "ms-per-epoch")}
    wanted |= {f"ablation-0-pre-vs-post-{key}" for key in ("mean", "peak-mib", "ms-per-epoch")}
    wanted |= {
        "ablation-0-batch-size-mean",
        "ablation-0-batch-size-ms-per-epoch",
        "ablation-0-symmetry-mean",
        "ablation-0-convergence-curve",
    }
    wanted |= {"ablation-0-embedding-size-0-mean", "ablation-0-embedding-size-1-mean"}
    wanted |= {"bench-0-mean", "bench-0-ms-per-epoch", "bench-0-peak-mib"}
    wanted |= {f"tuning-0-{key}" for key in ("history", "curves", "importance", "by-lr", "by-mode")}
    assert set(page.figures) == wanted
    assert "photo asymmetric: ran out of memory" in text
    # One panel per question; what else the two modes differ in is a table.
    assert text.count('<article class="panel">') == 6
    assert "How large must a batch be?" in text
    assert page.row("photo")[1:] == ["pre-equal", "10", "4", "2", "0.1"]
    assert (
        page.row("gcn")[1] == "91.00 ± 0.30 (92.40)"
        and page.row("mvgrl")[1] == "failed (out of memory)"
    )
    assert before == {file: file.read_bytes() for file in before}  # a report only reads
    assert make(capsys, tmp_path, *folders)[2] == text


def test_a_search_without_its_journal(capsys, tmp_path):
    study = write_studies(tmp_path)[2]
    for content in ("{damaged", None):
        (study / "journal.log").write_text(content) if content else (study / "journal.log").unlink()
        _, page, text = make(capsys, tmp_path, study)
        assert "tuning-0-history" in page.figures and "tuning-0-curves" not in page.figures
        assert ("another storage" if content is None else "could not be read") in text


def test_studies_of_an_older_version_are_read(capsys, tmp_path):
    ablations, bench, _ = write_studies(tmp_path)
    wanted = make(capsys, tmp_path, ablations, bench)[2]
    for file in [*ablations.glob("*.json"), bench / "bench.json"]:
        content = json.loads(file.read_text())
        content["rows"] = content.pop("cells")[: content.pop("shown")]
        file.write_text(json.dumps(content))
    assert make(capsys, tmp_path, ablations, bench)[2] == wanted


def test_a_damaged_ablation_is_named(capsys, tmp_path):
    folder = write_studies(tmp_path)[0]
    (folder / "loss.json").write_text("{")
    code, said = fails(capsys, folder, "-o", tmp_path / "page.html")
    assert code == 3 and "loss.json" in said
