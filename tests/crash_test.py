"""crash_test.py PROGRAM LIBRARY [--states N]: the disk after a power loss, at any moment.

Commands run with LIBRARY preloaded (tests/faults/inject.cpp), which records every change to
files. After each change, a power loss may leave: all of it; only what was synced, names too; all
names, but of the files only what was synced; or half of the bytes that were not. Each of these
states is made, and the command is run again there. It must complete the work to the same bytes, or
say what is missing (exit code 3).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

GRAPH = "sbm:nodes=40,classes=2,features=6,seed=3"
SMALL = ["--threads", "1", "--quiet"]
TRAIN = ["--epochs", "3", "--checkpoint-every", "1", "--aug-dim", "4", "--dim", "2", *SMALL]


@dataclass
class File:
    now: bytearray = field(default_factory=bytearray)
    synced: bytes = b""


@dataclass
class Folder:
    now: dict[str, File | Folder] = field(default_factory=dict)
    synced: dict[str, File | Folder] = field(default_factory=dict)


State = dict[str, bytes | None]  # by path below the root; None: a folder


Content = Callable[[File], bytes]


class Disk:
    """The files as the running system sees them, and what of them is safe."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.top = Folder()

    def _at(self, path: str) -> tuple[Folder, str]:
        """The folder that holds the path, and its name there."""
        *parents, name = os.path.relpath(path, self.root).split("/")
        folder = self.top
        for parent in parents:
            below = folder.now[parent]
            assert isinstance(below, Folder)
            folder = below
        return folder, name

    def _file(self, path: str) -> File:
        folder, name = self._at(path)
        file = folder.now[name]
        assert isinstance(file, File)
        return file

    def apply(self, op: str, path: str, other: str, offset: int, data: bytes) -> None:
        if op == "sync" and path == self.root:
            self.top.synced = dict(self.top.now)
            return
        folder, name = self._at(path)
        if op == "create":
            folder.now.setdefault(name, File())
        elif op == "mkdir":
            folder.now.setdefault(name, Folder())
        elif op == "data":
            self._file(path).now[offset : offset + len(data)] = data
        elif op == "truncate":
            del self._file(path).now[offset:]
        elif op == "rename":
            there, new = self._at(other)
            there.now[new] = folder.now.pop(name)
        elif op == "exchange":
            there, new = self._at(other)
            folder.now[name], there.now[new] = there.now[new], folder.now[name]
        elif op == "unlink":
            folder.now.pop(name, None)
        elif op == "sync" and isinstance(file := folder.now.get(name), File):
            file.synced = bytes(file.now)
        elif op == "sync" and isinstance(below := folder.now.get(name), Folder):
            below.synced = dict(below.now)

    def states(self) -> list[State]:
        """What may be left."""

        def half(file: File) -> bytes:
            return file.synced if file.now == file.synced else bytes(file.now[: len(file.now) // 2])

        def walk(folder: Folder, path: str, safe: bool, content: Content, out: State) -> State:
            for name, node in (folder.synced if safe else folder.now).items():
                below = f"{path}/{name}"
                if isinstance(node, File):
                    out[below] = content(node)
                else:
                    out[below] = None
                    walk(node, below, safe, content, out)
            return out

        return [
            walk(self.top, self.root, False, lambda file: bytes(file.now), {}),
            walk(self.top, self.root, True, lambda file: file.synced, {}),
            walk(self.top, self.root, False, lambda file: file.synced, {}),
            walk(self.top, self.root, False, half, {}),
        ]


def records(file: Path) -> list[tuple[str, str, str, int, bytes]]:
    out = []
    rest = file.read_bytes()
    while rest:
        line, _, rest = rest.partition(b"\n")
        op, path, other, offset, length = line.decode().split("\t")
        out.append((op, path, other, int(offset), rest[: int(length)]))
        rest = rest[int(length) :]
    return out


def written(state: State, root: Path) -> None:
    shutil.rmtree(root)
    root.mkdir()
    for path, content in sorted(state.items()):
        target = Path(path)
        if content is None:
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def check(program: str, library: str, words: list[str], output: str, files: list[str],
          again: list[str], most: int) -> tuple[int, int, int]:  # fmt: skip
    """Numbers of states, of those that were completed, and of those that were refused."""
    with tempfile.TemporaryDirectory() as folder:
        root, log = Path(folder) / "disk", Path(folder) / "log"
        root.mkdir()
        command = [program, *words, "-o", str(root / output)]
        environment = os.environ | {
            "LD_PRELOAD": library,
            "GS_RECORD": str(log),
            "GS_RECORD_ROOT": str(root),
        }
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        reference = {name: (root / output / name).read_bytes() for name in files}
        disk = Disk(str(root))
        states: list[State] = [{}]
        for record in records(log):
            disk.apply(*record)
            states += [state for state in disk.states() if state not in states]
        chosen = states[:: max(1, -(-len(states) // most))]
        completed = refused = 0
        for state in chosen:
            written(state, root)
            more = again if (root / output).exists() else []
            done = subprocess.run([*command, *more], capture_output=True, text=True)
            if done.returncode == 3 and "error: " in done.stderr and "hint: " in done.stderr:
                refused += 1
                print(f"  refused: {done.stderr.splitlines()[0]}")
                continue
            assert done.returncode == 0, (done.returncode, done.stderr, sorted(state))
            for name, wanted in reference.items():
                assert (root / output / name).read_bytes() == wanted, (name, sorted(state))
            subprocess.run(
                [program, "verify", root / output], check=True, stdout=subprocess.DEVNULL
            )
            completed += 1
        return len(chosen), completed, refused


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--states", type=int, default=10**9, help="at most so many per command")
    given = parser.parse_args()
    run_files = ["embeddings.npy", "model.safetensors", "options.json"]
    data_files = ["neighbors.npy", "features.npy", "dataset.json"]
    cases = {
        "train": (["train", GRAPH, *TRAIN], run_files, ["--resume"]),
        "spectral": (["train", GRAPH, "--dim", "4", *SMALL], run_files, ["--resume"]),
        "convert": (["data", "convert", GRAPH, *SMALL], data_files, ["--overwrite"]),
    }
    for name, (words, files, again) in cases.items():
        states, completed, refused = check(
            given.program, given.library, words, "out", files, again, given.states
        )
        print(f"{name}: {states} states, {completed} completed, {refused} refused", flush=True)


if __name__ == "__main__":
    main()
