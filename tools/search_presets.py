#!/usr/bin/env python3
"""Searches the values of a `*-tuned` preset, or of the defaults, on validation accuracy alone.

    search_presets.py --program build/graphsurgeon --journal DIR [--trials 40] [--workers 2] [--splits auto] DATASET...

Each trial trains once and reads the mean validation accuracy of the linear probe over five splits
whose seeds (1000..1004) no reported table uses; test accuracy is never looked at. One line a trial
goes to DIR/DATASET.jsonl, from which a second run continues. Needs optuna.
"""
import argparse
import concurrent.futures
import json
import subprocess
import tempfile
import threading
from pathlib import Path

import optuna

STARTS = [  # the authors' region, and points far past it
    {"mode": "post", "aug-dim": 384, "layers": 2, "dropout": 0.35, "gamma": 5.0, "lr": 0.003, "epochs": 50},
    {"mode": "pre", "aug-dim": 384, "layers": 1, "dropout": 0.2, "gamma": 2000.0, "lr": 0.0015, "epochs": 60},
    {"mode": "pre", "aug-dim": 256, "layers": 2, "dropout": 0.2, "gamma": 50.0, "lr": 0.002, "epochs": 50},
    {"mode": "post", "aug-dim": 256, "layers": 2, "dropout": 0.3, "gamma": 200.0, "lr": 0.002, "epochs": 50},
    {"mode": "pre", "aug-dim": 384, "layers": 1, "dropout": 0.2, "gamma": 20.0, "lr": 0.0015, "epochs": 60},
    {"mode": "pre", "aug-dim": 384, "layers": 2, "dropout": 0.2, "gamma": 2.0, "lr": 0.003, "epochs": 50},
    {"mode": "post", "aug-dim": 256, "layers": 1, "dropout": 0.35, "gamma": 10.0, "lr": 0.004, "epochs": 40},
]


def suggest(trial):
    return {
        "mode": trial.suggest_categorical("mode", ["pre", "post"]),
        "aug-dim": trial.suggest_int("aug-dim", 128, 512, log=True),
        "layers": trial.suggest_int("layers", 1, 3),
        "dropout": trial.suggest_float("dropout", 0.0, 0.7),
        "gamma": trial.suggest_float("gamma", 0.5, 20000, log=True),
        "lr": trial.suggest_float("lr", 2e-4, 2e-2, log=True),
        "epochs": trial.suggest_int("epochs", 15, 100, log=True),
    }


def authors_start(program, dataset):
    """The authors' values, their gamma brought to the scaled constraint: gamma N / (2 K^1.5)."""
    path = Path(__file__).resolve().parent.parent / "presets" / f"{dataset}.json"
    if not path.exists():
        return []
    values = json.loads(path.read_text())["options"]
    info = subprocess.run([program, "data", "info", dataset, "--json", "--quiet"], capture_output=True, text=True, check=True)
    gamma = values["gamma"] * json.loads(info.stdout)["nodes"] / (2 * values["dim"] ** 1.5)
    return [{**{k: values[k] for k in ("mode", "aug-dim", "layers", "dropout", "lr")}, "gamma": max(0.5, gamma),
             "epochs": min(100, values["epochs"])}]


def score(program, dataset, values, seed, splits="auto"):
    flags = [f for key, value in values.items() for f in (f"--{key}", str(value))]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        common = ["--threads", "1", "--quiet", "--json"]
        train = subprocess.run([program, "train", dataset, "-o", run, "--constraint", "scaled", "--seed", str(seed),
                                "--rank-every", "1000", "--checkpoint-every", "1000", *flags, *common], capture_output=True, text=True)
        if train.returncode != 0:
            return 0.0, train.stderr.splitlines()[0]
        probe = subprocess.run([program, "eval", run, dataset, "--no-reference", "--runs", "5", "--split-seed", "1000",
                                "--splits", splits, *common],
                               capture_output=True, text=True, check=True)
        details = json.loads(probe.stdout)["details"]
        return sum(d["validation"] for d in details) / len(details), ""


def search(program, dataset, journal, trials, workers, splits):
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0, n_startup_trials=10, multivariate=True, constant_liar=True))
    path, lock = journal / f"{Path(dataset).name}.jsonl", threading.Lock()
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    space = {
        "mode": optuna.distributions.CategoricalDistribution(["pre", "post"]), "aug-dim": optuna.distributions.IntDistribution(128, 512, log=True),
        "layers": optuna.distributions.IntDistribution(1, 3), "dropout": optuna.distributions.FloatDistribution(0.0, 0.7),
        "gamma": optuna.distributions.FloatDistribution(0.5, 20000, log=True), "lr": optuna.distributions.FloatDistribution(2e-4, 2e-2, log=True),
        "epochs": optuna.distributions.IntDistribution(15, 100, log=True),
    }
    for line in known:
        if set(line["values"]) != set(space):
            continue  # a trial made by hand, with more options than are searched here
        study.add_trial(optuna.trial.create_trial(params=line["values"], distributions=space, value=line["validation"]))
    if not known:
        for start in authors_start(program, dataset) + STARTS:
            study.enqueue_trial(start)

    def work(_):
        with lock:
            trial = study.ask()
        values = suggest(trial)
        validation, problem = score(program, dataset, values, seed=0, splits=splits)
        with lock:
            study.tell(trial, validation)
            line = {"validation": round(validation, 3), "values": values, **({"problem": problem} if problem else {})}
            with path.open("a") as out:
                out.write(json.dumps(line) + "\n")
            print(dataset, json.dumps(line), f"best {study.best_value:.2f}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(max(0, trials - len(known)))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--program", default="build/graphsurgeon")
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--splits", default="auto", help="as eval takes it; for data with splits of its own: random:60/20/20")
    a = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    a.journal.mkdir(parents=True, exist_ok=True)
    for dataset in a.datasets:
        search(a.program, dataset, a.journal, a.trials, a.workers, a.splits)


if __name__ == "__main__":
    main()
