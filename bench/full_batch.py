#!/usr/bin/env python3
"""Full-batch training beside the same method in PyTorch Geometric (peer/pyg_peer.py).

    full_batch.py [--quick] [--accuracy] [--probe] [--datasets photo cs dblp pubmed]
                  [--modes pre post] [--repeats 3] [--epochs N] [--threads N]

Measures time per epoch, memory and accuracy. Every dataset found is trained in both modes with the
authors' settings (preset NAME). The peer has three forms: edges (the authors' code), dense (a
cached CSR adjacency) and, in pre mode, sparse (features in CSR too). First the losses of five
epochs without dropout, from the same weights, must agree to 1e-3; then ours and the peers take
turns.

--quick         fewer repeats and epochs, losses compared on a narrower model, no accuracy; starts
                with the mode that each dataset was tuned in and skips, with a note, what does not
                fit into five minutes
--accuracy      also train for the preset's epochs and score five splits, ours and the peer
--probe         also time the linear evaluation of CS, ten splits of 500 steps; with '--datasets'
                and no name, only that
--epochs N      epochs of each timed run, ours and the peers'

GRAPHSURGEON_DATA and GRAPHSURGEON_PEER name the folder of datasets and the peer; the default is
beside the checkout. Prints a table and the result of each target; writes
build/bench/full_batch.json and .md. Exit code 1: losses disagree.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import (
    DATA,
    PEER,
    PROGRAM,
    PYTHON,
    RESULTS,
    ROOT,
    end_cleanly,
    machine,
    program,
    run,
    set_weights,
    write,
)

FILES = {
    "photo": "amazon_electronics_photo.npz",
    "cs": "ms_academic_cs.npz",
    "dblp": "dblp.npz",
    "pubmed": "pubmed.npz",
}

FORMS = {
    "edges": ["--adj", "edges"],
    "dense": ["--adj", "sparse"],
    "sparse": ["--adj", "sparse", "--features", "sparse"],
}

TITLES = {
    "ours": "graphsurgeon",
    "edges": "PyG, authors' form",
    "dense": "PyG dense",
    "sparse": "PyG sparse features",
}

EPOCHS = {"ours": 10, "edges": 5, "dense": 5, "sparse": 5}

QUICK_EPOCHS = {"ours": 5, "edges": 3, "dense": 3, "sparse": 3}

CHECKED_EPOCHS, TOLERANCE = 5, 1e-3

QUICK_SECONDS = 280

# How many times ours must be faster, or smaller.
SMALLEST_TO_AUTHORS, MEAN_TO_AUTHORS, TO_SPARSE, MEMORY, PROBE = 3, 5, 2.5, 2, 5

TO_DENSE = {"photo": 1.5, "pubmed": 2.5, "dblp": 2.8, "cs": 4.5}


def preset(name):
    return json.loads((ROOT / "presets" / "authors.json").read_text())[name]["options"]


def ours(name, mode, folder, threads, epochs, *more):
    # Computing the rank is not part of an epoch, and would stop a run whose untuned mode collapses.
    return program(
        f"train {name} --preset {name} --mode {mode} --epochs {epochs}",
        f"--rank-every 1000 --checkpoint-every 0 --threads {threads} -o",
        folder,
        "--overwrite",
        *more,
    )


def peer(name, mode, form, threads, epochs, *more, splits=0):
    keys = ("aug-dim", "dim", "layers", "dropout", "gamma", "lr")
    settings = [part for key in keys for part in (f"--{key}", preset(name)[key])]
    flags = f"--mode {mode} --epochs {epochs} --splits {splits} --threads {threads}".split()
    return run([PYTHON, PEER, DATA / FILES[name], *flags, *FORMS[form], *settings, *more])


def compare_losses(name, mode, scratch, threads, narrow):
    """The largest relative difference of the first losses, starting from the peer's weights."""
    settings = ["--dropout", 0] + (["--aug-dim", 64, "--dim", 32] if narrow else [])
    dump = scratch / "dump.npz"
    peer(
        name,
        mode,
        "sparse" if mode == "pre" else "dense",
        threads,
        CHECKED_EPOCHS,
        *settings,
        "--dump",
        dump,
    )
    with np.load(dump) as z:
        theirs = z["losses"]
        weights = {key.removeprefix("initial."): z[key] for key in z if key.startswith("initial.")}
    ours(name, mode, scratch / "start", threads, 0, *settings)
    set_weights(scratch / "start" / "model.safetensors", weights)
    ours(
        name, mode, scratch / "run", threads, CHECKED_EPOCHS, *settings, "--init", scratch / "start"
    )
    lines = (scratch / "run" / "metrics.jsonl").read_text().splitlines()
    losses = np.array([json.loads(line)["loss"]["total"] for line in lines])
    if losses.shape != theirs.shape:
        sys.exit(f"{name} {mode}: {len(losses)} losses of ours, {len(theirs)} of the peer")
    difference = float(np.max(np.abs(losses - theirs) / np.abs(theirs)))
    if not difference < TOLERANCE:  # a nan is a difference too
        sys.exit(
            f"{name} {mode}: the losses disagree by {difference:.2g}, more than {TOLERANCE:g}\n"
            f"ours {losses.tolist()}\npeer {theirs.tolist()}"
        )
    return difference


def measure(name, mode, scratch, threads, epochs, repeats):
    """A row for ours and for each form of the peer: medians over runs of the median epoch."""
    forms = [form for form in FORMS if mode == "pre" or form != "sparse"]
    runs = {form: [] for form in ["ours", *forms]}
    for _ in range(repeats):
        for form in forms:  # alternating, so that a noisy moment meets both
            runs["ours"].append(ours(name, mode, scratch / "run", threads, epochs["ours"]))
            runs[form].append(peer(name, mode, form, threads, epochs[form]))
    rows = []
    for form, results in runs.items():
        row = {
            "dataset": name,
            "mode": mode,
            "form": form,
            "runs_ms": [r["ms_per_epoch"] for r in results],
        }
        for key in ("ms_per_epoch", "resident_mib", "anonymous_mib"):
            row[key] = float(np.median([r[key] for r in results]))
            row[f"{key}_ratio"] = row[key] / (rows[0] if rows else row)[key]
        rows.append(row)
    return rows


def score(name, mode, scratch, threads, rows):
    """Adds the accuracy over five splits, in percent, of ours and of the peer's fastest form."""
    epochs, form = preset(name)["epochs"], "sparse" if mode == "pre" else "dense"
    ours(name, mode, scratch / "run", threads, epochs)
    results = {
        "ours": program(
            "eval", scratch / "run", f"{name} --no-reference --num-splits 5 --threads {threads}"
        ),
        form: peer(name, mode, form, threads, epochs, splits=5),
    }
    for row in rows:
        if row["form"] in results:
            score = results[row["form"]]
            row["accuracy"], row["accuracy_std"] = score["mean"], score["std"]


def measure_probe(scratch, threads, repeats):
    """Ten splits of 500 steps over the peer's embeddings of CS, loading excluded."""
    seconds = {"peer": [], "wall": [], "load": []}
    for _ in range(repeats):
        theirs = peer("cs", "pre", "sparse", threads, 2, "--dump", scratch / "dump.npz", splits=10)
        with np.load(scratch / "dump.npz") as z:
            np.save(scratch / "embeddings.npy", z["embeddings"])
        evaluate = [
            PROGRAM,
            "eval",
            scratch / "embeddings.npy",
            "cs",
            "--no-reference",
            "--splits",
            "random:5/15/80",
            "--threads",
            threads,
            "--json",
            "--quiet",
        ]
        result = run([*evaluate, "--num-splits", 10, "--probe-epochs", 500])
        if not abs(result["mean"] - theirs["mean"]) < 1:
            sys.exit(
                f"probe: ours finds {result['mean']:.2f} % in the peer's embeddings, the peer "
                f"{theirs['mean']:.2f} %"
            )
        seconds["peer"].append(theirs["probe_s"])
        seconds["wall"].append(result["seconds"])
        seconds["load"].append(run([*evaluate, "--num-splits", 1, "--probe-epochs", 1])["seconds"])
    median = {key: float(np.median(value)) for key, value in seconds.items()}
    return {
        **median,
        "ours": median["wall"] - median["load"],
        "accuracy": result["mean"],
        "peer_accuracy": theirs["mean"],
    }


def targets(rows, probe):
    """The targets, as dicts of what, value, wanted and met; value and wanted are peer / ours."""
    found = []

    def add(what, value, wanted):
        found.append({"what": what, "value": value, "wanted": wanted, "met": bool(value >= wanted)})

    def of(form, key, name=None):
        return {
            f"{r['dataset']} {r['mode']}": r[f"{key}_ratio"]
            for r in rows
            if r["form"] == form and name in (None, r["dataset"])
        }

    def add_smallest(what, ratios, wanted):
        if ratios:
            place = min(ratios, key=ratios.get)
            add(f"{what}, smallest ({place})", ratios[place], wanted)

    authors = of("edges", "ms_per_epoch")
    add_smallest("time to the authors' form", authors, SMALLEST_TO_AUTHORS)
    if authors:
        add(
            "time to the authors' form, geometric mean",
            float(np.exp(np.mean(np.log(list(authors.values()))))),
            MEAN_TO_AUTHORS,
        )
    for name, wanted in TO_DENSE.items():
        add_smallest(f"time to PyG dense on {name}", of("dense", "ms_per_epoch", name), wanted)
    add_smallest("time to PyG sparse features", of("sparse", "ms_per_epoch"), TO_SPARSE)
    for key, what in (("resident_mib", "resident"), ("anonymous_mib", "anonymous")):
        for form in FORMS:
            add_smallest(f"peak {what} memory to {TITLES[form]}", of(form, key), MEMORY)
    if probe:
        add("probe of cs, ten splits", probe["peer"] / probe["ours"], PROBE)
    return found


def table_of(rows):
    lines = [
        "| dataset | mode | | ms / epoch | resident MiB | anonymous MiB | accuracy % | time / "
        "ours | resident / ours | anonymous / ours |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for r in rows:
        accuracy = f"{r['accuracy']:.2f} ± {r['accuracy_std']:.2f}" if "accuracy" in r else ""
        ratios = [
            f"{r[key + '_ratio']:.2f}" for key in ("ms_per_epoch", "resident_mib", "anonymous_mib")
        ]
        cells = [
            r["dataset"],
            r["mode"],
            TITLES[r["form"]],
            f"{r['ms_per_epoch']:.1f}",
            f"{r['resident_mib']:.0f}",
            f"{r['anonymous_mib']:.0f}",
            accuracy,
            *(ratios if r["form"] != "ours" else ["", "", ""]),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main():
    end_cleanly()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--accuracy", action="store_true")
    parser.add_argument("--probe", action="store_true")
    parser.add_argument("--datasets", nargs="*", choices=list(FILES), default=list(FILES))
    parser.add_argument("--modes", nargs="+", choices=["pre", "post"], default=["pre", "post"])
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    a = parser.parse_args()
    for needed in (PROGRAM, PEER, PYTHON):
        if not needed.exists():
            sys.exit(
                f"{needed} is not here; './dev build' makes the program, GRAPHSURGEON_PEER names "
                "the peer"
            )
    epochs = QUICK_EPOCHS if a.quick else EPOCHS
    if a.epochs:
        epochs = dict.fromkeys(epochs, a.epochs)
    repeats = a.repeats or (1 if a.quick else 3)

    RESULTS.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="full_batch.", dir=RESULTS))
    rows, differences, skipped, probe = [], {}, [], None

    def check(name, mode):
        differences[f"{name} {mode}"] = compare_losses(name, mode, scratch, a.threads, a.quick)
        print(f"{name} {mode}: losses agree to {differences[f'{name} {mode}']:.1g}", flush=True)

    try:
        cells = []
        for name in a.datasets:
            if (DATA / FILES[name]).exists():
                cells += [(name, mode) for mode in a.modes]
            else:
                print(f"{name}: {DATA / FILES[name]} is not here, skipped")
        if a.quick:
            cells.sort(key=lambda cell: cell[1] != preset(cell[0])["mode"])
        else:
            for name, mode in cells:
                check(name, mode)
        begun, longest = time.perf_counter(), 0
        for name, mode in cells:
            started = time.perf_counter()
            if a.quick and started - begun + longest > QUICK_SECONDS:
                skipped.append(f"{name} {mode}")
                continue
            if a.quick:
                check(name, mode)
            measured = measure(name, mode, scratch, a.threads, epochs, repeats)
            if a.accuracy and not a.quick:
                score(name, mode, scratch, a.threads, measured)
            rows += measured
            print(
                f"{name} {mode}: "
                + ", ".join(f"{r['form']} {r['ms_per_epoch']:.1f} ms" for r in measured),
                flush=True,
            )
            longest = max(longest, time.perf_counter() - started)
        if a.probe and (DATA / FILES["cs"]).exists():
            probe = measure_probe(scratch, a.threads, repeats)
        elif a.probe:
            print("probe: cs is not here, skipped")
    finally:
        shutil.rmtree(scratch)

    found = targets(rows, probe)
    lines = [*table_of(rows), ""] if rows else []
    if skipped:
        lines += [f"Left out, for --quick has five minutes: {', '.join(skipped)}.", ""]
    if probe:
        lines += [
            f"Probe of cs, ten splits of 500 steps: ours {probe['ours']:.2f} s "
            f"({probe['wall']:.2f} s with start and loading), "
            f"PyG {probe['peer']:.2f} s; accuracy {probe['accuracy']:.2f} and "
            f"{probe['peer_accuracy']:.2f} %.",
            "",
        ]
    lines += ["| target, peer / ours | measured | wanted | |", "|---|--:|--:|---|"]
    lines += [
        f"| {t['what']} | {t['value']:.2f} | {t['wanted']:g} | {'met' if t['met'] else 'missed'} |"
        for t in found
    ]
    write(
        "full_batch",
        {
            "machine": machine(a.threads),
            "quick": a.quick,
            "repeats": repeats,
            "epochs": epochs,
            "loss_differences": differences,
            "skipped": skipped,
            "rows": rows,
            "probe": probe,
            "targets": found,
        },
        lines,
    )


if __name__ == "__main__":
    main()
