#!/usr/bin/env python3
"""Accuracy of the authors' settings, our tuned presets and the plain defaults, beside the peer's: one table.

    ./dev bench accuracy [--datasets photo,cs,dblp,pubmed,actor,facebook] [--no-peer] [--quick]

Each cell is one training and the linear protocol over ten splits (random 5/15/80 by seed 0, or the data's
own): mean and deviation of test accuracy. `default` takes no preset at all. The peer is the same method and
the authors' settings written with PyTorch Geometric, over ten random splits of its own or the data's. Datasets
that are not there are named and skipped. Writes build/bench/accuracy.json and .md.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "graphsurgeon"
SHARED = ROOT.parent / "shared"
OUT = ROOT / "build" / "bench"

# What the peer reads, and the paper's figure.
DATASETS = {
    "photo": ("amazon_electronics_photo.npz", 92.27),
    "cs": ("ms_academic_cs.npz", 92.03),
    "dblp": ("dblp.npz", 81.48),
    "pubmed": ("pubmed.npz", 84.94),
    "actor": ("actor/raw", 30.19),
    "facebook": ("facebook/raw", 84.92),
}
FLAGS = {"mode": "--mode", "aug-dim": "--aug-dim", "dropout": "--dropout", "gamma": "--gamma", "lr": "--lr", "epochs": "--epochs"}


def ours(dataset, extra, quick):
    with tempfile.TemporaryDirectory() as folder:
        run = str(Path(folder) / "run")
        subprocess.run([PROGRAM, "train", dataset, "-o", run, "--quiet", *extra, *(["--epochs", "5"] if quick else [])],
                       check=True, stdout=subprocess.DEVNULL)
        result = subprocess.run([PROGRAM, "eval", run, dataset, "--quiet", "--json"], check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


def peer(dataset, path, quick):
    values = json.loads((ROOT / "presets" / f"{dataset}.json").read_text())["options"]
    flags = [f for key, flag in FLAGS.items() if key in values for f in (flag, str(values[key]))]
    if quick:
        flags += ["--epochs", "5"]
    result = subprocess.run([sys.executable, SHARED / "peer" / "pyg_peer.py", path, *flags, "--splits", "10"],
                            check=True, capture_output=True, text=True)
    return json.loads(result.stdout.splitlines()[-1])


def find(name):
    path = SHARED / "data" / name
    return path if path.exists() else None


def cell(score):
    return "" if score is None else f"{score['mean']:.2f} ±{score['std']:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--no-peer", action="store_true", help="ours alone")
    parser.add_argument("--quick", action="store_true", help="five epochs: to try the script, not to quote")
    a = parser.parse_args()
    os.environ.setdefault("GRAPHSURGEON_DATA", str(SHARED / "data"))
    OUT.mkdir(parents=True, exist_ok=True)
    presets = {p.stem for p in (ROOT / "presets").glob("*.json")}
    rows = []
    for dataset in a.datasets.split(","):
        name, paper = DATASETS[dataset]
        path = find(name)
        if path is None:
            print(f"{dataset}: not there, skipped", flush=True)
            continue
        row = {"dataset": dataset, "paper": paper}
        for label, extra in (("authors", ["--preset", dataset]), ("tuned", ["--preset", f"{dataset}-tuned"]), ("default", [])):
            if label == "tuned" and f"{dataset}-tuned" not in presets:
                continue
            result = ours(dataset, extra, a.quick)
            row[label] = {"mean": result["mean"], "std": result["std"], "splits": result["splits"]}
            if label == "default":
                row["reference"] = result["reference"]
            print(f"{dataset} {label}: {cell(row[label])}", flush=True)
        if not a.no_peer:
            row["peer"] = peer(dataset, str(path), a.quick)
            print(f"{dataset} peer: {cell(row['peer'])}", flush=True)
        rows.append(row)
        (OUT / "accuracy.json").write_text(json.dumps(rows, indent=1))

    lines = ["| dataset | paper | peer, authors' settings | ours, authors' settings | tuned | default | raw | smoothed | untrained |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        reference = [f"{row['reference'][k]:.2f}" if k in row["reference"] else "" for k in ("raw", "smoothed", "untrained")]
        lines.append("| " + " | ".join([row["dataset"], f"{row['paper']:.2f}", cell(row.get("peer")), cell(row.get("authors")),
                                        cell(row.get("tuned")), cell(row.get("default")), *reference]) + " |")
    (OUT / "accuracy.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
