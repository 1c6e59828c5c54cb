"""`python -m graphsurgeon` and the `graphsurgeon` command.

The program that comes with the package, and the commands written in Python: `tune`, `report`,
`bench`, `ablate` and `data import`.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from ._torch_version import check_torch
from .program import PROGRAM, environment

# The module of each command written in Python, the packages that it needs, by what one imports, and
# what installs them.
COMMANDS = {
    "tune": (".tune.tune_command", ("optuna", "plotly", "sklearn"), "optuna plotly scikit-learn"),
    "report": (".report.report_command", ("plotly", "sklearn"), "plotly scikit-learn"),
    "bench": (".study.bench_command", ("plotly",), "plotly"),
    "ablate": (".study.ablate_command", ("plotly",), "plotly"),
    "data import": (".tables.import_command", ("pyarrow",), "pyarrow pandas"),
}


def main() -> int:
    """Runs the program with the arguments of this process, unless they name a command in Python."""
    try:
        check_torch()
        for name in COMMANDS:
            words = name.split()
            if sys.argv[1 : 1 + len(words)] == words:
                return run_python(name, sys.argv[1 + len(words) :])
        if launched():
            code: int = import_module(".ranks", __package__).main(sys.argv[1:])
            return code
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    sys.stdout.flush()
    return os.execve(PROGRAM, [str(PROGRAM), *sys.argv[1:]], environment())  # which does not return


def launched() -> bool:
    """Whether torchrun, or something like it, started this process as one of several."""
    return {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"} <= os.environ.keys()


def run_python(name: str, words: list[str]) -> int:
    module, needed, install = COMMANDS[name]
    absent = []
    for package in needed:
        try:
            import_module(package)
        except ModuleNotFoundError:
            absent.append(package)
    if absent:
        print(f"error: {name} needs {', '.join(absent)}", file=sys.stderr)
        print(f"hint: pip install {install}", file=sys.stderr)
        return 2
    code: int = import_module(module, __package__).main(words)
    return code


def _main_of(name: str) -> int:
    sys.argv[1:1] = name.split()
    return main()


def tune() -> int:
    """The `graphsurgeon-tune` command, which the program runs when asked to `tune`."""
    return _main_of("tune")


def report() -> int:
    """The `graphsurgeon-report` command, likewise."""
    return _main_of("report")


def bench() -> int:
    """The `graphsurgeon-bench` command, likewise."""
    return _main_of("bench")


def ablate() -> int:
    """The `graphsurgeon-ablate` command, likewise."""
    return _main_of("ablate")


def data_import() -> int:
    """The `graphsurgeon-data-import` command, likewise."""
    return _main_of("data import")


if __name__ == "__main__":
    sys.exit(main())
