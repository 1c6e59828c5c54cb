"""A solved model as a plain PyTorch module: filtered features times fixed directions.

Names are those of model.safetensors; docs/python.md lists them with their shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from .errors import DataError, UsageError
from .module_graph import Graph

# As in the core (nn/diffusion.cpp, method/spectral.cpp).
SMALLEST = 1e-12  # sums and lengths below it count as it
LOWEST = 0.01  # share of the mean that a magnitude of 0 counts as


class Part(nn.Module):
    """The embedding of one filter's matrix: its product with the directions, less the offset."""

    def __init__(self, features: int, columns: int) -> None:
        super().__init__()
        self.directions = nn.Parameter(torch.empty(features, columns))
        self.offset = nn.Parameter(torch.empty(columns))

    def forward(self, filtered: Tensor) -> Tensor:
        return filtered @ self.directions - self.offset


class Magnitudes(nn.Module):
    """Standardized logarithms of what the rows lose: their sums after each filter, and degrees."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self.unit: Tensor
        self.mean: Tensor
        self.scale: Tensor
        for name in ("unit", "mean", "scale"):
            self.register_buffer(name, torch.empty(columns))

    def forward(self, columns: Tensor) -> Tensor:
        logs = (columns / self.unit + LOWEST).log()
        return (logs - self.mean) * self.scale


def positive_power(x: Tensor, exponent: float) -> Tensor:
    """x ** exponent where x is positive, else 0: a power below 1 has no derivative at 0."""
    some = x > 0
    return torch.where(some, torch.where(some, x, 1) ** exponent, 0)


class SpectralModule(nn.Module):
    """A run of spectral or diffused as PyTorch operations. `options` are the run's.

    `forward` returns the same as `GraphSurgeon.transform`, up to rounding. It is differentiable in
    all inputs and in the directions; shares and powers count as constant where a value is 0.
    The filtered features are formed whole: N x F values per filter.
    """

    def __init__(
        self,
        shapes: Mapping[str, Sequence[int]],
        filters: list[list[float]],
        options: dict[str, Any],
    ) -> None:
        """`shapes`: of the tensors by name; `filters`: each one's coefficients, hop 0 first."""
        super().__init__()
        if options["encoder"] not in ("gcn", "sage"):
            raise UsageError(
                f"a PyTorch module of encoder '{options['encoder']}' is not implemented",
                "use a run with one of: gcn, sage",
            )
        self.options, self.coefficients = dict(options), filters
        directions = [shapes.get(f"filter.{f}.directions", (0, 0)) for f in range(len(filters))]
        self.filter = nn.ModuleList(Part(*map(int, shape)) for shape in directions)
        self.magnitudes = Magnitudes(len(filters) + 1) if options["magnitudes"] > 0 else None

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """The embeddings. x is N x F; edge_index is 2 x M with sources first, as in PyG.

        DataError if a feature is negative and the run's rows are shares or powers.
        """
        x = x if x.layout == torch.strided else x.to_dense()
        rule = self.options["row-transform"]
        if rule in ("shares", "powers") and bool((x < 0).any()):
            raise DataError(
                f"features: some are negative, so that rows have no {rule} "
                f"(--row-transform {rule})",
                "solve with --row-transform unit",
            )
        graph = Graph(edge_index, edge_weight, x, self.options["encoder"])
        sums = self._filtered(x.abs().sum(1, keepdim=True), graph)
        parts = [
            part(self._rows(filtered, total))
            for part, filtered, total in zip(self.filter, self._filtered(x, graph), sums)
        ]
        if self.magnitudes is not None:
            degrees = graph.degrees.to(x.dtype).unsqueeze(1)
            parts.append(self.magnitudes(torch.cat([*sums, degrees], 1)))
        return torch.cat(parts, 1)

    def _filtered(self, x: Tensor, graph: Graph) -> list[Tensor]:
        """f(A) x of every filter."""
        out = [coefficients[0] * x for coefficients in self.coefficients]
        for hop in range(1, max(map(len, self.coefficients))):
            x = graph(x)
            for f, coefficients in enumerate(self.coefficients):
                if hop < len(coefficients):
                    out[f] = out[f] + coefficients[hop] * x
        return out

    def _rows(self, filtered: Tensor, sums: Tensor) -> Tensor:
        """The rows as the run transforms them."""
        rule = self.options["row-transform"]
        if rule == "none":
            return filtered
        if rule == "shares":
            return positive_power(filtered / sums.clamp_min(SMALLEST), 1 / 2)
        rows = positive_power(filtered, 5 / 8) if rule == "powers" else filtered
        lengths = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
        return rows / lengths.clamp_min(SMALLEST)
