"""The program that comes with this package: its path, its environment, and calls that run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .errors import DataError, Error, InternalError, UsageError

PROGRAM = Path(__file__).parent / "bin" / "graphsurgeon"
LAUNCHER = Path(__file__).parent / "launcher.py"


def environment() -> dict[str, str]:
    """The environment of this process, with the folder of torch's libraries added.

    The program looks for torch beside this package, where pip puts it. Only Python finds a torch in
    another folder (the system's, or the environment below a virtual one). This does not import it.
    """
    spec = find_spec("torch")
    places = (spec.submodule_search_locations or []) if spec else []
    folders = [os.path.join(place, "lib") for place in places]
    folders += filter(None, [os.environ.get("LD_LIBRARY_PATH")])
    return os.environ | {"LD_LIBRARY_PATH": os.pathsep.join(folders)}


@dataclass(frozen=True)
class Finished:
    """A process of the program that has ended."""

    code: int  # its exit code, or minus the signal that killed it
    output: str
    errors: str
    seconds: float
    peak_mib: float  # of this process alone

    @property
    def problem(self) -> str:
        """One line that says why it failed."""
        if self.code < 0:
            return f"killed by signal {-self.code}"
        return self.error.message

    @property
    def error(self) -> Error:
        """The error it printed, with its hint."""
        parts = {"error": "", "hint": ""}
        for line in self.errors.splitlines():
            key, _, text = line.partition(": ")
            if key in parts and not parts[key]:
                parts[key] = text
        kinds: dict[int, type[Error]] = {2: UsageError, 3: DataError}
        message = parts["error"] or f"the program ended with code {self.code}"
        return kinds.get(self.code, InternalError)(message, parts["hint"])


def run(*words: object) -> Finished:
    """Runs `graphsurgeon WORDS` as a process of its own.

    Whatever interrupts the wait (Ctrl-C, most of all) stops the process first (SIGTERM) and waits
    for it to end, so that what it keeps on the way out is whole.
    """
    begun = time.monotonic()
    reading, writing = os.pipe()
    command = [sys.executable, "-I", "-S", str(LAUNCHER), str(writing), str(PROGRAM)]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with open(reading, "rb") as report:
            try:
                process = subprocess.Popen(
                    [*command, *map(str, words)],
                    stdout=output,
                    stderr=errors,
                    pass_fds=[writing],
                    env=environment(),
                )
            finally:
                os.close(writing)
            try:
                process.wait()
            except BaseException:
                process.terminate()
                process.wait()
                raise
            reported = report.read().split()
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode("utf-8", errors="replace"))
    if len(reported) != 2:  # the launcher itself failed or was killed
        reported = [str(process.returncode).encode(), b"0"]
    code, kib = int(reported[0]), int(reported[1])
    return Finished(code, texts[0], texts[1], time.monotonic() - begun, kib / 1024)


def ask(*words: object) -> dict[str, Any]:
    """What `graphsurgeon WORDS --json` prints. Its error is raised with message and hint."""
    done = run(*words, "--json", "--quiet")
    if done.code == 4:
        raise KeyboardInterrupt
    if done.code != 0:
        raise done.error
    answer: dict[str, Any] = json.loads(done.output)
    return answer
