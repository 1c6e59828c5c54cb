"""`python -m graphsurgeon` and the `graphsurgeon` command: the program that comes with the package, and what is
written in Python: `tune` and `report`."""

from __future__ import annotations

import os
import sys

from ._torch_version import check_torch
from .program import PROGRAM, environment


def main() -> int:
    """Becomes the program, with the arguments of this process, unless they ask for what is written in Python."""
    try:
        check_torch()
        if sys.argv[1:2] == ["tune"]:
            return _tune(sys.argv[2:])
        if sys.argv[1:2] == ["report"]:
            return _report(sys.argv[2:])
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    sys.stdout.flush()
    os.execve(PROGRAM, [str(PROGRAM), *sys.argv[1:]], environment())


def _tune(words: list[str]) -> int:
    try:
        import optuna  # noqa: F401
        import plotly  # noqa: F401
        import sklearn  # noqa: F401
    except ModuleNotFoundError:
        needs = "Optuna, plotly and scikit-learn (hint: pip install optuna plotly scikit-learn)"
        raise ImportError(f"tune needs {needs}") from None
    from .tune.command import main

    return main(words)


def _report(words: list[str]) -> int:
    try:
        import plotly  # noqa: F401
        import sklearn  # noqa: F401
    except ModuleNotFoundError:
        raise ImportError("report needs plotly and scikit-learn (hint: pip install plotly scikit-learn)") from None
    from .report.command import main

    return main(words)


def tune() -> int:
    """The `graphsurgeon-tune` command, which the program finds when it is asked to `tune`."""
    sys.argv.insert(1, "tune")
    return main()


def report() -> int:
    """The `graphsurgeon-report` command, likewise."""
    sys.argv.insert(1, "report")
    return main()


if __name__ == "__main__":
    sys.exit(main())
