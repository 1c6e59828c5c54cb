#!/usr/bin/env python3
"""Searches the values of a preset, or of the defaults, on validation accuracy alone.

    search_presets.py --journal DIR [--method gcn] [--trials 40] [--workers 2] [--splits auto] DATASET...
    search_presets.py --journal DIR --joint [--fix mode=post] DATASET...

Each trial trains once and reads the mean validation accuracy over five splits whose seeds (1000..1004) no reported
table uses; test accuracy is never looked at. One line a trial goes to DIR/DATASET.jsonl (a baseline's to
DIR/METHOD-DATASET.jsonl), from which a second run continues.

--joint looks for one set of values for all datasets, the defaults: a trial trains on each, and its worth is the
smallest of (its validation accuracy less that of the dataset's tuned preset), so that it is the worst dataset that
counts. A dataset may say its splits, as actor=random:60/20/20. The lines go to DIR/joint.jsonl.

Needs optuna.
"""
import argparse
import concurrent.futures
import json
import subprocess
import tempfile
import threading
from pathlib import Path

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

ROOT = Path(__file__).resolve().parent.parent
SUPERVISED = {"gcn", "gat", "graphsage", "clustergcn", "graphsaint", "pprgo"}


def lg(low, high):
    return FloatDistribution(low, high, log=True)


OURS = {
    "mode": CategoricalDistribution(["pre", "post"]), "aug-dim": IntDistribution(128, 512, log=True), "layers": IntDistribution(1, 3),
    "skip": CategoricalDistribution(["none", "sum", "linear"]), "dropout": FloatDistribution(0.0, 0.7), "gamma": lg(0.5, 20000),
    "lr": lg(2e-4, 2e-2), "epochs": IntDistribution(15, 100, log=True),
}
WIDE = OURS | {"aug-dim": CategoricalDistribution([256, 512, 768]), "dim": CategoricalDistribution([128, 256, 384]),
               "layers": IntDistribution(1, 2), "gamma": lg(1, 1000), "lr": lg(5e-4, 2e-2), "epochs": CategoricalDistribution([30, 60, 100])}
LABELS = {"hidden": CategoricalDistribution([64, 128, 256]), "layers": IntDistribution(1, 3), "dropout": FloatDistribution(0.1, 0.8),
          "lr": lg(1e-3, 3e-2), "weight-decay": lg(1e-5, 1e-2)}
SPACES = {
    "graphsurgeon": OURS,
    "pprgo": LABELS | {"alpha": FloatDistribution(0.05, 0.5)},
    "gat": LABELS | {"attention-dropout": FloatDistribution(0.0, 0.7)},
    "dgi": {"dim": CategoricalDistribution([256, 512]), "lr": lg(2e-4, 1e-2), "epochs": CategoricalDistribution([50, 100, 200, 300])},
    "mvgrl": {"dim": CategoricalDistribution([256, 512]), "lr": lg(2e-4, 1e-2), "epochs": CategoricalDistribution([50, 100, 200]),
              "alpha": FloatDistribution(0.05, 0.4)},
    "cca-ssg": {"layers": IntDistribution(1, 2), "lr": lg(2e-4, 1e-2), "epochs": CategoricalDistribution([20, 50, 100]),
                "edge-drop": FloatDistribution(0.0, 0.7), "feature-mask": FloatDistribution(0.0, 0.5), "decorrelation": lg(1e-4, 1e-2)},
}
VIEWS = {"lr": lg(2e-4, 1e-2), "edge-drop": FloatDistribution(0.0, 0.7), "edge-drop-2": FloatDistribution(0.0, 0.7),
         "feature-mask": FloatDistribution(0.0, 0.5), "feature-mask-2": FloatDistribution(0.0, 0.5)}
SPACES["bgrl"] = VIEWS | {"epochs": CategoricalDistribution([100, 200, 400]), "dim": CategoricalDistribution([128, 256])}
SPACES["gca"] = SPACES["grace"] = VIEWS | {"epochs": CategoricalDistribution([50, 100, 200]), "temperature": FloatDistribution(0.1, 0.9)}
for name in SUPERVISED:
    SPACES.setdefault(name, LABELS)

STARTS = {  # the authors' region, and points far past it
    "graphsurgeon": [
        {"mode": "post", "aug-dim": 384, "layers": 2, "skip": "sum", "dropout": 0.35, "gamma": 5.0, "lr": 0.003, "epochs": 50},
        {"mode": "pre", "aug-dim": 384, "layers": 1, "skip": "sum", "dropout": 0.2, "gamma": 2000.0, "lr": 0.0015, "epochs": 60},
        {"mode": "pre", "aug-dim": 256, "layers": 2, "skip": "none", "dropout": 0.2, "gamma": 50.0, "lr": 0.002, "epochs": 50},
        {"mode": "pre", "aug-dim": 384, "layers": 2, "skip": "linear", "dropout": 0.3, "gamma": 20.0, "lr": 0.003, "epochs": 60},
        {"mode": "pre", "aug-dim": 384, "layers": 1, "skip": "sum", "dropout": 0.2, "gamma": 20.0, "lr": 0.0015, "epochs": 60},
        {"mode": "post", "aug-dim": 256, "layers": 1, "skip": "none", "dropout": 0.35, "gamma": 10.0, "lr": 0.004, "epochs": 40},
    ],
    "graphsage": [{"hidden": h, "layers": 2, "dropout": d, "lr": lr, "weight-decay": w}
                  for h, d, lr, w in ((256, 0.5, 0.01, 5e-4), (128, 0.7, 0.01, 1e-3), (256, 0.6, 0.003, 5e-4), (256, 0.75, 0.005, 1e-4))],
    "dgi": [{"dim": 512, "lr": lr, "epochs": e} for lr, e in ((0.001, 300), (0.003, 200), (0.0005, 300), (0.003, 100))],
}
JOINT_STARTS = [{"aug-dim": d, "dim": k, "layers": layers, "skip": skip, "dropout": dropout, "gamma": gamma, "lr": lr, "epochs": epochs}
                for d, k, layers, skip, dropout, gamma, lr, epochs in (
                    (512, 256, 2, "none", 0.5, 30.0, 0.003, 60), (512, 256, 2, "none", 0.3, 30.0, 0.002, 60),
                    (512, 256, 1, "none", 0.3, 50.0, 0.002, 60), (512, 256, 2, "linear", 0.4, 30.0, 0.003, 60),
                    (512, 256, 2, "none", 0.4, 100.0, 0.001, 60), (768, 256, 2, "none", 0.5, 10.0, 0.005, 60),
                    (512, 384, 2, "none", 0.5, 30.0, 0.003, 60), (512, 256, 2, "sum", 0.5, 30.0, 0.003, 60))]


def authors_start(program, dataset):
    """The authors' values, their gamma brought to the scaled constraint: gamma N / (2 K^1.5)."""
    path = ROOT / "presets" / f"{dataset}.json"
    if not path.exists():
        return []
    values = json.loads(path.read_text())["options"]
    info = subprocess.run([program, "data", "info", dataset, "--json", "--quiet"], capture_output=True, text=True, check=True)
    gamma = values["gamma"] * json.loads(info.stdout)["nodes"] / (2 * values["dim"] ** 1.5)
    return [{**{k: values[k] for k in ("mode", "aug-dim", "layers", "dropout", "lr")}, "skip": values.get("skip", "sum"),
             "gamma": max(0.5, gamma), "epochs": min(100, values["epochs"])}]


def score(program, method, dataset, values, splits):
    """Mean validation accuracy over five splits, and what went wrong, or ""."""
    labelled = method in SUPERVISED
    flags = [f for key, value in values.items() for f in (f"--{key}", str(value))]
    flags += ["--seed", "1000", "--runs", "5", "--splits", splits] if labelled else ["--seed", "0"]
    flags += ["--constraint", "scaled"] if method == "graphsurgeon" else []
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        common = ["--threads", "1", "--quiet", "--json"]
        train = subprocess.run([program, "train", dataset, "-o", run, "--method", method, "--rank-every", "1000",
                                "--checkpoint-every", "1000", *flags, *common], capture_output=True, text=True)
        if train.returncode != 0:
            return 0.0, train.stderr.splitlines()[0]
        probe = [] if labelled else ["--runs", "5", "--split-seed", "1000", "--splits", splits]
        scored = subprocess.run([program, "eval", run, dataset, "--no-reference", *probe, *common], capture_output=True, text=True)
        if scored.returncode != 0:
            return 0.0, scored.stderr.splitlines()[0]
        details = json.loads(scored.stdout)["details"]
        return sum(d["validation"] for d in details) / len(details), ""


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def search(a, name, space, starts, measure):
    """Asks optuna for values, measures them and writes a line each, until there are enough."""
    sampler = optuna.samplers.TPESampler(seed=0, n_startup_trials=10, multivariate=True, constant_liar=True)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    path, lock = a.journal / f"{name}.jsonl", threading.Lock()
    fixed = dict(pair.split("=", 1) for pair in a.fix)
    space = {key: d for key, d in space.items() if key not in fixed}
    known = [line for line in lines_of(path) if {k: str(line["values"].get(k)) for k in fixed} == fixed]
    for line in known:
        values = {k: v for k, v in line["values"].items() if k not in fixed}
        if set(values) == set(space) and all(space[k]._contains(space[k].to_internal_repr(v)) for k, v in values.items()):
            study.add_trial(optuna.trial.create_trial(params=values, distributions=space, value=line["validation"]))
    if not known:
        for start in starts:
            study.enqueue_trial({k: v for k, v in start.items() if k in space})

    def work(_):
        with lock:
            trial = study.ask(space)
        values = fixed | trial.params
        line = {"validation": 0.0, "values": values, **measure(values)}
        with lock:
            study.tell(trial, line["validation"])
            with path.open("a") as out:
                out.write(json.dumps(line) + "\n")
            print(name, json.dumps(line), f"best {study.best_value:.2f}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(a.workers) as pool:
        list(pool.map(work, range(max(0, a.trials - len(known)))))


def search_one(a, dataset, splits):
    def measure(values):
        validation, problem = score(a.program, a.method, dataset, values, splits)
        return {"validation": round(validation, 3), **({"problem": problem} if problem else {})}

    ours = a.method == "graphsurgeon"
    starts = (authors_start(a.program, dataset) if ours else []) + STARTS.get(a.method, [])
    search(a, dataset if ours else f"{a.method}-{dataset}", SPACES[a.method], starts, measure)


def tuned(dataset):
    values = json.loads((ROOT / "presets" / f"{dataset}-tuned.json").read_text())["options"]
    return {k: v for k, v in values.items() if k != "constraint"}


def search_joint(a, datasets):
    best = {d: score(a.program, a.method, d, tuned(d), splits)[0] for d, splits in datasets}
    print("tuned presets:", best, flush=True)

    def measure(values):
        found = {d: round(score(a.program, a.method, d, values, splits)[0], 3) for d, splits in datasets}
        return {"validation": round(min(found[d] - best[d] for d in found), 3), "each": found}

    search(a, "joint", WIDE, JOINT_STARTS, measure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+", help="DATASET, or DATASET=SPLITS")
    parser.add_argument("--program", default=str(ROOT / "build" / "graphsurgeon"))
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--method", default="graphsurgeon", choices=sorted(SPACES))
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--joint", action="store_true", help="one set of values for all the datasets")
    parser.add_argument("--fix", action="append", default=[], metavar="OPTION=VALUE", help="not searched")
    a = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    a.journal.mkdir(parents=True, exist_ok=True)
    datasets = [(d.partition("=")[0], d.partition("=")[2] or "auto") for d in a.datasets]
    if a.joint:
        search_joint(a, datasets)
    else:
        for dataset, splits in datasets:
            search_one(a, dataset, splits)


if __name__ == "__main__":
    main()
