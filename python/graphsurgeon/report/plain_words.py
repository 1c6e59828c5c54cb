"""What `inspect` found, in sentences for readers who do not know the method."""

from __future__ import annotations

from typing import Any

from .run import Run


def solved_in_words(run: Run) -> list[str]:
    """What a solved embedding is made of."""
    rows = sorted(run.inspection["filters"], key=lambda row: -row["share"])
    parts = [f"{100 * row['share']:.0f} % {source_in_words(row['filter'])}" for row in rows]
    columns = sum(row["columns"] for row in rows)
    width = run.z.shape[1] if run.z is not None else columns
    rest = width - columns
    first = f"Nothing was trained: {columns:,} of the {width:,} numbers of a node sum up features"
    first += f", the other {rest:,} hold how many features and links it has." if rest else "."
    return [
        f"{first} By share of the embedding's squared length: {listed(parts)}.",
        "Each number weighs features, and large ones set nodes apart that have them. The table "
        "names the features with the largest weights in the most important number of each part. "
        "A minus sign means that the feature pulls the other way.",
    ]


def source_in_words(text: str) -> str:
    """A graph filter, such as pagerank:0.3 or own*0.85."""
    name = text.partition("@")[0].partition("*")[0]
    kind, _, value = name.partition(":")
    if kind == "own":
        return "from the node's own features"
    if kind == "mean":
        return "from the plain mean over its neighborhoods"
    if kind == "pagerank" and value:
        alpha = float(value)
        reach = "close by" if alpha >= 0.25 else "in its wider neighborhood"
        return f"from the features of nodes {reach} (PageRank that returns with {value})"
    return f"from the filter {name}"


def heads_in_words(run: Run) -> list[str]:
    """What the two learned heads do, and how much it changes."""
    found = run.inspection
    gains, agreement = found["gains"], found["agreement"]
    correlation = found["gain_correlation"]
    alike = "almost alike" if correlation > 0.9 else "alike in part" if correlation > 0.5 else ""
    treated = f"treat features {alike}" if alike else "treat features differently"
    out = [
        "The two heads are learned filters: each lets some features of a node through more than "
        "others, which gives two versions, or views, of every node. The encoder learns to find "
        f"both views of a node alike. Here the heads {treated} (their gains correlate by "
        f"{correlation:.2f})."
    ]
    favored = [
        f"the {head} favors the features {names}"
        for head in ("first", "second")
        if (names := listed([str(row["name"]) for row in gains[f"amplified_by_{head}"][:4]]))
    ]
    mean = agreement["mean"]
    degree = "mild" if mean > 0.9 else "moderate" if mean > 0.6 else "strong"
    what = f"Most of all, {listed(favored)}. " if favored else ""
    out.append(
        f"{what}The views of a node agree by {mean:.2f} on average (cosine; 1 is the same), so the "
        f"augmentation is {degree}." + unlike(found)
    )
    return out


def unlike(found: dict[str, Any]) -> str:
    rows = sorted(found.get("classes") or [], key=lambda row: row["agreement"])
    if len(rows) < 2 or rows[-1]["agreement"] - rows[0]["agreement"] < 0.02:
        return ""
    low, high = rows[0], rows[-1]
    return (
        f" It changes nodes of {low['name']} most ({low['agreement']:.2f}) and those of "
        f"{high['name']} least ({high['agreement']:.2f})."
    )


def listed(parts: list[str]) -> str:
    """'a, b and c'."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
