#!/usr/bin/env python3
"""Writes graphsurgeon.npz and layers.npz: the method in PyTorch and PyTorch Geometric.

    make_golden.py [FOLDER]        default: tests/golden beside this tool's folder

Each case of graphsurgeon.npz is a model and a loss on a graph of 12 nodes. It holds, beside what
golden.py lists,
  z1, z2                   both views, training mode, no dropout
  terms                    of the loss: similarity and constraint, weighted

layers.npz holds single convolutions: GATConv's output on such a graph, and the gradients of its sum
weighted by `upstream`.
"""

import itertools

import golden
import numpy as np
import torch
import torch.nn.functional as F
from golden import FEATURES, ISOLATED, NODES, WeightedSage
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, SAGEConv

DEFAULTS = {
    "mode": "post",
    "aug-dim": 6,
    "dim": 5,
    "encoder": "gcn",
    "layers": 2,
    "head-layers": 1,
    "norm": "none",
    "skip": "sum",
    "dropout": 0.0,
    "asymmetric": False,
    "similarity-weight": "1000",
    "constraint": "columns",
    "gamma": 0.7,
}

# name -> (options that differ from the defaults, properties of the data)
CASES = {
    "post": ({}, ()),
    "pre": ({"mode": "pre"}, ()),
    "post_rows": ({"constraint": "rows"}, ()),
    "pre_rows": ({"mode": "pre", "constraint": "rows", "gamma": 20.0}, ()),
    "post_scaled": ({"constraint": "scaled", "gamma": 3.0}, ()),
    "pre_scaled": ({"mode": "pre", "constraint": "scaled"}, ()),
    "post_naive": ({"constraint": "naive"}, ()),
    "pre_naive": ({"mode": "pre", "constraint": "naive"}, ()),
    "post_similarity_sum": ({"similarity-weight": "sum"}, ()),
    "pre_similarity_element": ({"mode": "pre", "similarity-weight": "element", "gamma": 0.01}, ()),
    "pre_wide_rows": ({"mode": "pre", "dim": 14, "constraint": "rows"}, ()),
    "post_wide_columns": ({"dim": 14, "constraint": "columns"}, ()),
    "pre_skip_linear": ({"mode": "pre", "skip": "linear"}, ()),
    "post_skip_linear": ({"skip": "linear"}, ()),
    "pre_skip_none": ({"mode": "pre", "skip": "none"}, ()),
    "post_skip_none": ({"skip": "none", "layers": 3}, ()),
    "pre_one_layer": ({"mode": "pre", "layers": 1}, ()),
    "pre_three_layers": ({"mode": "pre", "layers": 3}, ()),
    "pre_norm_batch": ({"mode": "pre", "norm": "batch"}, ()),
    "post_norm_batch": ({"norm": "batch"}, ()),
    "pre_norm_batch_skip_linear": ({"mode": "pre", "norm": "batch", "skip": "linear"}, ()),
    "pre_norm_layer": ({"mode": "pre", "norm": "layer"}, ()),
    "post_norm_layer": ({"norm": "layer"}, ()),
    "pre_sage": ({"mode": "pre", "encoder": "sage"}, ()),
    "post_sage": ({"encoder": "sage"}, ()),
    "pre_sage_directed_loops": ({"mode": "pre", "encoder": "sage"}, ("directed", "loops")),
    "post_sage_weighted": ({"encoder": "sage"}, ("weighted",)),
    "post_sage_batch_linear": ({"encoder": "sage", "norm": "batch", "skip": "linear"}, ()),
    "pre_weighted": ({"mode": "pre"}, ("weighted",)),
    "post_weighted_loops": ({}, ("weighted", "loops")),
    "pre_directed": ({"mode": "pre"}, ("directed",)),
    "post_directed_weighted": ({}, ("directed", "weighted")),
    "pre_loops": ({"mode": "pre"}, ("loops",)),
    "pre_head_layers": ({"mode": "pre", "head-layers": 2}, ()),
    "post_head_layers": ({"head-layers": 3}, ()),
    "pre_asymmetric": ({"mode": "pre", "asymmetric": True}, ()),
    "post_asymmetric": ({"asymmetric": True}, ()),
    "pre_zero_rows": ({"mode": "pre"}, ("zero_rows",)),
    "pre_zero_rows_naive": ({"mode": "pre", "constraint": "naive"}, ("zero_rows",)),
}

# name -> (heads, width of a head, properties of the data)
ATTENTION_CASES = {
    "gat": (1, 5, ()),
    "gat_heads": (3, 4, ("directed",)),
    "gat_loops": (2, 3, ("directed", "loops")),
}


class Mlp(nn.ModuleList):
    def forward(self, x):
        for i, layer in enumerate(self):
            x = layer(x if i == 0 else F.relu(x))
        return x


def make_head(inputs, outputs, layers):
    if layers == 1:
        return nn.Linear(inputs, outputs)
    return Mlp(nn.Linear(inputs if i == 0 else outputs, outputs) for i in range(layers))


class Encoder(nn.Module):
    def __init__(self, inputs, outputs, options, views, weighted):
        super().__init__()
        kind = GCNConv if options["encoder"] == "gcn" else WeightedSage if weighted else SAGEConv
        widths = [inputs] + [outputs] * options["layers"]
        steps = list(itertools.pairwise(widths))
        self.kind, self.skip, self.norm = kind, options["skip"], options["norm"]
        self.layers = nn.ModuleList(kind(a, b) for a, b in steps)
        if self.skip == "linear":
            self.skips = nn.ModuleList(nn.Linear(a, b) for a, b in steps)
        if self.norm != "none":
            self.norms = nn.ModuleList(nn.Module() for _ in steps)
            for norm in self.norms:
                norm.weight, norm.bias = (
                    nn.Parameter(torch.ones(outputs)),
                    nn.Parameter(torch.zeros(outputs)),
                )
                if self.norm == "batch":  # one row of statistics per view
                    norm.register_buffer("running_mean", torch.zeros(views, outputs))
                    norm.register_buffer("running_var", torch.ones(views, outputs))

    def normalize(self, i, x, view):
        if self.norm == "none":
            return x
        norm = self.norms[i]
        if self.norm == "layer":
            return F.layer_norm(x, x.shape[1:], norm.weight, norm.bias)
        return F.batch_norm(
            x,
            norm.running_mean[view],
            norm.running_var[view],
            norm.weight,
            norm.bias,
            self.training,
        )

    def forward(self, x, edges, weights, view):
        outputs = []
        for i, layer in enumerate(self.layers):
            y = layer(x, edges) if self.kind is SAGEConv else layer(x, edges, weights)
            if self.skip == "linear":
                y = y + self.skips[i](x)
            y = self.normalize(i, y, view)
            x = F.relu(y) if i + 1 < len(self.layers) else y
            outputs.append(x)
        return sum(outputs) if self.skip == "sum" else x


class Model(nn.Module):
    def __init__(self, options, weighted):
        super().__init__()
        self.pre = options["mode"] == "pre"
        width, augmented, out = FEATURES, options["aug-dim"], options["dim"]
        head = (width, augmented) if self.pre else (augmented, out)
        body = (augmented, out) if self.pre else (width, augmented)
        if options["asymmetric"]:
            options = {**options, "norm": "batch"}
        self.heads = nn.ModuleDict(
            {name: make_head(*head, options["head-layers"]) for name in ("first", "second")}
        )
        self.encoder = Encoder(*body, options, 2 if self.pre else 1, weighted)
        self.predictor = make_head(out, out, 2) if options["asymmetric"] else None

    def forward(self, x, edges, weights):
        first, second = self.heads["first"], self.heads["second"]
        if self.pre:
            return self.encoder(first(x), edges, weights, 0), self.encoder(
                second(x), edges, weights, 1
            )
        h = self.encoder(x, edges, weights, 0)
        return first(h), second(h)


def unit_rows(z):
    """Rows shorter than 1e-12 are zero, and so is their gradient."""
    rows = [
        row / row.norm() if float(row.detach().norm()) >= 1e-12 else torch.zeros_like(row)
        for row in z
    ]
    return torch.stack(rows)


def constraint(z, form):
    n, k = z.shape
    if form == "columns":
        return torch.linalg.matrix_norm(z.t() @ z - torch.eye(k))
    if form == "scaled":
        return ((k / n) * z.t() @ z - torch.eye(k)).square().sum()
    return torch.linalg.matrix_norm(z @ z.t() - torch.eye(n))  # rows and naive are the same number


def loss_terms(model, z1, z2, options):
    a, b = unit_rows(model.predictor(z1) if model.predictor else z1), unit_rows(z2)
    weight = {"sum": len(a), "element": 1 / a.shape[1]}.get(options["similarity-weight"])
    if weight is None:
        weight = float(options["similarity-weight"])
    similarity = weight * (a - b).square().sum(1).mean()
    penalty = sum(constraint(z, options["constraint"]) for z in (a, b))
    return similarity, options["gamma"] * penalty


def canceled_names(model):
    if model.encoder.norm != "batch":
        return []
    names = [name for name, _ in model.named_parameters()]
    in_front = ("encoder.layers.", "encoder.skips.")
    return [name for name in names if name.startswith(in_front) and name.endswith("bias")]


def run_case(name, changes, properties):
    options = {**DEFAULTS, **changes}
    edges, weights, features = golden.make_data(golden.seed_by(name), properties)
    x, edge_index = torch.from_numpy(features), torch.from_numpy(edges)
    edge_weight = None if weights is None else torch.from_numpy(weights)
    model = Model(options, weights is not None)
    golden.randomize(model)
    if "zero_rows" in properties:
        for key, value in model.named_parameters():
            if key.endswith("bias"):
                nn.init.zeros_(value)

    def forward():
        z1, z2 = model(x, edge_index, edge_weight)
        similarity, penalty = loss_terms(model, z1, z2, options)
        terms = np.array([similarity.item(), penalty.item()])
        views = {"z1": z1.detach().numpy(), "z2": z2.detach().numpy()}
        return similarity + penalty, views | {"terms": terms}

    def embed():
        return torch.cat(model(x, edge_index, edge_weight), 1)

    arrays = golden.inputs(options, edges, weights, features)
    arrays |= golden.train(model, forward, embed, canceled_names(model))
    zero_rows = np.flatnonzero(np.linalg.norm(arrays["z1"], axis=1) < 1e-12).tolist()
    assert zero_rows == ([ISOLATED] if "zero_rows" in properties else []), (name, zero_rows)
    assert arrays["losses"][-1] != arrays["losses"][0], name
    return arrays


def run_attention_case(name, heads, width, properties):
    edges, _, features = golden.make_data(golden.seed_by(name), properties)
    layer = GATConv(FEATURES, width, heads, bias=False)
    x, upstream = torch.from_numpy(features).requires_grad_(), torch.randn(NODES, heads * width)
    out = layer(x, torch.from_numpy(edges))
    (out * upstream).sum().backward()
    arrays = {
        "edges": edges,
        "features": features,
        "heads": np.array(heads),
        "upstream": upstream.numpy(),
        "output": out.detach().numpy(),
        "gradient.features": x.grad.numpy(),
    }
    for key, value in (
        ("weight", layer.lin.weight),
        ("source", layer.att_src),
        ("target", layer.att_dst),
    ):
        arrays |= {key: value.detach().numpy(), "gradient." + key: value.grad.numpy()}
    return arrays


if __name__ == "__main__":
    golden.write("graphsurgeon", run_case, CASES)
    golden.write("layers", run_attention_case, ATTENTION_CASES)
