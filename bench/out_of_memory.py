#!/usr/bin/env python3
"""Trains what the paper could not for lack of memory: time, memory and a score of one epoch.

    out_of_memory.py [--quick] [--sizes physics github flickr yelp reddit widths]
                     [--memory MIB] [--threads N]

These are the cells without a number in the paper's tables and in its figure of embedding sizes:
GraphSAGE and GCA on Physics, GCA on GitHub, MVGRL and GCA on Flickr, every method without labels on
Yelp and Reddit, and MVGRL at widths of 768 and more ('widths', at Physics' size). Each is trained
for one epoch below --memory, on the whole graph if that fits and on GraphSAINT's subgraphs at
Yelp's and Reddit's size, then scored on one random split. One epoch shows that it runs, not how
good it gets.

--quick         Physics' and GitHub's size only
--memory MIB    what a process may use (8192); the target

Graphs are generated below build/bench/ and removed. Writes build/bench/out_of_memory.json and .md.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from common import PROGRAM, RESULTS, end_cleanly, judge, machine, train_and_score, write
from large_graphs import SIZES, generate

GRAPHS = {
    "physics": {
        "nodes": 34493,
        "edges": 495924,
        "features": 8415,
        "classes": 5,
        "feature-kind": "words",
        "words": 33,
        "signal": 0.3,
    },
    "github": {
        "nodes": 37700,
        "edges": 578006,
        "features": 4005,
        "classes": 2,
        "feature-kind": "words",
        "words": 18,
        "signal": 0.3,
    },
    **SIZES,
}
SELF_SUPERVISED = ("dgi", "mvgrl", "gca", "bgrl")
SUBGRAPHS = ["--loader", "saint", "--roots", 3000, "--walk-length", 2]
CELLS = {
    "physics": [("graphsage", []), ("gca", [])],
    "github": [("gca", [])],
    "flickr": [("mvgrl", []), ("gca", [])],
    "yelp": [(method, SUBGRAPHS) for method in SELF_SUPERVISED],
    "reddit": [(method, SUBGRAPHS) for method in SELF_SUPERVISED],
    "widths": [("mvgrl", ["--dim", width]) for width in (768, 1024, 1280)],
}


def measure(data, folder, method, options, a):
    split = ["--splits", "random:5/15/80", "--num-splits", 1]
    memory = ["--memory", a.memory]
    trained, scored = train_and_score(
        data,
        folder,
        a.threads,
        [f"--method {method} --epochs 1", *options, *split, *memory],
        memory if method == "graphsage" else [*split, "--probe-epochs", 100, *memory],
    )
    width = json.loads((folder / "options.json").read_text())["options"][
        "hidden" if method == "graphsage" else "dim"
    ]
    return {
        "method": method,
        "width": width,
        "loader": trained["loader"],
        "batches": trained["batches"],
        "seconds_per_epoch": trained["ms_per_epoch"] / 1000,
        "seconds": trained["seconds"],
        "resident_mib": trained["resident_mib"],
        "eval_resident_mib": scored["resident_mib"],
        "metric": scored["metric"],
        "score": scored["mean"],
    }


def main():
    end_cleanly()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes", nargs="+", choices=CELLS, default=list(CELLS))
    parser.add_argument("--memory", type=int, default=8192)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    a = parser.parse_args()
    if a.quick:
        a.sizes = ["physics", "github"]
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is not here; './dev build' makes it")
    RESULTS.mkdir(parents=True, exist_ok=True)
    rows, targets = [], []
    for cells in a.sizes:
        size = "physics" if cells == "widths" else cells
        scratch = Path(tempfile.mkdtemp(prefix="out_of_memory.", dir=RESULTS))
        try:
            generate(scratch / "graph", GRAPHS[size], a.threads)
            for method, options in CELLS[cells]:
                row = {
                    "size": size,
                    **measure(scratch / "graph", scratch / "run", method, options, a),
                }
                rows.append(row)
                targets.append(
                    {
                        "what": f"{size} {method} {row['width']}: resident MiB",
                        "wanted": a.memory,
                        "value": max(row["resident_mib"], row["eval_resident_mib"]),
                    }
                )
                print(
                    f"{size} {method} {row['width']}: {row['loader']}, "
                    f"{row['seconds_per_epoch']:.1f} s, "
                    f"{row['resident_mib']:.0f} MiB, {row['metric']} {row['score']:.2f}",
                    flush=True,
                )
        finally:
            shutil.rmtree(scratch)
    judge(targets)
    lines = [
        "| size of | method | width | loader | steps | s / epoch | s in all | MiB, training | "
        "MiB, scoring | score |",
        "|---|---|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {r['size']} | {r['method']} | {r['width']} | {r['loader']} | {r['batches']} | "
        f"{r['seconds_per_epoch']:.1f} "
        f"| {r['seconds']:.0f} | {r['resident_mib']:.0f} | {r['eval_resident_mib']:.0f} | "
        f"{r['score']:.2f} |"
        for r in rows
    ]
    missed = [t["what"] for t in targets if not t["met"]]
    lines += [
        "",
        f"Below {a.memory} MiB: " + (f"all but {', '.join(missed)}." if missed else "all."),
    ]
    write("out_of_memory", {"machine": machine(a.threads), "rows": rows, "targets": targets}, lines)


if __name__ == "__main__":
    main()
