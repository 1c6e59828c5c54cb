"""A trained model as a plain PyTorch module: to fine-tune, or to put into something larger.

Parameters have the names that model.safetensors has (docs/python.md lists them), so `state_dict` and file agree:

    heads.first.weight, heads.first.bias         D x F in pre mode, K x D in post; heads.first.0.weight ... if several
    heads.second...                              the same
    encoder.layers.L.lin.weight, .bias           GCN
    encoder.layers.L.lin_l.weight, .bias, lin_r.weight    SAGE: neighbours, and the node itself
    encoder.skips.L.weight, .bias                with skip="linear"
    encoder.norms.L.weight, .bias, .running_mean, .running_var    the last two V x K, a row a view
    predictor.0.weight ...                       of the asymmetric variant; not used by embeddings
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from .errors import DataError, UsageError
from .estimator import GraphSurgeon
from .run_folder import read_model

# Options that treat the data before the model sees it, and the values with which a graph from memory stays as it is.
UNTREATED = {"features": ("auto", "raw"), "symmetrize": ("auto", "no"), "self-loops": ("auto", "keep")}


class Graph:
    """The weights of neighbours: row v of `matrix` holds those of v's sources. They are of the type of `x`."""

    def __init__(self, edge_index: Tensor, edge_weight: Tensor | None, x: Tensor, encoder: str) -> None:
        nodes = x.shape[0]
        source, target, weight = _merged(edge_index, edge_weight, nodes, x.dtype)
        if encoder == "gcn":
            every = torch.arange(nodes, device=source.device)
            without = every[~torch.isin(every, source[source == target])]
            source, target = torch.cat([source, without]), torch.cat([target, without])
            weight = torch.cat([weight, weight.new_ones(len(without))])
        degree = weight.new_zeros(nodes).index_add(0, target, weight)
        scale = torch.where(degree > 0, degree ** (-0.5 if encoder == "gcn" else -1.0), 0.0)
        weight = weight * scale[target] * (scale[source] if encoder == "gcn" else 1)
        place, shape = torch.stack([target, source]), (nodes, nodes)
        self.matrix = torch.sparse_coo_tensor(place, weight, shape, check_invariants=False).coalesce()

    def __call__(self, x: Tensor) -> Tensor:
        return torch.sparse.mm(self.matrix, x)


def _merged(
    edge_index: Tensor, weight: Tensor | None, nodes: int, dtype: torch.dtype
) -> tuple[Tensor, Tensor, Tensor]:
    """Every edge once, as the core keeps them: weights of repeated ones add up, without weights they are one."""
    strangers = edge_index[(edge_index < 0) | (edge_index >= nodes)]
    if len(strangers):
        raise DataError(f"edge_index names node {int(strangers[0])}, but there are {nodes} nodes", "ids count from 0")
    keys, place = torch.unique(edge_index[1] * nodes + edge_index[0], return_inverse=True)
    if weight is None:
        merged = torch.ones(len(keys), device=keys.device, dtype=dtype)
    else:
        weight = weight.to(dtype)
        merged = weight.new_zeros(len(keys)).index_add(0, place, weight)
    return keys % nodes, keys // nodes, merged


class Mlp(nn.Module):
    """Linear maps with ReLU between; one alone has no number in its name."""

    def __init__(self, inputs: int, outputs: int, layers: int) -> None:
        super().__init__()
        self.depth = layers
        if layers == 1:
            self.weight = nn.Parameter(torch.empty(outputs, inputs))
            self.bias = nn.Parameter(torch.empty(outputs))
        else:
            for i in range(layers):
                self.add_module(str(i), nn.Linear(outputs if i else inputs, outputs))

    def forward(self, x: Tensor) -> Tensor:
        if self.depth == 1:
            return functional.linear(x, self.weight, self.bias)
        for i, layer in enumerate(self.children()):
            x = layer(x.relu() if i else x)
        return x


class Gcn(nn.Module):
    """x' = A (x W') + b, A being symmetrically normalised."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.lin = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.empty(outputs))

    def forward(self, x: Tensor, graph: Graph) -> Tensor:
        return graph(self.lin(x)) + self.bias


class Sage(nn.Module):
    """x' = mean of neighbours W_l' + b + x W_r'."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.lin_l = nn.Linear(inputs, outputs)
        self.lin_r = nn.Linear(inputs, outputs, bias=False)

    def forward(self, x: Tensor, graph: Graph) -> Tensor:
        return graph(functional.linear(x, self.lin_l.weight)) + self.lin_l.bias + self.lin_r(x)


class ViewBatchNorm(nn.Module):
    """Batch norm with one gain and shift, and running statistics of each view's own."""

    def __init__(self, width: int, views: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.running_mean: Tensor
        self.running_var: Tensor
        self.register_buffer("running_mean", torch.zeros(views, width))
        self.register_buffer("running_var", torch.ones(views, width))

    def forward(self, x: Tensor, view: int) -> Tensor:
        training = self.training and len(x) > 1
        mean, variance = self.running_mean[view], self.running_var[view]
        return functional.batch_norm(x, mean, variance, self.weight, self.bias, training, 0.1, 1e-5)


class Encoder(nn.Module):
    """The shared graph encoder: convolution, norm, ReLU (not on the last layer), dropout, joined by the skip rule."""

    def __init__(self, inputs: int, outputs: int, views: int, options: dict[str, Any]) -> None:
        super().__init__()
        self.skip, self.dropout = options["skip"], options["dropout"]
        widths = [inputs] + [outputs] * options["layers"]
        pairs = list(zip(widths, widths[1:]))
        convolution = Gcn if options["encoder"] == "gcn" else Sage
        self.layers = nn.ModuleList(convolution(i, o) for i, o in pairs)
        self.skips = nn.ModuleList(nn.Linear(i, o) for i, o in pairs) if self.skip == "linear" else None
        norm = "batch" if options["asymmetric"] else options["norm"]
        self.norms = None
        if norm == "batch":
            self.norms = nn.ModuleList(ViewBatchNorm(outputs, views) for _ in pairs)
        elif norm == "layer":
            self.norms = nn.ModuleList(nn.LayerNorm(outputs) for _ in pairs)

    def forward(self, x: Tensor, graph: Graph, view: int = 0) -> Tensor:
        total = None
        for i, layer in enumerate(self.layers):
            h = layer(x, graph)
            if self.skips is not None:
                h = h + self.skips[i](x)
            if self.norms is not None:
                norm = self.norms[i]
                h = norm(h, view) if isinstance(norm, ViewBatchNorm) else norm(h)
            if i + 1 < len(self.layers):
                h = h.relu()
            x = functional.dropout(h, self.dropout, self.training)
            total = x if total is None or self.skip != "sum" else total + x
        assert total is not None
        return total


class EncoderModule(nn.Module):
    """A trained model as PyTorch operations. `options` are the run's own, by their names in options.json.

    In evaluation mode `forward` gives what `GraphSurgeon.transform` gives, up to rounding; in training mode it has the
    dropout of the run. It is differentiable in everything, edge weights included.
    """

    def __init__(self, features: int, options: dict[str, Any]) -> None:
        super().__init__()
        self.options = dict(options)
        self.pre = options["mode"] == "pre"
        d, k = options["aug-dim"], options["dim"]
        sizes = (features, d, options["head-layers"]) if self.pre else (d, k, options["head-layers"])
        self.heads = nn.ModuleDict({"first": Mlp(*sizes), "second": Mlp(*sizes)})
        self.encoder = Encoder(*((d, k, 2) if self.pre else (features, d, 1)), options)
        self.predictor = Mlp(k, k, 2) if options["asymmetric"] else None

    def views(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Both views' embeddings, N x K each."""
        graph = Graph(edge_index, edge_weight, x, self.options["encoder"])
        if self.pre:
            first, second = (self.encoder(self._head(name, x), graph, v) for v, name in enumerate(self.heads))
        else:
            encoded = self.encoder(x, graph)
            first, second = (self._head(name, encoded) for name in self.heads)
        return first, second

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """The embeddings: x is N x F, edge_index 2 x M with sources first, as in PyTorch Geometric."""
        first, second = self.views(x, edge_index, edge_weight)
        rule = self.options["combine"]
        if rule == "concat":
            return torch.cat([first, second], 1)
        return first if rule == "first" else (first + second) / (2 if rule == "mean" else 1)

    def _head(self, name: str, x: Tensor) -> Tensor:
        return functional.dropout(self.heads[name](x), self.options["dropout"], self.training)


def torch_module(run: GraphSurgeon | str | os.PathLike[str]) -> EncoderModule:
    """The trained model of a fitted estimator, a run folder or a .safetensors file in one, in evaluation mode."""
    if isinstance(run, GraphSurgeon):
        run._check_fitted()
    file = run.run_ if isinstance(run, GraphSurgeon) else os.fspath(run)  # a temporary folder lives as long as `run`
    if os.path.isdir(file):
        file = os.path.join(file, "model.safetensors")
    model = read_model(file)
    method = model.options["method"]
    if method != "graphsurgeon":
        raise UsageError(f"{file}: is a model of {method}", "torch_module is there for graphsurgeon's own models")
    treated = [name for name, plain in UNTREATED.items() if model.options[name] not in plain]
    if treated:
        warnings.warn(
            f"the run treated its data ({', '.join(treated)}): give the module features and edges treated alike",
            stacklevel=2,
        )
    module = EncoderModule(model.features, model.options)
    try:
        module.load_state_dict({name: torch.from_numpy(values.copy()) for name, values in model.tensors.items()})
    except RuntimeError:
        raise DataError(f"{file}: its tensors are not those that its options tell of", "is it damaged?") from None
    return module.eval()
