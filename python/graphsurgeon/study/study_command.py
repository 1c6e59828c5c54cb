"""What `bench` and `ablate` share: options, the folder of results, running and printing."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _cli
from ..options import MAX_THREADS
from ..progress import Listener, wanted
from .experiment import Runner
from .results_folder import check_results, make_folder, remove_empty, write_text

DATA_ROOT = "folder of the catalog's datasets; default $GRAPHSURGEON_DATA, else the cache folder"


def study_parser(name: str, about: str, epilog: str = "") -> _cli.Parser:
    return _cli.Parser(
        prog=f"graphsurgeon {name}",
        description=about,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_inputs(out: argparse.ArgumentParser, output: str, datasets: str) -> None:
    """-o and --datasets; `output` says what is written, `datasets` what "all" means."""
    out.add_argument(
        "-o", "--output", default="", metavar="DIR", help=f"folder of the results: {output}"
    )
    out.add_argument(
        "--datasets", default="all", metavar="NAMES",
        help=f"catalog names, as photo,cs; all: {datasets}",
    )  # fmt: skip


def add_common(out: argparse.ArgumentParser, quick: str) -> None:
    """The last options of both; `quick` says what --quick trains."""
    out.add_argument("--quick", action="store_true", help=f"{quick}: a first look")
    out.add_argument(
        "--num-splits", type=whole_number(1, 1000), default=10, metavar="INT",
        help="random splits (10); three at most with --quick",
    )  # fmt: skip
    _cli.add_renamed(out, "--runs", "--num-splits")
    out.add_argument("--data-root", default="", metavar="DIR", help=DATA_ROOT)
    out.add_argument(
        "--threads", type=whole_number(0, MAX_THREADS), default=0, metavar="INT",
        help="number of threads; 0 uses every core this process may run on",
    )  # fmt: skip
    out.add_argument("--quiet", action="store_true", help="print no progress and no notes")
    out.add_argument(
        "--json", action="store_true", help="print the result as one JSON object on standard output"
    )


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """A whole number from `low` to `high`, as argparse takes types."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{value} is not between {low} and {high}")
        return value

    return parse


@dataclass
class Study:
    """A study under way: where its results go, and what trains and reports."""

    folder: Path
    page: str  # the name of its HTML page
    runner: Runner
    listener: Listener
    prints: bool  # text; with --json, the result alone

    def print(self, text: str) -> None:
        if self.prints:
            print(text, flush=True)

    def finish(self, page: str) -> None:
        remove_empty(self.folder / "work")
        write_text(self.folder / self.page, page)


def open_study(
    arguments: argparse.Namespace, default: str, names: Sequence[str], page: str
) -> Study:
    """Makes the folder; DataError if it has results of these names from elsewhere."""
    folder = Path(arguments.output or (f"{default}-quick" if arguments.quick else default))
    for name in names:
        check_results(folder, name, page)
    make_folder(folder)
    runner = Runner(folder, arguments.threads, arguments.data_root)
    listener = Listener(wanted("auto") and not arguments.quiet)
    return Study(folder, page, runner, listener, not arguments.json)


def run_command(
    words: list[str],
    parser: argparse.ArgumentParser,
    study: Callable[[argparse.Namespace], dict[str, Any]],
) -> int:
    """Returns the exit code. `study` returns what `--json` prints."""

    def work() -> None:
        arguments = parser.parse_args(words)
        result = study(arguments)
        if arguments.json:
            print(json.dumps(result))

    _cli.stop_on_terminate()
    return _cli.run(work, _cli.STOPPED)
