"""The search space: the range of each option that declares one and that the user did not fix.

`--search` replaces or adds a range: `lr=1e-4..1e-1:log`, `layers=1..4` or `mode=pre,post`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..errors import UsageError
from ..options import METHODS, OPTIONS, Option, unknown

FLAGS = {"true": True, "false": False}
# Options that decide on which nodes, and how, a trial is scored.
SCORING = {"splits", "num-splits", "seed", "protocol"}


@dataclass(frozen=True)
class Range:
    """The values of one option, by its keyword."""

    keyword: str
    low: float = 0
    high: float = 0
    log: bool = False
    whole: bool = False
    choices: tuple[Any, ...] = ()
    typed: bool = field(default=False, compare=False)  # given with --search

    def holds(self, value: Any) -> bool:
        return value in self.choices if self.choices else self.low <= value <= self.high

    def suggest(self, trial: Any) -> Any:
        """A value from an Optuna trial."""
        if self.choices:
            return trial.suggest_categorical(self.keyword, list(self.choices))
        if self.whole:
            return trial.suggest_int(self.keyword, int(self.low), int(self.high), log=self.log)
        return trial.suggest_float(self.keyword, self.low, self.high, log=self.log)

    def as_json(self) -> dict[str, Any]:
        kept = asdict(self) | {"choices": list(self.choices)}
        del kept["typed"]
        return kept


def parse(text: str) -> Range:
    """Parses a range as typed; UsageError if it is malformed or not allowed by the option."""
    name, equals, values = text.partition("=")
    keyword = name.strip().lstrip("-").replace("-", "_")
    keyword = "random_state" if keyword == "seed" else keyword
    if not equals or not values:
        hint = "write it as lr=1e-4..1e-1:log, layers=1..4 or mode=pre,post"
        raise UsageError(f"--search: '{text}' is not a range", hint)
    if keyword not in OPTIONS:
        hint = "'graphsurgeon train --help' lists the options"
        raise UsageError(f"--search: {unknown(keyword)}", hint)
    option = OPTIONS[keyword]
    if why := _not_searched(option):
        message = f"--search: {option.name} cannot be searched: {why}"
        raise UsageError(message, f"fix it with --{option.name}")
    if ".." in values:
        return _checked(option, _interval(option, values, text))
    choices = tuple(_typed(option, word.strip(), text) for word in values.split(","))
    for choice in choices:
        if option.choices and choice not in option.choices:
            raise UsageError(f"--search: '{choice}' is not one of {', '.join(option.choices)}")
    return _checked(option, Range(keyword, choices=choices))


def _not_searched(option: Option) -> str:
    """Why the option cannot be searched; empty if it can."""
    if option.group == "Data":
        return "the graph is loaded once"
    if option.type == "INT,...":
        return "its values are lists"
    if option.name == "method":
        return "a search is about one method"
    if option.name in SCORING:
        return "trials that are scored differently cannot be compared"
    return ""


def _interval(option: Option, values: str, text: str) -> Range:
    bounds, _, scale = values.partition(":")
    if scale not in ("", "log"):
        raise UsageError(f"--search: '{scale}' in '{text}' is not a scale", "use :log or omit it")
    if option.type not in ("INT", "FLOAT"):
        message = f"--search: {option.name} has no numeric range"
        raise UsageError(message, f"list its values: {option.name}=a,b")
    low, high = (_typed(option, word, text) for word in bounds.split("..", 1))
    if not low <= high or (scale and low <= 0):
        raise UsageError(f"--search: '{text}' is empty, or on a log scale but not positive")
    return Range(option.keyword, low, high, bool(scale), option.type == "INT")


def _typed(option: Option, word: str, text: str) -> Any:
    kinds: dict[str, Callable[[str], Any]] = {"INT": int, "FLOAT": float, "": FLAGS.__getitem__}
    try:
        value = kinds.get(option.type, str)(word)
    except (ValueError, KeyError):
        raise UsageError(
            f"--search: '{word}' in '{text}' is not a value of {option.name}"
        ) from None
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"--search: '{word}' in '{text}' is not finite")
    return value


def _checked(option: Option, wanted: Range) -> Range:
    ends = wanted.choices or (wanted.low, wanted.high)
    for value in ends:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if (option.minimum is not None and value < option.minimum) or (
            option.maximum is not None and value > option.maximum
        ):
            raise UsageError(f"--search: {value:g} is out of range for {option.name}", option.help)
        if option.name == "epochs" and value < 1:
            raise UsageError("--search: 0 epochs train nothing", "start the range at 1")
    return wanted


def search_space(
    fixed: set[str], searched: list[str], method: str = "graphsurgeon"
) -> dict[str, Range]:
    """The ranges by keyword. `fixed` keywords are not searched; `searched` are ranges as typed.

    A baseline searches only options that it has defaults of its own for; it reads no others.
    """
    own = METHODS[method]["defaults"]
    space = {}
    for keyword, option in OPTIONS.items():
        read = option.name in own if own else option.group != "Method"
        if option.tune and read and keyword not in fixed:
            space[keyword] = Range(keyword, **option.tune, whole=option.type == "INT")
    for text in searched:
        wanted = parse(text)
        if wanted.keyword in fixed:
            flag = f"--{wanted.keyword.replace('_', '-')}"
            raise UsageError(f"--search: {wanted.keyword} is already fixed by {flag}")
        space[wanted.keyword] = replace(wanted, typed=True)
    if not space:
        raise UsageError(
            "nothing is left to search", "fix fewer options, or add ranges with --search"
        )
    return space
