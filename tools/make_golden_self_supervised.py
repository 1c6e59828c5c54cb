#!/usr/bin/env python3
"""Writes self_supervised.npz: self-supervised baselines in PyTorch and PyTorch Geometric.

    make_golden_self_supervised.py [FOLDER]        default: tests/golden beside this tool's folder

Each case is a method on a graph of 12 nodes. Nothing is random: the views' edges and masks, and the
shuffled rows, are part of the case. It holds, beside what golden.py lists,
  order                          rows of the corrupted features (dgi, mvgrl)
  edges1, edges2, mask1, mask2   of the views (the others)
"""

import copy
import itertools
import math

import golden
import torch
import torch.nn.functional as F
from golden import FEATURES, NODES, STEPS
from torch import nn
from torch_geometric.nn import GCNConv

DEFAULTS = {"dim": 5, "hidden": 6, "layers": 2, "norm": "none", "dropout": 0.0, "skip": "none"}
CASES = {
    "dgi": {"method": "dgi", "layers": 1},
    "dgi_two_layers": {"method": "dgi"},
    "mvgrl": {"method": "mvgrl", "layers": 1, "alpha": 0.2, "epsilon": 1e-9, "top-k": NODES},
    "grace": {"method": "grace", "temperature": 0.4, "projection-dim": 4},
    "bgrl": {"method": "bgrl", "norm": "batch", "predictor-dim": 7, "momentum": 0.9},
    "cca-ssg": {"method": "cca-ssg", "decorrelation": 0.02},
}


class Encoder(nn.Module):
    def __init__(self, options, activation, activate_last):
        super().__init__()
        widths = [FEATURES] + [options["hidden"]] * (options["layers"] - 1) + [options["dim"]]
        steps = list(itertools.pairwise(widths))
        self.layers = nn.ModuleList(GCNConv(a, b) for a, b in steps)
        self.activation, self.activate_last, self.batch = (
            activation,
            activate_last,
            options["norm"] == "batch",
        )
        if activation == "prelu":
            count = len(steps) if activate_last else len(steps) - 1
            self.slopes = nn.ParameterList(
                nn.Parameter(torch.full((1,), 0.25)) for _ in range(count)
            )
        if self.batch:
            self.norms = nn.ModuleList(nn.Module() for _ in steps)
            for norm, (_, out) in zip(self.norms, steps):
                norm.weight, norm.bias = (
                    nn.Parameter(torch.ones(out)),
                    nn.Parameter(torch.zeros(out)),
                )
                norm.register_buffer("running_mean", torch.zeros(1, out))
                norm.register_buffer("running_var", torch.ones(1, out))

    def propagate(self, layer, x, graph):
        if graph.dtype == torch.int64:
            return layer(x, graph)
        return graph @ layer.lin(x) + layer.bias  # a dense matrix

    def forward(self, x, graph):
        for i, layer in enumerate(self.layers):
            x = self.propagate(layer, x, graph)
            if self.batch:
                norm = self.norms[i]
                x = F.batch_norm(
                    x,
                    norm.running_mean[0],
                    norm.running_var[0],
                    norm.weight,
                    norm.bias,
                    self.training,
                )
            if self.activate_last or i + 1 < len(self.layers):
                x = F.prelu(x, self.slopes[i]) if self.activation == "prelu" else F.relu(x)
        return x


class Discriminator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, width).uniform_(-0.5, 0.5))

    def forward(self, rows, vector):
        return rows @ (self.weight @ vector)


def summary(h):
    return torch.sigmoid(h.mean(0))


def discrimination_loss(true, false):
    return (
        F.binary_cross_entropy_with_logits(true, torch.ones_like(true))
        + F.binary_cross_entropy_with_logits(false, torch.zeros_like(false))
    ) / 2


class Method(nn.Module):
    def start(self):
        """Called when the weights have their first values."""

    def after(self, step):
        """Called after each step of the optimizer."""

    def embed(self, case):
        return self.encoder(case.x, case.edges)


class Dgi(Method):
    def __init__(self, options):
        super().__init__()
        self.encoder = Encoder(options, "prelu", True)
        self.discriminator = Discriminator(options["dim"])

    def loss(self, case):
        h, corrupted = (
            self.encoder(case.x, case.edges),
            self.encoder(case.x[case.order], case.edges),
        )
        s = summary(h)
        return discrimination_loss(self.discriminator(h, s), self.discriminator(corrupted, s))


class Mvgrl(Method):
    def __init__(self, options):
        super().__init__()
        self.structure, self.diffusion = (
            Encoder(options, "prelu", True),
            Encoder(options, "prelu", True),
        )
        self.discriminator, self.alpha = Discriminator(options["dim"]), options["alpha"]

    def diffused(self, case):
        a = torch.eye(NODES)
        a[case.edges[1], case.edges[0]] = 1
        scale = a.sum(1).rsqrt()
        a = scale[:, None] * a * scale
        return self.alpha * torch.linalg.inv(torch.eye(NODES) - (1 - self.alpha) * a)

    def loss(self, case):
        s = self.diffused(case)
        h1, h2 = self.structure(case.x, case.edges), self.diffusion(case.x, s)
        h3, h4 = (
            self.structure(case.x[case.order], case.edges),
            self.diffusion(case.x[case.order], s),
        )
        d, s1, s2 = self.discriminator, summary(h1), summary(h2)
        return (
            discrimination_loss(d(h1, s2), d(h3, s2)) + discrimination_loss(d(h2, s1), d(h4, s1))
        ) / 2

    def embed(self, case):
        return self.structure(case.x, case.edges) + self.diffusion(case.x, self.diffused(case))


class Grace(Method):
    def __init__(self, options):
        super().__init__()
        width = options["projection-dim"]
        self.encoder = Encoder(options, "prelu", True)
        self.projection = nn.ModuleList([nn.Linear(options["dim"], width), nn.Linear(width, width)])
        self.temperature = options["temperature"]

    def project(self, h):
        return F.normalize(self.projection[1](F.elu(self.projection[0](h))), dim=1)

    def one_side(self, a, b):
        between, within = (
            torch.exp(a @ b.t() / self.temperature),
            torch.exp(a @ a.t() / self.temperature),
        )
        return -torch.log(between.diag() / (between.sum(1) + within.sum(1) - within.diag()))

    def loss(self, case):
        a, b = (self.project(self.encoder(case.x * mask, edges)) for edges, mask in case.views)
        return (self.one_side(a, b) + self.one_side(b, a)).mean() / 2


class Bgrl(Method):
    def __init__(self, options):
        super().__init__()
        self.encoder = Encoder(options, "prelu", True)
        self.predictor = nn.Module()
        self.predictor.add_module("0", nn.Linear(options["dim"], options["predictor-dim"]))
        self.predictor.add_module("1", nn.Linear(options["predictor-dim"], options["dim"]))
        self.predictor.slope = nn.Parameter(torch.full((1,), 0.25))
        self.momentum = options["momentum"]

    def start(self):
        self.target = copy.deepcopy(self.encoder).requires_grad_(False)

    def predict(self, h):
        hidden, out = getattr(self.predictor, "0"), getattr(self.predictor, "1")
        return out(F.prelu(hidden(h), self.predictor.slope))

    def loss(self, case):
        inputs = [(case.x * mask, edges) for edges, mask in case.views]
        online = [self.predict(self.encoder(*view)) for view in inputs]
        target = [self.target(*view).detach() for view in inputs]
        return 2 - sum(F.cosine_similarity(online[i], target[1 - i]).mean() for i in (0, 1))

    def after(self, step):
        tau = 1 - (1 - self.momentum) * (math.cos(math.pi * step / (STEPS - 1)) + 1) / 2
        with torch.no_grad():
            for mine, theirs in zip(self.target.parameters(), self.encoder.parameters()):
                mine.mul_(tau).add_(theirs, alpha=1 - tau)


class CcaSsg(Method):
    def __init__(self, options):
        super().__init__()
        self.encoder, self.weight = Encoder(options, "relu", False), options["decorrelation"]

    def loss(self, case):
        a, b = (self.encoder(case.x * mask, edges) for edges, mask in case.views)
        a, b = ((z - z.mean(0)) / z.std(0, correction=0) / math.sqrt(NODES) for z in (a, b))

        def apart(z):
            return (z.t() @ z - torch.eye(z.shape[1])).square().sum()

        return (a - b).square().sum() + self.weight * (apart(a) + apart(b))


METHODS = {"dgi": Dgi, "mvgrl": Mvgrl, "grace": Grace, "bgrl": Bgrl, "cca-ssg": CcaSsg}


class Case:
    def __init__(self, options, random):
        edges, weights, features = golden.make_data(random, ())
        self.arrays = golden.inputs(options, edges, weights, features)
        self.arrays["order"] = random.permutation(NODES)
        for i in (1, 2):  # both directions of a pair are dropped together
            kept = {tuple(sorted(edge)): random.random() >= 0.3 for edge in edges.T.tolist()}
            self.arrays[f"edges{i}"] = edges[
                :, [kept[tuple(sorted(edge))] for edge in edges.T.tolist()]
            ]
            self.arrays[f"mask{i}"] = (random.random(FEATURES) >= 0.3).astype(float)

        def tensor(name):
            return torch.from_numpy(self.arrays[name])

        self.x, self.edges, self.order = tensor("features"), tensor("edges"), tensor("order")
        self.views = [(tensor(f"edges{i}"), tensor(f"mask{i}")) for i in (1, 2)]


def canceled_names(options, model):
    if options["method"] == "cca-ssg":  # columns lose their mean
        return [f"encoder.layers.{options['layers'] - 1}.bias"]
    if options["norm"] != "batch":
        return []
    names = [name for name, _ in model.named_parameters()]
    return [n for n in names if n.startswith("encoder.layers.") and n.endswith("bias")]


def run_case(name, changes):
    options = {**DEFAULTS, **changes}
    case = Case(options, golden.seed_by(name))
    model = METHODS[options["method"]](options)
    golden.randomize(model)
    model.start()
    arrays = case.arrays | golden.train(
        model,
        lambda: (model.loss(case), {}),
        lambda: model.embed(case),
        canceled_names(options, model),
        model.after,
    )
    assert arrays["losses"][-1] < arrays["losses"][0], name
    return arrays


if __name__ == "__main__":
    golden.write("self_supervised", run_case, {name: (changes,) for name, changes in CASES.items()})
