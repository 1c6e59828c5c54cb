#!/usr/bin/env python3
"""How time and memory of a full-batch epoch grow with the edges of a graph.

    scaling.py [--quick] [--reddit] [--edges 100000 1000000 ...] [--epochs 5] [--threads N]

R-MAT graphs (hubs, no structure to exploit) of 10^5 to 10^8 stored edges, 15 per node (--degree;
the median of the paper's datasets), with 64 dense features are trained in post mode with D 64, K 32
(--aug-dim, --dim). The exponent is the least-squares slope of log time over log edges: 1 is linear.

--quick         up to 10^7 edges
--reddit        instead, a graph of Reddit's size (232,965 nodes, 114,615,892 edges, 602 features),
                D 256, K 128, both modes
--edges ...     these sizes
--epochs N      at least this many epochs, whose median is the time; up to 100 on small graphs

Graphs are generated below build/bench/, one at a time, and removed. Prints a table and the result
of each target; writes build/bench/scaling.json and .md, or scaling_reddit.json and .md.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import PROGRAM, RESULTS, end_cleanly, judge, machine, program, write

EXPONENT, REDDIT_MIB = 1.05, 8 * 1024
REDDIT = {"nodes": 232965, "edges": 114615892, "features": 602}


def generate(folder, nodes, edges, features, threads):
    made = program(
        f"data generate --generator rmat --nodes {nodes} --edges",
        edges,
        "--features",
        features,
        f"--classes 0 --threads {threads} -o",
        folder,
        "--overwrite",
    )
    if (made["nodes"], made["edges"], made["features"]) != (nodes, edges, features):
        sys.exit(
            f"asked for {nodes} nodes, {edges} edges and {features} features, the generator says "
            f"{made}"
        )
    os.sync()  # else the training shares the machine with what is still being written


def train(scratch, mode, aug_dim, dim, epochs, threads):
    result = program(
        "train",
        scratch / "graph",
        f"--mode {mode} --aug-dim",
        aug_dim,
        "--dim",
        dim,
        f"--epochs {epochs} --rank-every 1000 --checkpoint-every 0 --threads {threads}",
        "-o",
        scratch / "run",
        "--overwrite",
    )
    if not np.isfinite(result["loss"]["total"]):
        sys.exit(f"the loss is {result['loss']['total']}")
    return {
        "mode": mode,
        **{key: result[key] for key in ("ms_per_epoch", "resident_mib", "anonymous_mib")},
    }


def main():
    end_cleanly()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--reddit", action="store_true")
    parser.add_argument("--edges", nargs="+", type=int)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--aug-dim", type=int, default=64)
    parser.add_argument("--dim", type=int, default=32)
    parser.add_argument("--degree", type=int, default=15)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    a = parser.parse_args()
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is not here; './dev build' makes it")
    sizes = a.edges or [10**power for power in range(5, 8 if a.quick else 9)]

    RESULTS.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="scaling.", dir=RESULTS))
    rows = []
    try:
        if a.reddit:
            generate(scratch / "graph", **REDDIT, threads=a.threads)
            for mode in ("pre", "post"):
                rows.append({**REDDIT, **train(scratch, mode, 256, 128, a.epochs, a.threads)})
        else:
            for edges in sizes:
                graph = {"nodes": edges // a.degree, "edges": edges, "features": 64}
                generate(scratch / "graph", **graph, threads=a.threads)
                rows.append(
                    {
                        **graph,
                        **train(
                            scratch,
                            "post",
                            a.aug_dim,
                            a.dim,
                            max(a.epochs, min(100, 2 * 10**8 // edges)),
                            a.threads,
                        ),
                    }
                )
                print(f"{edges} edges: {rows[-1]['ms_per_epoch']:.1f} ms", flush=True)
    finally:
        shutil.rmtree(scratch)

    targets = []
    if a.reddit:
        for row in rows:
            targets.append(
                {
                    "what": f"peak resident MiB, {row['mode']}",
                    "value": row["resident_mib"],
                    "wanted": REDDIT_MIB,
                }
            )
    elif len(set(sizes)) > 1:
        slope = np.polyfit(
            np.log([r["edges"] for r in rows]), np.log([r["ms_per_epoch"] for r in rows]), 1
        )[0]
        targets.append(
            {"what": "exponent of time over edges", "value": float(slope), "wanted": EXPONENT}
        )
    judge(targets)

    lines = [
        "| edges | nodes | features | mode | ms / epoch | ns / edge | resident MiB | anonymous "
        "MiB |",
        "|--:|--:|--:|---|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {r['edges']:,} | {r['nodes']:,} | {r['features']} | {r['mode']} | "
        f"{r['ms_per_epoch']:.1f} "
        f"| {1e6 * r['ms_per_epoch'] / r['edges']:.1f} | {r['resident_mib']:.0f} | "
        f"{r['anonymous_mib']:.0f} |"
        for r in rows
    ]
    lines += ["", "| target | measured | at most | |", "|---|--:|--:|---|"]
    lines += [
        f"| {t['what']} | {t['value']:.5g} | {t['wanted']:g} | {'met' if t['met'] else 'missed'} |"
        for t in targets
    ]
    write(
        "scaling_reddit" if a.reddit else "scaling",
        {
            "machine": machine(a.threads),
            "quick": a.quick,
            "epochs": a.epochs,
            "rows": rows,
            "targets": targets,
        },
        lines,
    )


if __name__ == "__main__":
    main()
