"""Made-up customers and calls for the tests of tables.

`python tests/python/tables.py` writes those of docs/tables.md, calls.csv and customers.csv.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def made_up(customers: int = 300, calls: int = 1200) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Calls and customers: string ids, mixed columns, missing values, four segments."""
    rng = np.random.default_rng(0)
    segment = rng.integers(0, 4, customers)
    ids = np.array([f"C{i:05d}" for i in rng.permutation(20000)[:customers]])
    years = (25 + 10 * segment + rng.normal(0, 6, customers)).round()
    age = np.where(rng.random(customers) < 0.1, np.nan, years)
    towns = ["Oslo", "Rome", "Paris", "Lyon", "Turin"]
    city = [None if rng.random() < 0.05 else towns[s + rng.integers(0, 2)] for s in segment]
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, customers), "D")
    nodes = pd.DataFrame(
        {
            "customer_id": ids,
            "age": age,
            "revenue": np.exp(rng.normal(3 + segment, 1)).round(2),
            "city": city,
            "newsletter": rng.random(customers) < 0.2 + 0.2 * segment,
            "signup": days.strftime("%Y-%m-%d"),
            "segment": np.array(["A", "B", "C", "D"])[segment],
        }
    )
    first = rng.integers(0, customers, calls)
    same = [rng.choice(np.flatnonzero(segment == segment[i])) for i in first]
    second = np.where(rng.random(calls) < 0.8, same, rng.integers(0, customers, calls))
    edges = pd.DataFrame({"from_customer": ids[first], "to_customer": ids[second]})
    return edges, nodes


def write_tables(folder: Path, customers: int = 300, calls: int = 1200) -> tuple[Path, Path]:
    """The same as two CSV files."""
    edges, nodes = made_up(customers, calls)
    edges.to_csv(folder / "calls.csv", index=False)
    nodes.to_csv(folder / "customers.csv", index=False)
    return folder / "calls.csv", folder / "customers.csv"


# Three nodes in a row.
EDGES = {"source": ["a", "b"], "target": ["b", "c"]}


def nodes_of(**columns: Any) -> dict[str, Any]:
    return {"id": ["a", "b", "c"], **columns}


if __name__ == "__main__":
    write_tables(Path(), 1500, 6000)
