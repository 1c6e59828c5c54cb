"""A run's model as a plain PyTorch module, to fine-tune or to use inside a larger model.

Parameters have the same names as in model.safetensors; docs/python.md lists names and shapes.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ._load import core
from .errors import DataError, UsageError
from .estimator import GraphSurgeon
from .module_graph import Graph
from .module_spectral import SpectralModule

# Options that preprocess the data, and the values that leave a graph from memory unchanged.
UNCHANGED = {
    "features": ("auto", "raw"),
    "symmetrize": ("auto", "no"),
    "self-loops": ("auto", "keep"),
}


class Mlp(nn.Module):
    """Linear maps with ReLU between them; a single one has no number in its name."""

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
    """x' = A (x W') + b, where A is symmetrically normalized."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.lin = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.empty(outputs))

    def forward(self, x: Tensor, graph: Graph) -> Tensor:
        return graph(self.lin(x)) + self.bias


class Sage(nn.Module):
    """x' = mean(neighbors) W_l' + b + x W_r'."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.lin_l = nn.Linear(inputs, outputs)
        self.lin_r = nn.Linear(inputs, outputs, bias=False)

    def forward(self, x: Tensor, graph: Graph) -> Tensor:
        return graph(functional.linear(x, self.lin_l.weight)) + self.lin_l.bias + self.lin_r(x)


class ViewBatchNorm(nn.Module):
    """Batch norm with shared gain and shift, and separate running statistics per view."""

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
    """The shared graph encoder.

    Each layer: convolution, norm, ReLU (not on the last layer), dropout; joined by the skip rule.
    """

    def __init__(self, inputs: int, outputs: int, views: int, options: dict[str, Any]) -> None:
        super().__init__()
        self.skip, self.dropout = options["skip"], options["dropout"]
        widths = [inputs] + [outputs] * options["layers"]
        pairs = list(pairwise(widths))
        convolutions: dict[str, type[nn.Module]] = {"gcn": Gcn, "sage": Sage}
        if options["encoder"] not in convolutions:
            raise UsageError(
                f"a PyTorch module of encoder '{options['encoder']}' is not implemented",
                f"use a run with one of: {', '.join(convolutions)}",
            )
        convolution = convolutions[options["encoder"]]
        self.layers = nn.ModuleList(convolution(i, o) for i, o in pairs)
        self.skips = None
        if self.skip == "linear":
            self.skips = nn.ModuleList(nn.Linear(i, o) for i, o in pairs)
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
    """A trained model as PyTorch operations. `options` are the run's, named as in options.json.

    In evaluation mode `forward` returns the same as `GraphSurgeon.transform`, up to rounding; in
    training mode it applies the run's dropout. It is differentiable in all inputs, including edge
    weights.
    """

    def __init__(self, features: int, options: dict[str, Any]) -> None:
        super().__init__()
        self.options = dict(options)
        self.pre = options["mode"] == "pre"
        d, k = options["aug-dim"], options["dim"]
        before, after = (features, d) if self.pre else (d, k)
        heads = {name: Mlp(before, after, options["head-layers"]) for name in ("first", "second")}
        self.heads = nn.ModuleDict(heads)
        inputs, outputs, views = (d, k, 2) if self.pre else (features, d, 1)
        self.encoder = Encoder(inputs, outputs, views, options)
        self.predictor = Mlp(k, k, 2) if options["asymmetric"] else None

    def views(
        self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The embeddings of both views, N x K each."""
        graph = Graph(edge_index, edge_weight, x, self.options["encoder"])
        if self.pre:
            first = self.encoder(self._head("first", x), graph, 0)
            return first, self.encoder(self._head("second", x), graph, 1)
        encoded = self.encoder(x, graph)
        return self._head("first", encoded), self._head("second", encoded)

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """The embeddings. x is N x F; edge_index is 2 x M with sources first, as in PyG."""
        first, second = self.views(x, edge_index, edge_weight)
        rule = self.options["combine"]
        if rule == "concat":
            return torch.cat([first, second], 1)
        return first if rule == "first" else (first + second) / (2 if rule == "mean" else 1)

    def _head(self, name: str, x: Tensor) -> Tensor:
        return functional.dropout(self.heads[name](x), self.options["dropout"], self.training)


def torch_module(
    run: GraphSurgeon | str | os.PathLike[str],
) -> EncoderModule | SpectralModule:
    """The model of a fitted estimator, a run folder or a .safetensors file in one.

    A run of graphsurgeon gives an `EncoderModule`, one of spectral or diffused a `SpectralModule`.
    Both are called as `module(x, edge_index, edge_weight=None)`, and returned in evaluation mode.
    """
    if isinstance(run, GraphSurgeon):
        run._check_fitted()
        file = core.RunFolder(run.run_).model
    else:
        file = os.fspath(run)
        if os.path.isdir(file):
            file = core.RunFolder(file).model
    model = core.model(file)
    changed = [name for name, plain in UNCHANGED.items() if model["options"][name] not in plain]
    module = _module_of(model, file)
    if changed:
        warnings.warn(
            f"the run preprocessed its data ({', '.join(changed)}): "
            "pass features and edges preprocessed in the same way to the module",
            stacklevel=2,
        )
    tensors = {name: torch.from_numpy(values.copy()) for name, values in model["tensors"].items()}
    try:
        module.load_state_dict(tensors)
    except RuntimeError:
        message = f"{file}: its tensors do not match its options"
        raise DataError(message, "the file may be damaged") from None
    return module.eval()


def _module_of(model: Mapping[str, Any], file: str) -> EncoderModule | SpectralModule:
    """The module of a model's shape, without its values."""
    method = model["options"]["method"]
    if method == "graphsurgeon":
        return EncoderModule(model["features"], model["options"])
    if method in ("spectral", "diffused"):
        shapes = {name: values.shape for name, values in model["tensors"].items()}
        return SpectralModule(shapes, model["filters"], model["options"])
    raise UsageError(
        f"{file}: is a {method} model",
        "torch_module supports the methods graphsurgeon, spectral and diffused",
    )
