#!/usr/bin/env python3
"""From raw files to embeddings on disk: wall seconds and accuracy, ours and the peers', in one run.

    time_to_quality.py [NAME...] [--repeats 3] [--threads N] [--quick] [--chart FILE.png]

Every figure is a process from start to exit: it reads the published files and leaves embeddings on
disk. `eval` then scores all of them by both probes on the same ten splits, which is not timed.

authors    the authors' form in PyTorch Geometric (pyg_peer.py --adj edges), settings and epochs
pyg        the same with PyG's fastest form, a cached CSR adjacency
diffused   what trains nothing, in numpy and scipy: singular vectors of diffused features
preset     ours, trained with the authors' settings (--preset NAME)
spectral   ours by default

The authors' and PyG's forms run once, the others --repeats times, of which the fastest counts. Each
dataset updates its rows in build/bench/time_to_quality.json; the table and the chart are made from
all of them. --quick: DBLP alone, without the authors' form.
"""

import argparse
import importlib.util
import json
import math
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import DATA, PEER, PYTHON, RESULTS, ROOT, end_cleanly, machine, program, run, write
from full_batch import FILES, preset

WAYS = {
    "authors": "PyG, authors' form",
    "pyg": "PyG, cached CSR",
    "diffused": "numpy and scipy, diffused",
    "preset": "ours, authors' settings",
    "spectral": "ours, default",
}
SLOWEST, MEAN, TO_DIFFUSED = 40, 60, 3  # how many times the default must be faster
COLORS = ["#d64f5f", "#e0791b", "#8f8a1e", "#2a9d6f", "#2f81d6"]
SYMBOLS = {"photo": "circle", "cs": "square", "dblp": "diamond", "pubmed": "triangle-up"}


def diffused(path, out):
    """What diffused_peer.py does, with the embeddings written to disk; in a process of its own."""
    spec = importlib.util.spec_from_file_location("peer", PEER.parent / "diffused_peer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    adjacency, x, _, _ = module.load(path)
    settings = argparse.Namespace(alpha=0.15, hops=10, mean_hops=0, dim=256)
    np.save(out, module.embed(adjacency, x, settings))
    print("{}")


def start(way, name, scratch, threads):
    """Runs one way; its seconds, and the file of embeddings that it left."""
    file, own = DATA / FILES[name], preset(name)
    out = scratch / f"{way}.npy"
    if way in ("authors", "pyg"):
        keys = ("aug-dim", "dim", "layers", "dropout", "gamma", "lr", "mode", "epochs")
        words = [part for key in keys for part in (f"--{key}", own[key])]
        words += ["--adj", "edges" if way == "authors" else "sparse", "--splits", 0]
        words += ["--threads", threads, "--dump", scratch / "dump.npz"]
        seconds = run([PYTHON, PEER, file, *words])["seconds"]
        with np.load(scratch / "dump.npz") as dump:
            np.save(out, dump["embeddings"])
        return seconds, out
    if way == "diffused":
        return run([PYTHON, __file__, "--diffused", file, out])["seconds"], out
    words = ["--preset", name] if way == "preset" else []
    begun = time.perf_counter()
    program("train", file, *words, "-o", scratch / way, "--overwrite", "--threads", threads)
    return time.perf_counter() - begun, scratch / way / "embeddings.npy"


def measure(name, ways, repeats, threads):
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for way in ways:
            times, embeddings = [], None
            for _ in range(1 if way in ("authors", "pyg") else repeats):
                seconds, embeddings = start(way, name, Path(folder), threads)
                times.append(seconds)
            probes = program("eval", embeddings, name, "--no-reference")["probes"]
            rows[way] = {
                "seconds": min(times),
                "runs": times,
                **{probe: probes[probe] for probe in ("logistic", "paper")},
            }
            print(f"{name} {way}: {min(times):.2f} s, {probes['logistic']['mean']:.2f}", flush=True)
    return rows


def table(results):
    def score(probe):
        return f"{probe['mean']:.2f} ±{probe['std']:.2f}"

    yield "| dataset | | seconds | times faster | logistic | paper's probe |"
    yield "|---|---|--:|--:|--:|--:|"
    for name, rows in results.items():
        longest = rows.get("authors", {}).get("seconds")
        for way, row in rows.items():
            ratio = f"{longest / row['seconds']:.1f}" if longest else ""
            yield (
                f"| {name} | {WAYS[way]} | {row['seconds']:.2f} | {ratio} "
                f"| {score(row['logistic'])} | {score(row['paper'])} |"
            )


def ratios(results, way):
    return {
        name: rows[way]["seconds"] / rows["spectral"]["seconds"]
        for name, rows in results.items()
        if way in rows and "spectral" in rows
    }


def targets(results):
    yield "| the default is faster than | smallest | geometric mean | wanted | |"
    yield "|---|--:|--:|--:|---|"
    for way, least, mean in (("authors", SLOWEST, MEAN), ("diffused", TO_DIFFUSED, None)):
        found = ratios(results, way)
        if not found:
            continue
        name = min(found, key=found.get)
        average = math.exp(np.mean(np.log(list(found.values()))))
        met = found[name] >= least and (mean is None or average >= mean)
        wanted = f"{least}" if mean is None else f"{least}, mean {mean}"
        yield (
            f"| {WAYS[way]} | {found[name]:.1f} ({name}) | {average:.1f} | {wanted} "
            f"| {'met' if met else 'missed'} |"
        )


def chart(results, file):
    """Accuracy over seconds, one symbol per dataset and one color per way; drawn by a browser."""
    import plotly.graph_objects as go

    sys.path.insert(0, str(ROOT / "tools"))
    from screenshot_report import browser

    figure = go.Figure()
    for name, rows in results.items():
        figure.add_scatter(
            x=[row["seconds"] for row in rows.values()],
            y=[row["logistic"]["mean"] for row in rows.values()],
            mode="lines+markers+text",
            text=[name if way == "authors" else "" for way in rows],
            textposition="middle right",
            line={"color": "#c4c4c4", "width": 1},
            marker={
                "size": 13,
                "symbol": SYMBOLS.get(name, "x"),
                "color": [COLORS[list(WAYS).index(way)] for way in rows],
            },
            showlegend=False,
        )
    for title, color in zip(WAYS.values(), COLORS, strict=True):
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name=title, marker={"size": 12, "color": color}
        )
    figure.update_layout(
        width=900,
        height=480,
        template="plotly_white",
        margin={"l": 60, "r": 20, "t": 20, "b": 50},
        xaxis={"type": "log", "title": "seconds, from raw files to embeddings on disk"},
        yaxis={"title": "test accuracy, logistic probe"},
        legend={"orientation": "h", "y": 1.1, "x": 0},
        font={"size": 14},
    )
    figure.update_xaxes(range=[-0.5, 2.4], dtick=1)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "chart.html"
        figure.write_html(page, config={"displayModeBar": False})
        driver = browser(folder)
        try:
            driver.set_window_size(920, 700)
            driver.get(page.as_uri())
            time.sleep(1)
            plot = driver.find_element("css selector", ".plot-container")
            file.write_bytes(plot.screenshot_as_png)
        finally:
            driver.quit()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FILES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=WAYS)
    parser.add_argument("--chart", type=Path, metavar="FILE.png")
    parser.add_argument("--diffused", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.diffused:
        diffused(*arguments.diffused)
        return
    end_cleanly()
    names = arguments.names or (["dblp"] if arguments.quick else list(FILES))
    ways = [way for way in arguments.ways if not (arguments.quick and way == "authors")]
    stored = RESULTS / "time_to_quality.json"
    results = json.loads(stored.read_text())["results"] if stored.exists() else {}
    for name in names:
        if name not in FILES:
            parser.error(f"unknown dataset '{name}'; known: {', '.join(FILES)}")
        if not (DATA / FILES[name]).exists() or not PEER.exists():
            print(f"{name}: {DATA / FILES[name]} or {PEER} is not here, skipped")
            continue
        results[name] = measure(name, ways, arguments.repeats, arguments.threads)
    results = {name: results[name] for name in FILES if name in results}
    report = {"machine": machine(arguments.threads), "results": results}
    write("time_to_quality", report, [*table(results), "", *targets(results)])
    if arguments.chart:
        chart(results, arguments.chart)


if __name__ == "__main__":
    main()
