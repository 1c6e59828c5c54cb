#!/usr/bin/env python3
"""Runs the benchmarks: ./dev bench [NAME...] [--quick]. Without a name, all of them."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"

BENCHMARKS = {
    "read": ([sys.executable, str(HERE / "read.py")], []),
    "csr_build": ([str(BUILD / "bench_csr_build")], ["--edges", "10000000"]),
    "kernels": ([str(BUILD / "bench_kernels")], ["--benchmark_min_time=0.05"]),
    "roofline": ([str(BUILD / "bench_roofline"), "photo", "cs", "dblp", "pubmed"], []),
    "layers": ([sys.executable, str(HERE / "layers.py")], ["--quick"]),
    "baselines": ([sys.executable, str(HERE / "baselines.py")], ["--quick"]),
    "full_batch": ([sys.executable, str(HERE / "full_batch.py")], ["--quick"]),
    "quality": ([sys.executable, str(HERE / "quality.py")], ["--quick"]),
    "time_to_quality": ([sys.executable, str(HERE / "time_to_quality.py")], ["--quick"]),
    "spectral": ([sys.executable, str(HERE / "spectral.py")], []),
    "sampling": ([sys.executable, str(HERE / "sampling.py")], ["--quick"]),
    "large": ([sys.executable, str(HERE / "large.py")], ["--quick"]),
    "out_of_memory": ([sys.executable, str(HERE / "out_of_memory.py")], ["--quick"]),
    "scaling": ([sys.executable, str(HERE / "scaling.py")], ["--quick"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    arguments = parser.parse_args()
    for name in arguments.names or BENCHMARKS:
        if name not in BENCHMARKS:
            parser.error(f"unknown benchmark '{name}'; known: {', '.join(BENCHMARKS)}")
        command, quick = BENCHMARKS[name]
        print(f"== {name}", flush=True)
        os.environ.setdefault("GRAPHSURGEON_DATA", str(HERE.parent.parent / "shared" / "data"))
        subprocess.run(command + (quick if arguments.quick else []), check=True)


if __name__ == "__main__":
    main()
