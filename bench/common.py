"""Shared by the benchmarks: running the program, the machine, the files of results."""

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM, RESULTS = ROOT / "build" / "graphsurgeon", ROOT / "build" / "bench"
DATA = Path(os.environ.get("GRAPHSURGEON_DATA") or ROOT.parent / "shared" / "data").resolve()
PEER = Path(
    os.environ.get("GRAPHSURGEON_PEER") or ROOT.parent / "shared" / "peer" / "pyg_peer.py"
).resolve()
PYTHON = ROOT / ".venv" / "bin" / "python"


def run(command):
    """Runs a process that ends with a line of JSON; returns that, its seconds and peak MiB."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        peak = {"VmHWM": 0, "RssAnon": 0}
        begun = time.perf_counter()
        child = subprocess.Popen(
            [str(c) for c in command],
            stdout=out,
            stderr=err,
            env={**os.environ, "GRAPHSURGEON_DATA": str(DATA)},
        )
        try:
            while child.poll() is None:
                with open(f"/proc/{child.pid}/status") as status:
                    for line in status:
                        key, _, value = line.partition(":")
                        if key in peak:
                            peak[key] = max(peak[key], int(value.split()[0]) / 1024)
                time.sleep(0.02)
            seconds = time.perf_counter() - begun
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        out.seek(0), err.seek(0)
        if child.returncode:
            sys.exit(
                f"exit code {child.returncode} from: "
                f"{' '.join(map(str, command))}\n{err.read()[-2000:]}"
            )
        result = json.loads(out.read().strip().splitlines()[-1])
    return {
        **result,
        "seconds": seconds,
        "resident_mib": peak["VmHWM"],
        "anonymous_mib": peak["RssAnon"],
    }


def program(*words):
    """Runs the program and returns its JSON. Text is split at spaces; paths and numbers are not."""
    split = [part for word in words for part in (word.split() if isinstance(word, str) else [word])]
    return run([PROGRAM, *split, "--json", "--quiet"])


def train_and_score(data, folder, threads, training, scoring):
    """Trains into the folder and scores it; returns what both commands printed."""
    trained = program(
        "train", data, *training, f"--rank-every 1000 --threads {threads} -o", folder, "--overwrite"
    )
    scored = program("eval", folder, data, "--no-reference", *scoring, f"--threads {threads}")
    return trained, scored


def median_epoch_ms(step, epochs):
    """Median milliseconds of a peer's epoch; `step` learns and returns its loss."""
    times = []
    for _ in range(epochs):
        begun = time.perf_counter()
        step().item()
        times.append(time.perf_counter() - begun)
    return 1000 * statistics.median(times)


def judge(targets):
    """Marks each target as met or not: a value of at most what is wanted."""
    for target in targets:
        target["met"] = bool(target["value"] <= target["wanted"])


def set_weights(file, weights):
    """Overwrites every tensor of a .safetensors file (header length, JSON header, data)."""
    content = bytearray(file.read_bytes())
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    metadata = header.pop("__metadata__", {})
    if set(header) != set(weights):
        sys.exit(f"{file} has the tensors {sorted(header)}, the peer {sorted(weights)}")
    for name, entry in header.items():
        values = weights[name].astype("<f4")
        if entry["dtype"] != "F32" or entry["shape"] != list(values.shape):
            sys.exit(
                f"{name} is {entry['dtype']} {entry['shape']} in {file}, float32 "
                f"{list(values.shape)} in the peer"
            )
        first, last = entry["data_offsets"]
        content[begin + first : begin + last] = values.tobytes()
    # The checksum is of the old weights; a file without one is not checked.
    metadata.pop("xxh3", None)
    text = json.dumps(
        {"__metadata__": metadata, **header}, ensure_ascii=False, separators=(",", ":")
    ).encode()
    content[8:begin] = text.ljust(begin - 8)
    file.write_bytes(content)


def write(stem, report, lines):
    """Prints the lines, and leaves them and the report below build/bench."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{stem}.json").write_text(json.dumps(report, indent=1) + "\n")
    (RESULTS / f"{stem}.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def machine(threads):
    with open("/proc/cpuinfo") as info:
        models = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    return {
        "processor": models[0] if models else "unknown",
        "threads": threads,
        "date": time.strftime("%Y-%m-%d"),
    }


def end_cleanly():
    """Makes SIGTERM a normal exit, so that the child process and scratch folder are removed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
