"""The graph of a PyTorch module: edges merged and normalized as in the core."""

from __future__ import annotations

import torch
from torch import Tensor

from .errors import DataError


class Graph:
    """The normalized adjacency: row v of `matrix` holds the weights of v's sources.

    `degrees`: the number of edges into each node, without the loops that a GCN adds.
    """

    def __init__(
        self, edge_index: Tensor, edge_weight: Tensor | None, x: Tensor, encoder: str
    ) -> None:
        nodes = x.shape[0]
        source, target, weight = merged_edges(edge_index, edge_weight, nodes, x.dtype)
        self.degrees = torch.bincount(target, minlength=nodes)
        if encoder == "gcn":
            every = torch.arange(nodes, device=source.device)
            loops = every[~torch.isin(every, source[source == target])]
            source, target = torch.cat([source, loops]), torch.cat([target, loops])
            weight = torch.cat([weight, weight.new_ones(len(loops))])
        degree = weight.new_zeros(nodes).index_add(0, target, weight)
        scale = torch.where(degree > 0, degree ** (-0.5 if encoder == "gcn" else -1.0), 0.0)
        weight = weight * scale[target] * (scale[source] if encoder == "gcn" else 1)
        self.matrix = torch.sparse_coo_tensor(
            torch.stack([target, source]), weight, (nodes, nodes), check_invariants=False
        ).coalesce()

    def __call__(self, x: Tensor) -> Tensor:
        return torch.sparse.mm(self.matrix, x)


def merged_edges(
    edge_index: Tensor, weight: Tensor | None, nodes: int, dtype: torch.dtype
) -> tuple[Tensor, Tensor, Tensor]:
    """Every edge once, as in the core. Weights of repeated edges add up; the default is 1."""
    outside = edge_index[(edge_index < 0) | (edge_index >= nodes)]
    if len(outside):
        message = f"edge_index names node {int(outside[0])}, but there are {nodes} nodes"
        raise DataError(message, "ids count from 0")
    keys, position = torch.unique(edge_index[1] * nodes + edge_index[0], return_inverse=True)
    if weight is None:
        merged = torch.ones(len(keys), device=keys.device, dtype=dtype)
    else:
        weight = weight.to(dtype)
        merged = weight.new_zeros(len(keys)).index_add(0, position, weight)
    return keys % nodes, keys // nodes, merged
