"""kill_test.py PROGRAM [--kills N] [--seed S]: kills commands at random moments, completes them.

Counts what was lost (a completed output differs from one that was never killed), torn (an output
that is there and damaged, or a command that is refused afterwards) and left behind (temporary
files, locks, processes). Ends with an error unless all are 0.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

GRAPH = "sbm:nodes=600,classes=3,features=16,seed=3"
SMALL = ["--aug-dim", "24", "--dim", "8", "--lr", "0.01", "--threads", "1", "--quiet"]
TRAIN = ["--epochs", "60", "--checkpoint-every", "3", *SMALL]
LOADERS = {
    "full": [],
    "pre": ["--mode", "pre"],
    "neighbor": ["--loader", "neighbor", "--batch-size", "150", "--fanouts", "4,3"],
    "cluster": ["--loader", "cluster", "--parts", "8", "--parts-per-batch", "2"],
    "saint": ["--loader", "saint", "--roots", "60", "--coverage", "20"],
    "gcn": ["--method", "gcn", "--num-splits", "2"],
}


@dataclass
class Work:
    """A command, what it writes, and what to add to run it again after a kill."""

    name: str
    words: list[str]
    output: Path
    compared: list[str]  # files of the output; empty: the output itself
    again: list[str]
    reference: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0


@dataclass
class Count:
    kills: int = 0
    ended: int = 0  # before they could be killed
    completed: int = 0
    lost: int = 0
    torn: int = 0
    left: int = 0


def contents(work: Work) -> dict[str, bytes]:
    if not work.compared:
        return {"": work.output.read_bytes()} if work.output.exists() else {}
    return {n: (work.output / n).read_bytes() for n in work.compared if (work.output / n).exists()}


def remove(path: Path) -> None:
    subprocess.run(["rm", "-rf", path], check=True)


def works(folder: Path, program: str) -> list[Work]:
    out = []
    for name, more in LOADERS.items():
        run = folder / f"run-{name}"
        words = ["train", GRAPH, "-o", str(run), *TRAIN, *more]
        files = ["embeddings.npy", "model.safetensors", "options.json"]
        out.append(Work(f"train {name}", words, run, files, ["--resume"]))
    data, copy, z = folder / "data", folder / "copy", folder / "out" / "z.npy"
    z.parent.mkdir()
    large = ["--nodes", "60000", "--features", "64", "--quiet"]
    subprocess.run([program, "data", "generate", *large, "-o", data], check=True)
    files = ["neighbors.npy", "features.npy", "dataset.json", "checksums.json"]
    words = ["data", "convert", str(data), "-o", str(copy), "--quiet"]
    out.append(Work("convert", words, copy, files, ["--overwrite"]))
    run = folder / "embedder"
    subprocess.run([program, "train", data, "--dim", "16", "--quiet", "-o", run], check=True)
    words = ["embed", str(run), str(data), "-o", str(z), "--quiet"]
    out.append(Work("embed", words, z, [], ["--overwrite"]))
    return out


def leftovers(work: Work) -> int:
    """Temporary files and locks beside the output and in it."""
    places = [work.output.parent, work.output]
    return sum(
        1
        for place in places
        if place.is_dir()
        for entry in place.iterdir()
        if ".tmp-" in entry.name or entry.name.endswith(".lock")
    )


def attempt(program: str, work: Work, resumed: bool, moment: float | None) -> int | None:
    """Runs it; None if it was killed after `moment` seconds, else its exit code."""
    words = [program, *work.words, *(work.again if resumed and work.output.exists() else [])]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        try:
            _, printed = process.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
    if process.returncode != 0:
        print(f"{work.name}: exit code {process.returncode}: {printed.decode()}", flush=True)
    return process.returncode


def chain(program: str, work: Work, rng: random.Random, count: Count) -> None:
    """One to six kills of the same work, then its completion."""
    remove(work.output)
    for number in range(rng.randint(1, 6)):
        code = attempt(program, work, number > 0, rng.uniform(0, work.seconds))
        if code is None:
            count.kills += 1
        else:
            count.ended += 1
            count.torn += code != 0
        if work.output.is_dir() and work.name == "convert":  # an output that is there is whole
            count.torn += subprocess.run([program, "verify", work.output]).returncode != 0
    code = attempt(program, work, True, None)
    count.completed += 1
    count.torn += code != 0
    found = contents(work)
    count.lost += found != work.reference
    if found != work.reference:
        print(f"{work.name}: differs in {[n for n in found if found[n] != work.reference[n]]}")
    if work.output.is_dir():
        count.torn += subprocess.run([program, "verify", "--quiet", work.output]).returncode != 0
    left = leftovers(work)
    count.left += left
    if left:
        print(f"{work.name}: left {left} files behind", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    counts: dict[str, Count] = {}
    with tempfile.TemporaryDirectory() as folder:
        all_works = works(Path(folder), given.program)
        for work in all_works:
            begun = time.monotonic()
            if attempt(given.program, work, False, None) != 0:
                raise SystemExit(f"{work.name} does not work at all")
            work.seconds = time.monotonic() - begun
            work.reference = contents(work)
            counts[work.name] = Count()
        while sum(count.kills for count in counts.values()) < given.kills:
            for work in all_works:
                chain(given.program, work, rng, counts[work.name])
    for name, count in counts.items():
        print(
            f"{name:<16} {count.kills:5} kills, {count.completed:4} completed,"
            f" {count.lost} lost, {count.torn} torn, {count.left} left behind"
        )
    bad = sum(count.lost + count.torn + count.left for count in counts.values())
    print(f"{sum(count.kills for count in counts.values())} kills, {bad} findings")
    if bad:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
