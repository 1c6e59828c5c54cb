"""The documentation site builds, no link in it or in the README is broken, the notebooks run.

    python tests/docs_test.py SOURCE WORK

WORK is emptied first. Needs requirements-docs.txt, and the package on PYTHONPATH.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, file: Path):
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.places |= {values[key] for key in ("id", "name") if values.get(key)}
        self.targets += [values[key] for key in ("href", "src") if values.get(key)]


def broken_links(site: Path) -> list[str]:
    pages = {file.resolve(): Links(file) for file in site.rglob("*.html")}
    out = []
    for file, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or file.name == "404.html":
                continue
            path = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not path.exists():
                out.append(f"{file.relative_to(site.resolve())}: {target}")
            elif parts.fragment and path in pages and file.suffix == ".html":
                place = unquote(parts.fragment)
                if place not in pages[path].places and not place.startswith("__"):
                    out.append(f"{file.relative_to(site.resolve())}: {target}: no such place")
    return out


def broken_in_markdown(file: Path) -> list[str]:
    """Relative links of a page that is read on its own: README, CONTRIBUTING."""
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", file.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    return [f"{file.name}: {target}" for target in local if not (file.parent / target).exists()]


def run_notebook(file: Path, work: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(file, as_version=4)
    here = {"metadata": {"path": str(work)}}
    NotebookClient(notebook, timeout=600, startup_timeout=300, resources=here).execute()
    nbformat.write(notebook, work / file.name)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code and all(cell.execution_count for cell in code), file


def main() -> None:
    source, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    site = work / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    broken = broken_links(site)
    for name in ("README.md", "CONTRIBUTING.md"):
        broken += broken_in_markdown(source / name)
    if broken:
        sys.exit("broken links:\n" + "\n".join(broken))
    for file in sorted((source / "docs" / "notebooks").glob("*.ipynb")):
        run_notebook(file, work)
    print("docs: the site builds, its links lead somewhere, the notebooks run")


if __name__ == "__main__":
    main()
