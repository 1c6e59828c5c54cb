"""`python -m graphsurgeon` and the `graphsurgeon` command.

The program that comes with the package, and the commands written in Python: `tune`, `report`,
`bench` and `ablate`.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from ._torch_version import check_torch
from .program import PROGRAM, environment

# The module of each command written in Python, and the packages that it needs, by what one imports.
COMMANDS = {
    "tune": (".tune.tune_command", ("optuna", "plotly", "sklearn")),
    "report": (".report.report_command", ("plotly", "sklearn")),
    "bench": (".study.bench_command", ("plotly",)),
    "ablate": (".study.ablate_command", ("plotly",)),
}
PIP_NAMES = {"sklearn": "scikit-learn"}


def main() -> int:
    """Runs the program with the arguments of this process, unless they name a command in Python."""
    try:
        check_torch()
        if sys.argv[1:2] and sys.argv[1] in COMMANDS:
            return run_python(sys.argv[1], sys.argv[2:])
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    sys.stdout.flush()
    return os.execve(PROGRAM, [str(PROGRAM), *sys.argv[1:]], environment())  # which does not return


def run_python(name: str, words: list[str]) -> int:
    module, needed = COMMANDS[name]
    try:
        for package in needed:
            import_module(package)
    except ModuleNotFoundError:
        packages = [PIP_NAMES.get(package, package) for package in needed]
        hint = f"pip install {' '.join(packages)}"
        raise ImportError(f"{name} needs {', '.join(packages)} (hint: {hint})") from None
    code: int = import_module(module, __package__).main(words)
    return code


def _main_of(name: str) -> int:
    sys.argv.insert(1, name)
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


if __name__ == "__main__":
    sys.exit(main())
