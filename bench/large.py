#!/usr/bin/env python3
"""Training on batches against training on the whole graph: time of an epoch and where it goes, memory, accuracy.

    large.py [--quick] [--sizes flickr yelp reddit] [--loaders full neighbor cluster saint] [--epochs 2] [--threads N]
    large.py --real [--datasets photo cs pubmed]
    large.py --limit MIB
    large.py --reorder
    large.py --methods clustergcn graphsaint pprgo graphsurgeon

Generated graphs (stochastic block model with degree correction and features, so that accuracy means something) of the size
and class structure of Flickr, Yelp (multi-label) and Reddit are trained with D 256, K 128 by each loader, then scored by the
linear protocol on three random splits. sample, gather and wait are shares of the epoch's CPU time (two threads) or of its
time.

--quick         Flickr's size alone
--sizes ...     these
--real          instead, each loader on real datasets against the whole graph, ten splits; the target is 1.5 points
--limit MIB     instead, a dataset whose files are larger than that many MiB is trained, embedded and scored with anonymous
                memory below it
--reorder       instead, one epoch over files that are not in the page cache, with the nodes in each order that
                'data convert --reorder' makes: time, gathering, and MiB read from the disk
--methods ...   instead, methods that learn from labels and ours on a graph of Reddit's size, one split (5 % of the nodes for
                training): accuracy, time and memory, which must stay below 8 GiB
--epochs N      of each training; full-batch training needs more of them, so its accuracy is after N x its batches' steps

Graphs are made below build/bench/ and removed. Writes build/bench/large*.json and .md.
"""
import argparse
import json
import os
import resource
import shutil
import sys
import tempfile
from pathlib import Path

from full_batch import DATA, PROGRAM, RESULTS, end_cleanly, machine, run, write

SIZES = {
    "flickr": {"nodes": 89250, "edges": 899756, "features": 500, "classes": 7, "signal": 1, "batch": 1024},
    "yelp": {"nodes": 716847, "edges": 13954819, "features": 300, "classes": 100, "labels-per-node": 10, "signal": 3, "batch": 2048},
    "reddit": {"nodes": 232965, "edges": 114615892, "features": 602, "classes": 41, "homophily": 0.3, "signal": 0.7, "batch": 2048},
}
LOADERS = ("full", "neighbor", "cluster", "saint")
REAL = {  # as close to the whole graph as batches come: a tuned preset with batches of some hundred nodes
    "neighbor": ["--batch-size", 1024, "--fanouts", "10,10"],
    "cluster": ["--parts", 20, "--parts-per-batch", 5],
    "saint": ["--roots", 1000, "--walk-length", 2],
}
SHARE, RESIDENT, POINTS = 0.15, 2048, 1.5


def generate(folder, size, threads):
    options = [part for key, value in size.items() if key != "batch" for part in (f"--{key}", value)]
    run([PROGRAM, "data", "generate", "--generator", "sbm", *options, "--threads", threads, "-o", folder,
         "--overwrite", "--json", "--quiet"])
    os.sync()


def epochs_of(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def measure(data, folder, loader, batch, epochs, threads, memory):
    trained = run([PROGRAM, "train", data, "--loader", loader, "--batch-size", batch, "--fanouts", "10,10", "--mode", "pre", "--skip", "none",
                   "--aug-dim", 256, "--dim", 128, "--epochs", epochs, "--rank-every", 1000, "--threads", threads, "-o", folder, "--overwrite",
                   "--json", "--quiet"])
    scored = run([PROGRAM, "eval", folder, data, "--runs", 3, "--splits", "random:5/15/80", "--probe-epochs", 100,
                  "--no-reference", "--memory", memory, "--threads", threads, "--json", "--quiet"])
    lines = epochs_of(folder)
    last = lines[-1]
    parts = last.get("seconds_of", {"sample": 0.0, "gather": 0.0, "wait": 0.0})
    return {"loader": loader, "batches": trained["batches"], "seconds_per_epoch": trained["ms_per_epoch"] / 1000,
            "sample_share": parts["sample"] / (last["seconds"] * threads), "gather_share": parts["gather"] / (last["seconds"] * threads),
            "wait_share": parts["wait"] / last["seconds"], "resident_mib": trained["resident_mib"],
            "anonymous_mib": trained["anonymous_mib"], "metric": scored["metric"], "score": scored["mean"], "epochs": epochs,
            "eval_anonymous_mib": scored["anonymous_mib"]}


def sizes(a):
    rows, targets = [], []
    for name in a.sizes:
        scratch = Path(tempfile.mkdtemp(prefix="large.", dir=RESULTS))
        try:
            generate(scratch / "graph", SIZES[name], a.threads)
            for loader in a.loaders:
                row = {"size": name, **measure(scratch / "graph", scratch / "run", loader, SIZES[name]["batch"],
                                               a.full_epochs if loader == "full" else a.epochs, a.threads, 8192)}
                rows.append(row)
                print(f"{name} {loader}: {row['seconds_per_epoch']:.1f} s an epoch, {row['anonymous_mib']:.0f} MiB, "
                      f"{row['metric']} {row['score']:.2f}", flush=True)
                if (name, loader) == ("reddit", "neighbor"):
                    targets += [{"what": "reddit neighbor: sample + gather, share of CPU time", "wanted": SHARE,
                                 "value": row["sample_share"] + row["gather_share"]},
                                {"what": "reddit neighbor: anonymous MiB", "wanted": RESIDENT, "value": row["anonymous_mib"]}]
        finally:
            shutil.rmtree(scratch)
    lines = ["| size of | loader | batches | s / epoch | sample | gather | wait | resident MiB | anonymous MiB | epochs | score |",
             "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    lines += [f"| {r['size']} | {r['loader']} | {r['batches']} | {r['seconds_per_epoch']:.2f} | {r['sample_share']:.1%} "
              f"| {r['gather_share']:.1%} | {r['wait_share']:.1%} | {r['resident_mib']:.0f} | {r['anonymous_mib']:.0f} "
              f"| {r['epochs']} | {r['score']:.2f} |" for r in rows]
    return "large", rows, targets, lines


def real(a):
    rows, targets = [], []
    with tempfile.TemporaryDirectory(prefix="large.", dir=RESULTS) as folder:
        for name in a.datasets:
            whole = None
            for loader in LOADERS:
                run([PROGRAM, "train", name, "--preset", f"{name}-tuned", "--loader", loader, *REAL.get(loader, []), "--threads",
                     a.threads, "-o", Path(folder) / "run", "--overwrite", "--json", "--quiet"])
                score = run([PROGRAM, "eval", Path(folder) / "run", name, "--no-reference", "--threads", a.threads, "--json",
                             "--quiet"])
                whole = whole or score["mean"]
                rows.append({"dataset": name, "loader": loader, "mean": score["mean"], "std": score["std"],
                             "difference": score["mean"] - whole})
                print(f"{name} {loader}: {score['mean']:.2f} +- {score['std']:.2f}", flush=True)
                if loader != "full":
                    targets.append({"what": f"{name} {loader}: points behind full batch", "value": whole - score["mean"],
                                    "wanted": POINTS})
    lines = ["| dataset | loader | accuracy | against full batch |", "|---|---|--:|--:|"]
    lines += [f"| {r['dataset']} | {r['loader']} | {r['mean']:.2f} ± {r['std']:.2f} | {r['difference']:+.2f} |" for r in rows]
    return "large_real", rows, targets, lines


def limit(a):
    """Files of more than the limit, every step with less anonymous memory than it."""
    rows, targets = [], []
    scratch = Path(tempfile.mkdtemp(prefix="large.", dir=RESULTS))
    try:
        nodes = a.limit * 2**20 * 3 // 2 // (4 * 512)
        generate(scratch / "graph", {"nodes": nodes, "edges": 20 * nodes, "features": 512, "classes": 10, "signal": 0.5}, a.threads)
        size = sum(f.stat().st_size for f in (scratch / "graph").iterdir()) / 2**20
        memory = a.limit * 3 // 4
        steps = {
            "train": ["train", scratch / "graph", "--epochs", 1, "--mode", "pre", "--aug-dim", 64, "--dim", 32, "--fanouts", "5,5", "--memory", memory, "-o", scratch / "run"],
            "embed": ["embed", scratch / "run", scratch / "graph", "--memory", memory // 2, "-o", scratch / "z.npy"],
            "eval": ["eval", scratch / "run", scratch / "graph", "--memory", memory // 2, "--runs", 2, "--probe-epochs", 100],
        }
        for name, command in steps.items():
            result = run([PROGRAM, *command, "--threads", a.threads, "--json", "--quiet"])
            rows.append({"step": name, "files_mib": size, "seconds": result["seconds"], "anonymous_mib": result["anonymous_mib"],
                         "resident_mib": result["resident_mib"], "loader": result.get("loader", ""), "score": result.get("mean")})
            print(f"{name}: {result['anonymous_mib']:.0f} MiB anonymous of {size:.0f} MiB of files", flush=True)
            targets.append({"what": f"{name}: anonymous MiB", "value": result["anonymous_mib"], "wanted": a.limit})
    finally:
        shutil.rmtree(scratch)
    lines = ["| step | files MiB | anonymous MiB | resident MiB | seconds |", "|---|--:|--:|--:|--:|"]
    lines += [f"| {r['step']} {r['loader']} | {r['files_mib']:.0f} | {r['anonymous_mib']:.0f} | {r['resident_mib']:.0f} "
              f"| {r['seconds']:.1f} |" for r in rows]
    return "large_limit", rows, targets, lines


def forget(folder):
    """Takes the files out of the page cache."""
    for file in folder.iterdir():
        with open(file, "rb") as f:
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def blocks_read():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock * 512 / 2**20  # in sectors


def reorder(a):
    """The order of the nodes on disk against what an epoch over cold files takes."""
    rows = []
    scratch = Path(tempfile.mkdtemp(prefix="large.", dir=RESULTS))
    loaders = {"cluster": ["--parts-per-batch", 5], "neighbor": ["--batch-size", 4096, "--fanouts", "5,5"]}
    try:
        generate(scratch / "none", {**SIZES["flickr"], "features": 1024}, a.threads)
        for order in ("metis", "bfs", "degree"):
            run([PROGRAM, "data", "convert", scratch / "none", "--reorder", order, "-o", scratch / order, "--json", "--quiet"])
        os.sync()
        for loader, options in loaders.items():
            run([PROGRAM, "train", scratch / "none", "--loader", loader, *options, "--epochs", 1, "-o", scratch / "run", "--overwrite",
                 "--json", "--quiet"])  # the partition is then cached, for the first order as for the others
            for order in ("none", "metis", "bfs", "degree"):
                if loader == "cluster" and order != "none":
                    run([PROGRAM, "train", scratch / order, "--loader", loader, *options, "--epochs", 0, "-o", scratch / "run",
                         "--overwrite", "--json", "--quiet"])
                forget(scratch / order)
                before = blocks_read()
                run([PROGRAM, "train", scratch / order, "--loader", loader, *options, "--aug-dim", 64, "--dim", 32, "--epochs", 1,
                     "--rank-every", 1000, "--threads", a.threads, "-o", scratch / "run", "--overwrite", "--json", "--quiet"])
                line = epochs_of(scratch / "run")[0]
                rows.append({"loader": loader, "order": order, "seconds": line["seconds"], "gather": line["seconds_of"]["gather"],
                             "read_mib": blocks_read() - before})
                print(f"{loader} {order}: {line['seconds']:.2f} s, gathering {line['seconds_of']['gather']:.2f} s", flush=True)
    finally:
        shutil.rmtree(scratch)
    lines = ["| loader | order of the nodes | s, first epoch | gathering, CPU s | MiB read |", "|---|---|--:|--:|--:|"]
    lines += [f"| {r['loader']} | {r['order']} | {r['seconds']:.2f} | {r['gather']:.2f} | {r['read_mib']:.0f} |" for r in rows]
    return "large_reorder", rows, [], lines


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
    split = ["--splits", "random:5/15/80", "--runs", 1]
    try:
        generate(scratch / "graph", SIZES["reddit"], a.threads)
        for method in a.methods:
            trained = run([PROGRAM, "train", scratch / "graph", "--method", method, *METHODS[method], *split, "--rank-every", 1000,
                           "--threads", a.threads, "-o", scratch / "run", "--overwrite", "--json", "--quiet"])
            scored = run([PROGRAM, "eval", scratch / "run", scratch / "graph", "--no-reference", "--threads", a.threads, "--json",
                          "--quiet", *(split if method == "graphsurgeon" else [])])
            row = {"method": method, "epochs": trained["epochs"], "score": scored["mean"], "seconds": trained["seconds"],
                   "eval_seconds": scored["seconds"], "resident_mib": max(trained["resident_mib"], scored["resident_mib"])}
            rows.append(row)
            targets.append({"what": f"{method}: resident MiB", "value": row["resident_mib"], "wanted": MOST_MIB})
            print(f"{method}: {row['score']:.2f}, {row['seconds']:.0f} s, {row['resident_mib']:.0f} MiB", flush=True)
    finally:
        shutil.rmtree(scratch)
    lines = ["| method | epochs | accuracy | s, training | s, scoring | resident MiB |", "|---|--:|--:|--:|--:|--:|"]
    lines += [f"| {r['method']} | {r['epochs']} | {r['score']:.2f} | {r['seconds']:.0f} | {r['eval_seconds']:.0f} "
              f"| {r['resident_mib']:.0f} |" for r in rows]
    return "large_methods", rows, targets, lines


def main():
    end_cleanly()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--loaders", nargs="+", choices=LOADERS, default=list(LOADERS))
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--datasets", nargs="+", default=["photo", "cs", "pubmed"])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--reorder", action="store_true")
    parser.add_argument("--methods", nargs="+", choices=METHODS)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--full-epochs", type=int, default=10, help="of full-batch training, one step each")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    a = parser.parse_args()
    if a.quick:
        a.sizes = ["flickr"]
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is not here; './dev build' makes it")
    if a.real and not DATA.exists():
        sys.exit(f"no datasets at {DATA}; GRAPHSURGEON_DATA names their folder")
    RESULTS.mkdir(parents=True, exist_ok=True)
    job = limit if a.limit else reorder if a.reorder else real if a.real else methods if a.methods else sizes
    name, rows, targets, lines = job(a)
    for target in targets:
        target["met"] = bool(target["value"] <= target["wanted"])
    if targets:
        lines += ["", "| target | measured | at most | |", "|---|--:|--:|---|"]
        lines += [f"| {t['what']} | {t['value']:.4g} | {t['wanted']:g} | {'met' if t['met'] else 'missed'} |" for t in targets]
    write(name, {"machine": machine(a.threads), "rows": rows, "targets": targets}, lines)


if __name__ == "__main__":
    main()
