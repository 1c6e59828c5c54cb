"""An ablation as markdown: its verdict, and tables with one column per dataset."""

from __future__ import annotations

from .ablations import AblationResult, Figures


class Table:
    """Cells by row and dataset, in the order in which they came."""

    def __init__(self, title: str, rows: str = "variant") -> None:
        self.title, self.of = title, rows
        self._cells: dict[tuple[str, str], str] = {}

    def put(self, row: str, dataset: str, cell: str) -> None:
        self._cells[row, dataset] = cell

    def text(self) -> str:
        if not self._cells:
            return ""
        rows = dict.fromkeys(row for row, _ in self._cells)
        datasets = dict.fromkeys(dataset for _, dataset in self._cells)
        out = f"{self.title}:\n\n| {self.of} | {' | '.join(datasets)} |\n|---|"
        out += "--:|" * len(datasets)
        for row in rows:
            cells = (self._cells.get((row, dataset), "") for dataset in datasets)
            out += f"\n| {row} | {' | '.join(cells)} |"
        return out + "\n\n"


# Title, key of a row, format, and from which figures on it is shown.
PLAIN = (
    ("Peak memory of a fresh process, MiB", "peak_mib", ".0f", Figures.COSTS),
    ("Time of an epoch (median), ms", "ms_per_epoch", ".1f", Figures.COSTS),
    ("Threads it was timed on", "threads", ".0f", Figures.COSTS),
    ("Parameters", "parameters", ".0f", Figures.VALUES),
    ("D", "aug_dim", ".0f", Figures.VALUES),
)


def ablation_markdown(result: AblationResult) -> str:
    scores = Table("Test score, percent")
    plain = [Table(title) for title, *_ in PLAIN]
    gamma = Table("Gamma, and in units of the scaled constraint")
    rate = Table("Learning rate")
    curve = Table("Validation score by epoch, percent", "epoch")
    for row in result.rows:
        dataset, variant = row["dataset"], row["variant"]
        if "problem" in row:
            scores.put(variant, dataset, "failed")
            continue
        if "mean" in row:
            scores.put(variant, dataset, f"{row['mean']:.2f} ±{row.get('std', 0.0):.2f}")
        for epoch, score in row.get("curve", []):
            curve.put(str(epoch), dataset, f"{score:.2f}")
        for table, (_, key, form, since) in zip(plain, PLAIN, strict=True):
            if result.figures >= since and key in row:
                table.put(variant, dataset, format(float(row[key]), form))
        if result.figures >= Figures.VALUES:
            if "lr" in row:
                rate.put(variant, dataset, f"{row['lr']:.3g}")
            if "gamma_scaled" in row:
                both = f"{row['gamma']:.3g} ({row['gamma_scaled']:.3g})"
                gamma.put(variant, dataset, both)
    tables = [scores, *plain, gamma, rate, curve]
    return f"# {result.name}\n\n{result.verdict.text}\n\n" + "".join(t.text() for t in tables)
