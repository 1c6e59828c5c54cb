"""Shared by the tests of reports: a page that was made, and studies in small."""

import json
from html.parser import HTMLParser

import optuna

from graphsurgeon.report import report_command


class Page(HTMLParser):
    """The elements of a page, and the text of its tables."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.figures, self.rows, self.ids = [], [], [], []
        self._cell = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "figure":
            self.figures.append(dict(attributes)["id"])
        if "id" in dict(attributes):
            self.ids.append(dict(attributes)["id"])
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self._cell = ""

    def handle_endtag(self, tag):
        if tag in ("th", "td"):
            self.rows[-1].append(self._cell)
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data

    def row(self, name):
        return next(row for row in self.rows if row and row[0] == name)


def make(capsys, folder, *words):
    """Runs the command in this process; returns its result and the page."""
    file = folder / "page.html"
    code = report_command.main(
        [*map(str, words), "-o", str(file), "--threads", "1", "--quiet", "--json"]
    )
    captured = capsys.readouterr()
    assert code == 0, captured.err
    text = file.read_text(encoding="utf-8")
    return json.loads(captured.out), Page(text), text


def fails(capsys, *words):
    code = report_command.main([str(word) for word in words])
    said = capsys.readouterr().err
    assert "Traceback" not in said and said.startswith("error: ")
    return code, said


def row(dataset, variant, **values):
    return {
        "dataset": dataset,
        "variant": variant,
        "mean": 80.0,
        "std": 1.0,
        "peak_mib": 100.0,
        "ms_per_epoch": 5.0,
        "parameters": 10,
        "aug_dim": 4,
        "gamma": 1.0,
        "gamma_scaled": 2.0,
        "lr": 0.1,
    } | values


def write_studies(folder):
    """What ablate, bench and tune write, in small."""
    rows = {
        "loss": [row("photo", v) for v in ("naive", "original", "improved", "scaled")],
        "batch-size": [row(d, v) for d in ("photo", "pubmed") for v in ("64", "1024", "4096")],
        "embedding-size": [
            row(d, f"{m}-{w}")
            for d in ("photo", "pubmed")
            for m in ("graphsurgeon", "cca-ssg")
            for w in (256, 1280)
        ],
        "pre-vs-post": [row("photo", v) for v in ("pre-equal", "post-equal")],
        "symmetry": [
            row("photo", "symmetric"),
            row("photo", "asymmetric", problem="ran out of memory"),
        ],
        "convergence": [{"dataset": "photo", "variant": "curve", "curve": [[5, 70.0], [10, 80.0]]}],
    }
    (folder / "ablations").mkdir(parents=True)
    for name, found in rows.items():
        head = {"name": name, "holds": name == "loss", "text": f"What {name} says <b>."}
        kept = row("kept", "not shown")  # for another command
        content = head | {"shown": len(found), "cells": [*found, kept]}
        (folder / "ablations" / f"{name}.json").write_text(json.dumps(content))
        (folder / "ablations" / f"{name}.md").write_text(f"# {name}")
    (folder / "bench").mkdir()
    cells = [
        {
            "method": "gcn",
            "dataset": "photo",
            "metric": "accuracy",
            "mean": 91.0,
            "std": 0.3,
            "paper": 92.4,
            "ms_per_epoch": 10.0,
            "peak_mib": 500.0,
        },
        {"method": "mvgrl", "dataset": "photo", "problem": "<no memory>", "paper": "out of memory"},
    ]
    (folder / "bench" / "bench.json").write_text(
        json.dumps({"name": "bench", "shown": 2, "cells": cells})
    )
    study = folder / "study"
    study.mkdir()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = optuna.storages.JournalStorage(
        optuna.storages.journal.JournalFileBackend(str(study / "journal.log"))
    )
    search = optuna.create_study(
        storage=storage,
        study_name="s",
        direction="maximize",
        sampler=optuna.samplers.RandomSampler(0),
    )

    def objective(trial):
        value = (
            80
            + trial.suggest_float("lr", 1e-4, 1e-1, log=True) * 10
            + (trial.suggest_categorical("mode", ["pre", "post"]) == "pre")
        )
        trial.report(value - 1, 5)
        return value

    search.optimize(objective, n_trials=8)
    lines = [
        f"{t.number},complete,{t.value},5,1.0,{t.params['lr']},{t.params['mode']}"
        for t in search.trials
    ]
    (study / "trials.csv").write_text(
        "trial,state,value,epochs,seconds,lr,mode\n" + "\n".join(lines) + "\n8,failed,,,,,\n"
    )
    (study / "best.json").write_text(
        json.dumps(
            {"origin": "graphsurgeon tune photo: <best>", "options": {"lr": 0.1, "mode": "pre"}}
        )
    )
    return [folder / "ablations", folder / "bench", study]
