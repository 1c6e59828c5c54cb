#!/usr/bin/env python3
"""Test scores of the default embedding beside what needs no training: a table in Markdown.

Every row is `train DATA` and `eval DATA` with the defaults, ten splits. One column compares the
default with the diffused features on the same splits: mean difference, and its standard error.
Datasets that are absent are skipped with a note.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from common import DATA, PROGRAM

DATASETS = {
    "photo": "photo",
    "cs": "cs",
    "dblp": "dblp",
    "pubmed": "pubmed",
    "facebook": "facebook",
    "actor": "actor",
    "citeseer": "citeseer_full.npz",
    "blogcatalog": "blogcatalog.npz",
    "squirrel": "squirrel_filtered.npz",
    "chameleon": "chameleon_filtered.npz",
    "tolokers": "tolokers",
}
REFERENCES = ("raw", "smoothed", "diffused", "untrained")


def run(*words):
    done = subprocess.run(
        [str(PROGRAM), *map(str, words), "--json", "--quiet"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GRAPHSURGEON_DATA": str(DATA)},
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def measure(data, folder, options):
    trained = run("train", data, "-o", folder, "--overwrite", *options)
    return trained, run("eval", folder, data, "--no-keep")


def row(name, trained, scores):
    def cell(values):
        return f"{statistics.mean(values):.2f}"

    found = scores["probes"]
    diffused = scores["reference_scores"]["diffused"]["probes"]["logistic"]["values"]
    gains = [a - b for a, b in zip(scores["values"], diffused, strict=True)]
    error = statistics.stdev(gains) / math.sqrt(len(gains))
    logistic = [
        cell(scores["reference_scores"][key]["probes"]["logistic"]["values"]) for key in REFERENCES
    ]
    cells = [
        name,
        *logistic,
        f"**{found['logistic']['mean']:.2f}** ±{found['logistic']['std']:.2f}",
        f"{statistics.mean(gains):+.2f} ±{error:.2f}",
        f"{found['paper']['mean']:.2f}",
        str(trained["columns"]),
        f"{trained['seconds']:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(DATASETS))
    parser.add_argument("--method", default="", help="another method than the default")
    parser.add_argument("--quick", action="store_true", help="the three smallest datasets")
    arguments = parser.parse_args()
    names = arguments.names or list(DATASETS)
    if arguments.quick:
        names = ["citeseer", "actor", "chameleon"]
    options = ["--method", arguments.method] if arguments.method else []
    print(
        "| dataset | raw | two-hop | diffused | untrained | default | over diffused "
        "| paper's probe | columns | seconds |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            data = DATASETS.get(name, name)
            if data.endswith(".npz"):
                data = DATA / data
            try:
                trained, scores = measure(data, Path(folder) / "run", options)
            except RuntimeError as problem:
                print(f"{name}: skipped: {problem}")
                continue
            print(row(name, trained, scores), flush=True)


if __name__ == "__main__":
    main()
