#!/usr/bin/env python3
"""Writes classifiers.npz: supervised methods in PyTorch and PyTorch Geometric.

    make_classifier_golden.py [FOLDER]        default: tests/golden beside this tool's folder

Each case is a method on a graph of 12 nodes. It holds, beside what golden.py lists (with a weight
decay of .0005; the embedding is the logits of every node),
  labels, train            class ids [N], or zeros and ones [N, C]; ids of the training nodes
  logits                   of the training nodes, no dropout
"""

import itertools
import math

import golden
import numpy as np
import torch
import torch.nn.functional as F
from golden import FEATURES, ISOLATED, NODES, WeightedSage
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, SAGEConv

CLASSES, WEIGHT_DECAY = 3, 5e-4
TRAIN = [0, 2, 3, 5, 7, 8, ISOLATED]
DEFAULTS = {
    "method": "gcn",
    "encoder": "gcn",
    "hidden": 6,
    "layers": 2,
    "norm": "none",
    "skip": "none",
    "dropout": 0.0,
    "heads": 2,
    "attention-dropout": 0.0,
    "alpha": 0.25,
    "epsilon": 1e-9,
    "top-k": 4,
}

# name -> (options that differ from the defaults, properties of the data)
CASES = {
    "gcn": ({}, ()),
    "gcn_one_layer": ({"layers": 1}, ()),
    "gcn_three_layers_skip": ({"layers": 3, "skip": "linear"}, ()),
    "gcn_directed_weighted": ({}, ("directed", "weighted")),
    "gcn_multilabel": ({}, ("multilabel",)),
    "sage": ({"method": "graphsage", "encoder": "sage"}, ()),
    "sage_directed": ({"method": "graphsage", "encoder": "sage", "layers": 3}, ("directed",)),
    "sage_weighted_multilabel": (
        {"method": "graphsage", "encoder": "sage"},
        ("weighted", "multilabel"),
    ),
    "gat": ({"method": "gat", "encoder": "gat"}, ()),
    "gat_directed_loops": (
        {"method": "gat", "encoder": "gat", "heads": 3, "layers": 3},
        ("directed", "loops"),
    ),
    "gat_one_head_multilabel": ({"method": "gat", "encoder": "gat", "heads": 1}, ("multilabel",)),
    "pprgo": ({"method": "pprgo", "encoder": "sage"}, ("weighted",)),
    "pprgo_directed_multilabel": (
        {"method": "pprgo", "encoder": "sage", "layers": 3, "alpha": 0.5},
        ("directed", "weighted", "multilabel"),
    ),
}


class Encoder(nn.Module):
    def __init__(self, options, weighted):
        super().__init__()
        widths = [FEATURES] + [options["hidden"]] * (options["layers"] - 1) + [CLASSES]
        steps = list(itertools.pairwise(widths))
        heads = [options["heads"]] * (options["layers"] - 1) + [1]
        self.kind = options["encoder"]
        self.weighted = weighted
        sage = WeightedSage if weighted else SAGEConv
        self.layers = nn.ModuleList(
            GATConv(a, b // h, heads=h)
            if self.kind == "gat"
            else GCNConv(a, b)
            if self.kind == "gcn"
            else sage(a, b)
            for (a, b), h in zip(steps, heads)
        )
        if options["skip"] == "linear":
            self.skips = nn.ModuleList(nn.Linear(a, b) for a, b in steps)

    def forward(self, x, edges, weights):
        for i, layer in enumerate(self.layers):
            y = (
                layer(x, edges, weights)
                if self.weighted and self.kind != "gat"
                else layer(x, edges)
            )
            if hasattr(self, "skips"):
                y = y + self.skips[i](x)
            last = i + 1 == len(self.layers)
            x = y if last else F.elu(y) if self.kind == "gat" else F.relu(y)
        return x


class Gnn(nn.Module):
    def __init__(self, options, edges, weights, train):
        super().__init__()
        self.encoder = Encoder(options, weights is not None)
        self.edges, self.weights, self.train_nodes = edges, weights, train

    def train_logits(self, x):
        return self.encoder(x, self.edges, self.weights)[self.train_nodes]

    def all_logits(self, x):
        return self.encoder(x, self.edges, self.weights)


class PprGo(nn.Module):
    def __init__(self, options, edges, weights, train):
        super().__init__()
        widths = [FEATURES] + [options["hidden"]] * (options["layers"] - 1) + [CLASSES]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(widths))
        self.alpha = options["alpha"]
        mean = torch.zeros(NODES, NODES).index_put((edges[1], edges[0]), weights)
        self.mean = mean / mean.sum(1, keepdim=True).clamp(min=1e-300)
        self.top = self.largest(self.scores(train), options["top-k"])

    def scores(self, train):
        """pi of each target node; a walk that reaches a node without sources restarts."""
        rows = []
        for seed in train:
            restart = F.one_hot(torch.tensor(seed), NODES).double()
            walk = torch.where(self.mean.sum(1, keepdim=True) > 0, self.mean, restart)
            rows.append(
                self.alpha
                * torch.linalg.solve(torch.eye(NODES) - (1 - self.alpha) * walk.t(), restart)
            )
        return torch.stack(rows)

    @staticmethod
    def largest(scores, count):
        best = scores.sort(1, descending=True).values
        gaps = best[:, count - 1] - best[:, count]
        assert bool(((gaps > 1e-6) | (best[:, count - 1] == 0)).all()), "a tie at the last place"
        return torch.where(scores >= best[:, count - 1 : count], scores, 0)

    def predict(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x if i == 0 else F.relu(x))
        return x

    def train_logits(self, x):
        return self.top @ self.predict(x)

    def all_logits(self, x):
        own = self.predict(x)
        sums = own
        for _ in range(math.ceil(math.log(0.05) / math.log(1 - self.alpha))):
            sums = self.alpha * own + (1 - self.alpha) * self.mean @ sums
        return sums


def run_case(name, changes, properties):
    options = {**DEFAULTS, **changes}
    random = golden.seed_by(name)
    edges, weights, features = golden.make_data(random, properties)
    multi = "multilabel" in properties
    labels = (
        random.integers(0, 2, (NODES, CLASSES)) if multi else random.integers(0, CLASSES, NODES)
    )
    x, edge_index = torch.from_numpy(features), torch.from_numpy(edges)
    edge_weight = None if weights is None else torch.from_numpy(weights)
    answers = torch.from_numpy(labels)[TRAIN]
    kind = PprGo if options["method"] == "pprgo" else Gnn
    model = kind(options, edge_index, edge_weight, TRAIN)
    golden.randomize(model)

    def forward():
        logits = model.train_logits(x)
        loss = (
            F.binary_cross_entropy_with_logits(logits, answers.double())
            if multi
            else F.cross_entropy(logits, answers)
        )
        return loss, {"logits": logits.detach().numpy()}

    arrays = golden.inputs(options, edges, weights, features)
    arrays |= {"labels": labels, "train": np.array(TRAIN)}
    arrays |= golden.train(model, forward, lambda: model.all_logits(x), weight_decay=WEIGHT_DECAY)
    assert arrays["losses"][-1] < arrays["losses"][0], name
    return arrays


if __name__ == "__main__":
    golden.write("classifiers", run_case, CASES)
