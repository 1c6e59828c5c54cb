#!/usr/bin/env python3
"""Training on batches against training on the whole graph: time, memory and accuracy.

    large.py [--quick] [--sizes flickr yelp reddit] [--loaders full neighbor cluster saint]
             [--epochs 2] [--threads N]
    large.py --real [--datasets photo cs pubmed]
    large.py --limit MIB
    large.py --reorder
    large.py --methods clustergcn graphsaint pprgo graphsurgeon

Generated graphs of the size and class structure of Flickr, Yelp (multi-label) and Reddit (a
stochastic block model with degree correction and features) are trained with D 256, K 128 by each
loader, then scored by the linear protocol on three random splits. sample and gather are shares of
the epoch's CPU time, wait is a share of its time.

--quick         Flickr's size only
--sizes ...     these sizes
--real          instead, each loader on real datasets against the whole graph, ten splits; the
                target is 1.5 points
--limit MIB     instead, a dataset whose files are larger than that is trained, embedded and scored
                with less anonymous memory
--reorder       instead, one epoch over files outside the page cache, with the nodes in each order
                of 'data convert --reorder': time, gathering, and MiB read from disk
--methods ...   instead, supervised methods and ours on a graph of Reddit's size, one split (5 % of
                the nodes for training): accuracy, time and memory, which must stay below 8 GiB
--epochs N      epochs of each training; full-batch training needs more of them and has its own
                option, --full-epochs

Graphs are generated below build/bench/ and removed. Writes build/bench/large*.json and .md.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from common import (
    DATA,
    PROGRAM,
    RESULTS,
    end_cleanly,
    judge,
    machine,
    program,
    train_and_score,
    write,
)
from large_files import limit, reorder
from large_graphs import SIZES, epochs_of, generate

LOADERS = ("full", "neighbor", "cluster", "saint")

# Batches of some hundred nodes, which come closest to the whole graph.
REAL = {
    "neighbor": ["--batch-size", 1024, "--fanouts", "10,10"],
    "cluster": ["--parts", 20, "--parts-per-batch", 5],
    "saint": ["--roots", 1000, "--walk-length", 2],
}

SHARE, RESIDENT, POINTS = 0.15, 2048, 1.5


def measure(data, folder, loader, batch, epochs, threads, memory):
    trained, scored = train_and_score(
        data,
        folder,
        threads,
        [
            f"--loader {loader} --batch-size {batch} --fanouts 10,10 --mode pre",
            f"--skip none --aug-dim 256 --dim 128 --epochs {epochs}",
        ],
        [f"--num-splits 3 --splits random:5/15/80 --probe-epochs 100 --memory {memory}"],
    )
    lines = epochs_of(folder)
    last = lines[-1]
    parts = last.get("seconds_of", {"sample": 0.0, "gather": 0.0, "wait": 0.0})
    return {
        "loader": loader,
        "batches": trained["batches"],
        "seconds_per_epoch": trained["ms_per_epoch"] / 1000,
        "sample_share": parts["sample"] / (last["seconds"] * threads),
        "gather_share": parts["gather"] / (last["seconds"] * threads),
        "wait_share": parts["wait"] / last["seconds"],
        "resident_mib": trained["resident_mib"],
        "anonymous_mib": trained["anonymous_mib"],
        "metric": scored["metric"],
        "score": scored["mean"],
        "epochs": epochs,
        "eval_anonymous_mib": scored["anonymous_mib"],
    }


def sizes(a):
    rows, targets = [], []
    for name in a.sizes:
        scratch = Path(tempfile.mkdtemp(prefix="large.", dir=RESULTS))
        try:
            generate(scratch / "graph", SIZES[name], a.threads)
            for loader in a.loaders:
                row = {
                    "size": name,
                    **measure(
                        scratch / "graph",
                        scratch / "run",
                        loader,
                        SIZES[name]["batch"],
                        a.full_epochs if loader == "full" else a.epochs,
                        a.threads,
                        8192,
                    ),
                }
                rows.append(row)
                print(
                    f"{name} {loader}: {row['seconds_per_epoch']:.1f} s an epoch, "
                    f"{row['anonymous_mib']:.0f} MiB, "
                    f"{row['metric']} {row['score']:.2f}",
                    flush=True,
                )
                if (name, loader) == ("reddit", "neighbor"):
                    targets += [
                        {
                            "what": "reddit neighbor: sample + gather, share of CPU time",
                            "wanted": SHARE,
                            "value": row["sample_share"] + row["gather_share"],
                        },
                        {
                            "what": "reddit neighbor: anonymous MiB",
                            "wanted": RESIDENT,
                            "value": row["anonymous_mib"],
                        },
                    ]
        finally:
            shutil.rmtree(scratch)
    lines = [
        "| size of | loader | batches | s / epoch | sample | gather | wait | resident MiB | "
        "anonymous MiB | epochs | score |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {r['size']} | {r['loader']} | {r['batches']} | {r['seconds_per_epoch']:.2f} | "
        f"{r['sample_share']:.1%} "
        f"| {r['gather_share']:.1%} | {r['wait_share']:.1%} | {r['resident_mib']:.0f} | "
        f"{r['anonymous_mib']:.0f} "
        f"| {r['epochs']} | {r['score']:.2f} |"
        for r in rows
    ]
    return "large", rows, targets, lines


def real(a):
    rows, targets = [], []
    with tempfile.TemporaryDirectory(prefix="large.", dir=RESULTS) as folder:
        for name in a.datasets:
            whole = None
            for loader in LOADERS:
                program(
                    f"train {name} --preset {name}-tuned --loader {loader}",
                    *REAL.get(loader, []),
                    f"--threads {a.threads} -o",
                    Path(folder) / "run",
                    "--overwrite",
                )
                score = program(
                    "eval", Path(folder) / "run", f"{name} --no-reference --threads {a.threads}"
                )
                whole = whole or score["mean"]
                rows.append(
                    {
                        "dataset": name,
                        "loader": loader,
                        "mean": score["mean"],
                        "std": score["std"],
                        "difference": score["mean"] - whole,
                    }
                )
                print(f"{name} {loader}: {score['mean']:.2f} +- {score['std']:.2f}", flush=True)
                if loader != "full":
                    targets.append(
                        {
                            "what": f"{name} {loader}: points below full batch",
                            "value": whole - score["mean"],
                            "wanted": POINTS,
                        }
                    )
    lines = ["| dataset | loader | accuracy | against full batch |", "|---|---|--:|--:|"]
    lines += [
        f"| {r['dataset']} | {r['loader']} | {r['mean']:.2f} ± {r['std']:.2f} | "
        f"{r['difference']:+.2f} |"
        for r in rows
    ]
    return "large_real", rows, targets, lines


METHODS = {  # as few epochs as they need on a graph whose every epoch is many steps
    "clustergcn": ["--epochs", 10, "--select-every", 5],
    "graphsaint": ["--epochs", 10, "--select-every", 5],
    "pprgo": ["--epochs", 100, "--select-every", 50],
    "graphsurgeon": ["--loader", "full", "--epochs", 20, "--aug-dim", 256, "--dim", 128],
}

MOST_MIB = 8192


def methods(a):
    rows, targets = [], []
    scratch = Path(tempfile.mkdtemp(prefix="large.", dir=RESULTS))
    split = ["--splits", "random:5/15/80", "--num-splits", 1]
    try:
        generate(scratch / "graph", SIZES["reddit"], a.threads)
        for method in a.methods:
            trained, scored = train_and_score(
                scratch / "graph",
                scratch / "run",
                a.threads,
                [f"--method {method}", *METHODS[method], *split],
                split if method == "graphsurgeon" else [],
            )
            row = {
                "method": method,
                "epochs": trained["epochs"],
                "score": scored["mean"],
                "seconds": trained["seconds"],
                "eval_seconds": scored["seconds"],
                "resident_mib": max(trained["resident_mib"], scored["resident_mib"]),
            }
            rows.append(row)
            targets.append(
                {
                    "what": f"{method}: resident MiB",
                    "value": row["resident_mib"],
                    "wanted": MOST_MIB,
                }
            )
            print(
                f"{method}: {row['score']:.2f}, {row['seconds']:.0f} s, "
                f"{row['resident_mib']:.0f} MiB",
                flush=True,
            )
    finally:
        shutil.rmtree(scratch)
    lines = [
        "| method | epochs | accuracy | s, training | s, scoring | resident MiB |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {r['method']} | {r['epochs']} | {r['score']:.2f} | {r['seconds']:.0f} | "
        f"{r['eval_seconds']:.0f} "
        f"| {r['resident_mib']:.0f} |"
        for r in rows
    ]
    return "large_methods", rows, targets, lines


def main():
    end_cleanly()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--loaders", nargs="+", choices=LOADERS, default=list(LOADERS))
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--datasets", nargs="+", default=["photo", "cs", "pubmed"])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--reorder", action="store_true")
    parser.add_argument("--methods", nargs="+", choices=METHODS)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument(
        "--full-epochs", type=int, default=10, help="of full-batch training, one step each"
    )
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    a = parser.parse_args()
    if a.quick:
        a.sizes = ["flickr"]
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is not here; './dev build' makes it")
    if a.real and not DATA.exists():
        sys.exit(f"no datasets at {DATA}; GRAPHSURGEON_DATA names their folder")
    RESULTS.mkdir(parents=True, exist_ok=True)
    job = (
        limit
        if a.limit
        else reorder
        if a.reorder
        else real
        if a.real
        else methods
        if a.methods
        else sizes
    )
    name, rows, targets, lines = job(a)
    judge(targets)
    if targets:
        lines += ["", "| target | measured | at most | |", "|---|--:|--:|---|"]
        lines += [
            f"| {t['what']} | {t['value']:.4g} | {t['wanted']:g} | "
            f"{'met' if t['met'] else 'missed'} |"
            for t in targets
        ]
    write(name, {"machine": machine(a.threads), "rows": rows, "targets": targets}, lines)


if __name__ == "__main__":
    main()
