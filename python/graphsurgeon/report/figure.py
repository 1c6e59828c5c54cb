"""A figure: what plotly draws, and the same in words.

Colors of text, axes and grid are the page's own (page.js sets them, for light and dark); those of
data are chosen to be seen on both. Text that comes from a user goes through `plain`, since plotly
reads some HTML in it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

COLORS = [
    "#2f81d6",
    "#e0791b",
    "#2a9d6f",
    "#b35bc9",
    "#d64f5f",
    "#8f8a1e",
    "#18a0b0",
    "#9a6b4f",
    "#6f7bd9",
    "#c9569b",
    "#5f9f2f",
    "#c48a12",
]
DASHES = ["solid", "dash", "dot", "dashdot"]
ACCENT = [[0, "rgba(47,129,214,0.04)"], [1, "rgba(47,129,214,1)"]]


@dataclass
class Figure:
    key: str  # of its element, unlike any other's
    title: str
    words: str  # the same for those who cannot see it
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    wide: bool = False  # a row of its own


def plain(text: object, most: int = 60) -> str:
    """Any text as plotly shows it literally."""
    text = " ".join(str(text).split())
    return html.escape(text if len(text) <= most else text[: most - 1] + "…", quote=False)


def labels(names: Iterable[object], most: int) -> list[str]:
    """Names for an axis of categories, none like another: plotly puts equal ones in one place."""
    shown = [plain(name, most) for name in names]
    return [name if shown.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(shown)]


def short(values: Iterable[Any]) -> list[Any]:
    """Numbers with five digits; None for what is none."""
    return [rounded(value) for value in values]


def rounded(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    value = float(value)
    if not math.isfinite(value):
        return None
    return float(f"{value:.5g}")


def log_ticks(low: float, high: float) -> list[float]:
    """Values to write on a logarithmic axis: about four, round, from `low` to `high`."""
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(i / 2 for i in range(2, 20))):
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        ticks = [step * 10.0**k for k in range(first, last + 1) for step in steps]
        inside = [float(f"{tick:.6g}") for tick in ticks if low <= tick <= high]
        if len(inside) >= 4:
            return inside[:: -(-len(inside) // 8)]
    return [rounded(low + i * (high - low) / 3) for i in range(4)]


def color(i: int) -> str:
    return COLORS[i % len(COLORS)]


def figure(
    key: str,
    title: str,
    words: str,
    traces: list[Any],
    *,
    height: int = 320,
    wide: bool = False,
    **layout: Any,
) -> Figure:
    """`layout` as plotly takes it; axes are titled by `x` and `y`."""
    x, y = layout.pop("x", ""), layout.pop("y", "")
    shown = {
        "template": go.layout.Template(),
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "closest",
        "xaxis": {"title": {"text": x}, "automargin": True},
        "yaxis": {"title": {"text": y}, "automargin": True},
    }
    for name, value in layout.items():
        shown[name] = shown[name] | value if isinstance(value, dict) and name in shown else value
    made = go.Figure(
        data=traces, layout=shown
    ).to_plotly_json()  # refuses what plotly does not know
    made["layout"].pop("template", None)
    return Figure(key, title, words, made["data"], made["layout"], wide)


def numbers(values: Iterable[tuple[object, float | None]], unit: str = "") -> str:
    """'a 1.2, b 3.4' for text alternatives."""
    return ", ".join(f"{name} {value:.4g}{unit}" for name, value in values if value is not None)
