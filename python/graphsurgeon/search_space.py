"""Where the tuner looks: a range for every option that declares one, less what the user fixed, changed as he asks.

A range is written `lr=1e-4..1e-1:log`, `layers=1..4`, or `mode=pre,post` for a choice.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .errors import UsageError
from .options import METHODS, OPTIONS, Option, unknown

SCORING = {"splits", "runs", "seed", "protocol"}  # the nodes that a trial is scored on, and the steps of the probe


@dataclass(frozen=True)
class Range:
    """The values of one option, by its keyword."""

    keyword: str
    low: float = 0
    high: float = 0
    log: bool = False
    whole: bool = False
    choices: tuple[Any, ...] = ()
    typed: bool = field(default=False, compare=False)  # by the user, who means it

    def holds(self, value: Any) -> bool:
        return value in self.choices if self.choices else self.low <= value <= self.high

    def suggest(self, trial: Any) -> Any:
        """A value, by an Optuna trial."""
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
    """A range as one types it; UsageError when it is none, or leaves what the option allows."""
    name, equals, values = text.partition("=")
    keyword = name.strip().lstrip("-").replace("-", "_")
    keyword = "random_state" if keyword == "seed" else keyword
    if not equals or not values:
        raise UsageError(f"--search: '{text}' is no range", "as in lr=1e-4..1e-1:log, layers=1..4 or mode=pre,post")
    if keyword not in OPTIONS:
        raise UsageError(f"--search: {unknown(keyword)}", "'graphsurgeon train --help' lists the options")
    option = OPTIONS[keyword]
    if why := _not_searched(option):
        raise UsageError(f"--search: {option.name} cannot be searched: {why}", f"fix it with --{option.name}")
    if ".." in values:
        return _checked(option, _interval(option, values, text))
    choices = tuple(_typed(option, word.strip(), text) for word in values.split(","))
    for choice in choices:
        if option.choices and choice not in option.choices:
            raise UsageError(f"--search: '{choice}' is not one of {', '.join(option.choices)}")
    return _checked(option, Range(keyword, choices=choices))


def _not_searched(option: Option) -> str:
    """Why not, or nothing."""
    if option.group == "Data":
        return "the graph is loaded once"
    if option.type == "INT,...":
        return "its values are lists"
    if option.name == "method":
        return "what is searched is what one method reads, from its defaults"
    if option.name in SCORING:
        return "trials that are scored differently cannot be compared"
    return ""


def _interval(option: Option, values: str, text: str) -> Range:
    bounds, _, scale = values.partition(":")
    if scale not in ("", "log"):
        raise UsageError(f"--search: '{scale}' in '{text}' is not a scale", "it is 'log', or nothing")
    if option.type not in ("INT", "FLOAT"):
        raise UsageError(f"--search: {option.name} has no range of numbers", f"list its values: {option.name}=a,b")
    low, high = (_typed(option, word, text) for word in bounds.split("..", 1))
    if not low <= high or (scale and low <= 0):
        raise UsageError(f"--search: '{text}' is empty, or a log scale that does not begin above 0")
    return Range(option.keyword, low, high, bool(scale), option.type == "INT")


def _typed(option: Option, word: str, text: str) -> Any:
    kinds = {"INT": int, "FLOAT": float, "": lambda w: {"true": True, "false": False}[w]}
    try:
        value = kinds.get(option.type, str)(word)
    except (ValueError, KeyError):
        raise UsageError(f"--search: '{word}' in '{text}' is not a value of {option.name}") from None
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
            raise UsageError(f"--search: {value:g} is out of the range of {option.name}", option.help)
        if option.name == "epochs" and value < 1:
            raise UsageError("--search: 0 epochs train nothing", "let them begin at 1")
    return wanted


def search_space(fixed: set[str], searched: list[str], method: str = "graphsurgeon") -> dict[str, Range]:
    """The ranges by keyword. `fixed`: keywords that stay as they are; `searched`: ranges as typed.

    A baseline searches those of the options it has defaults of its own for: others it does not read.
    """
    own = METHODS[method]["defaults"]
    space = {}
    for keyword, option in OPTIONS.items():
        read = option.name in own if own else option.group != "Method"
        if option.tune and read and keyword not in fixed:
            whole = option.type == "INT"
            space[keyword] = Range(keyword, option.tune["low"], option.tune["high"], option.tune["log"], whole)
    for text in searched:
        wanted = parse(text)
        if wanted.keyword in fixed:
            raise UsageError(f"--search: {wanted.keyword} is fixed by --{wanted.keyword.replace('_', '-')} already")
        space[wanted.keyword] = replace(wanted, typed=True)
    if not space:
        raise UsageError("nothing is left to search", "fix fewer options, or name some with --search")
    return space
