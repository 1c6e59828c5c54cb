"""The first split of the linear protocol, as `eval` makes it (src/dataset/splits.cpp): the same nodes, from the same
counter-based random numbers (Philox 4x32, src/base/random.h). A test compares it with the program's own scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from .graph import Graph

MASK = 0xFFFFFFFF


@dataclass
class Split:
    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray
    text: str  # which it is, in words


def philox(key: int, low: np.ndarray, high: int = 0) -> np.ndarray:
    """The blocks [n, 4] at the counters `low`."""
    k0, k1 = key & MASK, key >> 32
    low = np.asarray(low, np.uint64)
    c = [low & np.uint64(MASK), low >> np.uint64(32)]
    c += [np.full_like(low, high & MASK), np.full_like(low, high >> 32)]
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [
            (p1 >> np.uint64(32)) ^ c[1] ^ np.uint64(k0),
            p1 & np.uint64(MASK),
            (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(k1),
            p0 & np.uint64(MASK),
        ]
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return np.stack(c, 1)


def mix(a: int, b: int) -> int:
    block = philox(a, np.array([b], np.uint64), 0x6A09E667F3BCC908)[0]
    return int(block[0]) << 32 | int(block[1])


def stream_key(seed: int, purpose: str, index: int) -> int:
    digest = 0xCBF29CE484222325  # FNV-1a
    for byte in purpose.encode():
        digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return mix(mix(seed & 0xFFFFFFFFFFFFFFFF, digest), index)


def draws(key: int) -> Iterator[int]:
    begin = 0
    while True:
        yield from philox(key, np.arange(begin, begin + 4096, dtype=np.uint64)).reshape(-1).tolist()
        begin += 4096


def shuffle(values: list[int], bits: Iterator[int]) -> None:
    for i in range(len(values), 1, -1):
        product = next(bits) * i
        if product & MASK < i:
            threshold = (1 << 32) % i
            while product & MASK < threshold:
                product = next(bits) * i
        j = product >> 32
        values[i - 1], values[j] = values[j], values[i - 1]


def first_split(graph: Graph, spec: str, seed: int) -> Split:
    """Split 0 of what --splits takes. DataError when the graph has no such split."""
    kind, _, argument = spec.partition(":")
    if kind in ("own", "public") or (kind == "auto" and graph.splits is not None):
        number = int(argument or 0)
        if graph.splits is None or number >= len(graph.splits):
            raise DataError(f"{graph.name} has no split {number} of its own")
        return own_split(graph, number)
    bits = draws(stream_key(seed, "split", 0))
    nodes = np.flatnonzero(graph.known)
    if kind == "per-class":
        counts = [int(word) for word in argument.split("/")] + [30]
        parts = per_class(graph, nodes, counts[0], counts[1], bits)
    else:
        parts = random_parts(nodes, argument or "5/15/80", bits)
    text = f"the first {'random:5/15/80' if kind == 'auto' else spec} split, seed {seed}"
    return Split(*(np.sort(np.array(part, np.int64)) for part in parts), text)


def own_split(graph: Graph, number: int) -> Split:
    row = np.where(graph.known, graph.splits[number], 0)
    return Split(*(np.flatnonzero(row == part) for part in (1, 2, 3)), f"the data's own split {number}")


def random_parts(nodes: np.ndarray, argument: str, bits: Iterator[int]) -> list[list[int]]:
    order, count = nodes.tolist(), len(nodes)
    if count < 3:
        raise DataError(f"{count} labelled nodes are too few for a split")
    shuffle(order, bits)
    percents = [float(word) for word in argument.split("/")]

    def share(percent: float) -> int:
        return math.floor(count * percent / 100 + 1e-6)

    train = min(max(share(percents[0]), 1), count - 2)
    val = min(max(share(percents[0] + percents[1]), train + 1), count - 1)
    test = min(max(share(percents[0] + percents[1] + percents[2]), val + 1), count)
    return [order[:train], order[train:val], order[val:test]]


def per_class(graph: Graph, nodes: np.ndarray, train: int, val: int, bits: Iterator[int]) -> list[list[int]]:
    parts: list[list[int]] = [[], [], []]
    for c in range(graph.classes):
        members = nodes[graph.labels[nodes] == c].tolist()
        shuffle(members, bits)
        for part, piece in zip(parts, (members[:train], members[train : train + val], members[train + val :])):
            part += piece
    return parts
