"""HTML: escaping, tables, figures and their frame.

What comes from outside goes through `esc` or `embedded`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import DataError
from .figure import COLORS, Figure

HERE = Path(__file__).parent
# How every page begins: by it one of ours is known.
HEAD = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="generator" content="graphsurgeon">'
)
# Nothing is fetched, whatever a name or a text in the page might try. plotly's WebGL dots are
# compiled by `Function`.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


Section = tuple[str, str, str]  # key, title and HTML


def is_page(file: Path) -> bool:
    """Whether graphsurgeon wrote this page; DataError if the file cannot be read."""
    try:
        with open(file, "rb") as content:
            return content.read(len(HEAD)) == HEAD.encode()
    except OSError as error:
        raise DataError(f"{file}: {error.strerror}", "name another file with -o") from None


def esc(text: object) -> str:
    return html.escape(str(text), quote=True)


def embedded(value: Any) -> str:
    """JSON inside of a script element: it cannot end the element, whatever texts it holds."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def json_script(key: str, value: Any) -> str:
    return f'<script type="application/json" id="{esc(key)}">{embedded(value)}</script>'


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def paragraph(text: str) -> str:
    return f"<p>{esc(text)}</p>"


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", numeric: bool = True
) -> str:
    """Cells are HTML already: use esc. The first column names the row.

    On a phone, a table of more than three columns becomes a list of rows.
    """
    kinds = ["numeric"] * numeric + ["stack"] * (len(head) > 3)
    lines = [f'<div class="scroll" tabindex="0"><table class="{" ".join(kinds)}">']
    if caption:
        lines.append(f"<caption>{esc(caption)}</caption>")
    lines.append(
        "<thead><tr>"
        + "".join(f'<th scope="col">{cell}</th>' for cell in head)
        + "</tr></thead><tbody>"
    )
    titles = [re.sub("<[^>]*>", "", cell) for cell in head[1:]]
    for row in rows:
        rest = "".join(
            f'<td{" class=text" if is_text(cell) else ""} data-label="{title}">{cell}</td>'
            for title, cell in zip(titles, row[1:])
        )
        lines.append(f'<tr><th scope="row">{row[0]}</th>{rest}</tr>')
    return "".join([*lines, "</tbody></table></div>"])


def is_text(cell: str) -> bool:
    """Whether a cell is an explanation, or more words than stand beside a title on a phone."""
    return cell.startswith('<span class="help">') or len(re.sub("<[^>]*>", "", cell)) > 40


def details(summary: str, content: str, open_: bool = False) -> str:
    return (
        f"<details{' open' if open_ else ''}><summary>{esc(summary)}</summary>{content}</details>"
    )


def alternative(title: str, words: str) -> str:
    """Attributes of what shows a figure, for those who cannot see it."""
    return f'role="img" aria-label="{esc(f"{title}. {words}")}"'


def figure_html(made: Figure) -> str:
    spec = json_script(f"{made.key}-data", {"data": made.data, "layout": made.layout})
    return (
        f'<figure id="{esc(made.key)}"{" class=wide" if made.wide else ""}>'
        f"<figcaption>{esc(made.title)}</figcaption>"
        f'<div class="plot" style="height:{made.layout["height"]}px" '
        f"{alternative(made.title, made.words)}></div>"
        f"{details('In words', paragraph(made.words))}{spec}</figure>"
    )


def figures_html(figures: Sequence[Figure]) -> str:
    return f'<div class="figures">{"".join(map(figure_html, figures))}</div>' if figures else ""


def map_html(key: str, title: str, words: str, payload: dict[str, Any], wide: bool = False) -> str:
    """A map and what chooses its projection and colors; page.js fills both."""
    kind = "map wide" if wide else "map"
    return (
        f'<figure id="{esc(key)}" class="{kind}"><figcaption>{esc(title)}</figcaption>'
        '<div class="choices"></div>'
        f'<div class="plot" {alternative(title, words)}></div>'
        f'<p class="about"></p>{details("In words", paragraph(words))}'
        f"{json_script(f'{key}-data', payload)}</figure>"
    )


def section(key: str, title: str, *content: str) -> Section:
    return key, title, "".join(part for part in content if part)


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """One file, nothing fetched."""
    from plotly.offline import get_plotlyjs

    links = "".join(f'<a href="#{esc(key)}">{esc(name)}</a>' for key, name, _ in sections)
    body = "".join(
        f'<section id="{esc(key)}"><h2>{esc(name)}</h2>{content}</section>'
        for key, name, content in sections
    )
    css, script = ((HERE / f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return (
        HEAD + f'<meta http-equiv="Content-Security-Policy" content="{esc(POLICY)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{esc(title)}</title>\n<style>\n{css}</style>\n"
        f"<script>{get_plotlyjs()}</script></head>\n<body>"
        f'<header><p class="kicker">graphsurgeon</p><h1>{esc(title)}</h1>{lead}'
        f'<nav aria-label="Sections">{links}</nav></header>'
        f"<main>{body}</main>"
        '<noscript><p class="note">Figures are drawn by a script, which is off here; each has its '
        "words beneath.</p>"
        "</noscript>"
        f"{json_script('colors', COLORS)}\n<script>\n{script}</script></body></html>\n"
    )
