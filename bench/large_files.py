"""Training on files: larger than memory, and in several orders of the nodes."""

import os
import resource
import shutil
import tempfile
from pathlib import Path

from common import RESULTS, program
from large_graphs import SIZES, epochs_of, generate


def limit(a):
    """Files of more than the limit, every step with less anonymous memory than it."""
    rows, targets = [], []
    scratch = Path(tempfile.mkdtemp(prefix="large.", dir=RESULTS))
    try:
        nodes = a.limit * 2**20 * 3 // 2 // (4 * 512)
        generate(
            scratch / "graph",
            {"nodes": nodes, "edges": 20 * nodes, "features": 512, "classes": 10, "signal": 0.5},
            a.threads,
        )
        size = sum(f.stat().st_size for f in (scratch / "graph").iterdir()) / 2**20
        memory = a.limit * 3 // 4
        steps = {
            "train": [
                "train",
                scratch / "graph",
                "--epochs",
                1,
                "--mode",
                "pre",
                "--aug-dim",
                64,
                "--dim",
                32,
                "--fanouts",
                "5,5",
                "--memory",
                memory,
                "-o",
                scratch / "run",
            ],
            "embed": [
                "embed",
                scratch / "run",
                scratch / "graph",
                "--memory",
                memory // 2,
                "-o",
                scratch / "z.npy",
            ],
            "eval": [
                "eval",
                scratch / "run",
                scratch / "graph",
                "--memory",
                memory // 2,
                "--num-splits",
                2,
                "--probe-epochs",
                100,
            ],
        }
        for name, command in steps.items():
            result = program(*command, f"--threads {a.threads}")
            rows.append(
                {
                    "step": name,
                    "files_mib": size,
                    "seconds": result["seconds"],
                    "anonymous_mib": result["anonymous_mib"],
                    "resident_mib": result["resident_mib"],
                    "loader": result.get("loader", ""),
                    "score": result.get("mean"),
                }
            )
            print(
                f"{name}: {result['anonymous_mib']:.0f} MiB anonymous of {size:.0f} MiB of files",
                flush=True,
            )
            targets.append(
                {
                    "what": f"{name}: anonymous MiB",
                    "value": result["anonymous_mib"],
                    "wanted": a.limit,
                }
            )
    finally:
        shutil.rmtree(scratch)
    lines = [
        "| step | files MiB | anonymous MiB | resident MiB | seconds |",
        "|---|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {r['step']} {r['loader']} | {r['files_mib']:.0f} | {r['anonymous_mib']:.0f} | "
        f"{r['resident_mib']:.0f} "
        f"| {r['seconds']:.1f} |"
        for r in rows
    ]
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
    loaders = {
        "cluster": ["--parts-per-batch", 5],
        "neighbor": ["--batch-size", 4096, "--fanouts", "5,5"],
    }
    try:
        generate(scratch / "none", {**SIZES["flickr"], "features": 1024}, a.threads)
        for order in ("metis", "bfs", "degree"):
            program("data convert", scratch / "none", f"--reorder {order} -o", scratch / order)
        os.sync()
        for loader, options in loaders.items():
            program(
                "train",
                scratch / "none",
                f"--loader {loader}",
                *options,
                "--epochs 1 -o",
                scratch / "run",
                "--overwrite",
            )  # the partition is then cached, for the first order as for the others
            for order in ("none", "metis", "bfs", "degree"):
                if loader == "cluster" and order != "none":
                    program(
                        "train",
                        scratch / order,
                        f"--loader {loader}",
                        *options,
                        "--epochs 0 -o",
                        scratch / "run",
                        "--overwrite",
                    )
                forget(scratch / order)
                before = blocks_read()
                program(
                    "train",
                    scratch / order,
                    f"--loader {loader}",
                    *options,
                    f"--aug-dim 64 --dim 32 --epochs 1 --rank-every 1000 --threads {a.threads}",
                    "-o",
                    scratch / "run",
                    "--overwrite",
                )
                line = epochs_of(scratch / "run")[0]
                rows.append(
                    {
                        "loader": loader,
                        "order": order,
                        "seconds": line["seconds"],
                        "gather": line["seconds_of"]["gather"],
                        "read_mib": blocks_read() - before,
                    }
                )
                print(
                    f"{loader} {order}: {line['seconds']:.2f} s, gathering "
                    f"{line['seconds_of']['gather']:.2f} s",
                    flush=True,
                )
    finally:
        shutil.rmtree(scratch)
    lines = [
        "| loader | order of the nodes | s, first epoch | gathering, CPU s | MiB read |",
        "|---|---|--:|--:|--:|",
    ]
    lines += [
        f"| {r['loader']} | {r['order']} | {r['seconds']:.2f} | {r['gather']:.2f} | "
        f"{r['read_mib']:.0f} |"
        for r in rows
    ]
    return "large_reorder", rows, [], lines
