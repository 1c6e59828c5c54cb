"""What the makers of golden cases (make_*golden*.py) share: the graph, the training, the archive.

A group of cases is one archive, tests/golden/GROUP.npz, with members CASE/KEY. A case that trains a
model on a graph of 12 nodes, in float64, holds
  options                  JSON of the options, by their names on the command line
  edges, weights, features a row of sources over one of targets; weights if the case has them
  initial.NAME             parameters and buffers at the start
  loss, gradient.NAME      of the first step, no dropout
  losses, final.NAME       after ten steps of Adam (learning rate .01)
  embedding                after them, in inference mode
and what its maker lists beside these.

A bias before a batch norm cancels: its gradient is rounding noise, which Adam would amplify to full
steps. Both sides therefore set it to zero before a step; `cancelled` lists the names.
"""

import json
import math
import pathlib
import sys

import numpy as np
import torch
from torch_geometric.nn import SAGEConv

NODES, FEATURES, LEARNING_RATE, STEPS = 12, 7, 0.01, 10
HUB, ISOLATED, BLANK = 0, 11, 7  # a hub, a node without edges, a node without features


def make_data(random, properties):
    """Numbers are small fractions of two, so that float32 holds them exactly."""
    pairs = [(HUB, i) for i in range(1, 11) if i != 6] + [
        (1, 2),
        (2, 3),
        (3, 4),
        (5, 6),
        (6, 9),
        (8, 10),
        (4, 7),
    ]
    edges = pairs if "directed" in properties else pairs + [(b, a) for a, b in pairs]
    if "directed" in properties:
        edges = [*edges, (3, HUB), (6, 5)]
    weight = {}
    for a, b in edges:
        low, high = (a, b) if "directed" in properties else sorted((a, b))
        weight[a, b] = (1 + (5 * low + 3 * high) % 11) / 4
    if "loops" in properties:
        for node, value in ((HUB, 2.5), (5, 0.5)):
            edges, weight[node, node] = [*edges, (node, node)], value
    features = np.round(random.normal(size=(NODES, FEATURES)) * 16) / 16
    features[random.random(features.shape) < 0.3] = 0
    features[BLANK] = 0
    if "zero_rows" in properties:
        features[ISOLATED] = 0
    weights = np.array([weight[edge] for edge in edges]) if "weighted" in properties else None
    return np.array(edges, np.int64).T, weights, features


class WeightedSage(SAGEConv):
    """SAGEConv with a weighted mean, which PyG's own does not offer."""

    def forward(self, x, edges, weights):
        mean = torch.zeros(len(x), len(x)).index_put((edges[1], edges[0]), weights)
        mean = mean / mean.sum(1, keepdim=True).clamp(min=1e-300)
        return self.lin_l(mean @ x) + self.lin_r(x)


def seed_by(name):
    """Seeds PyTorch for the case; returns NumPy's generator of the same seed."""
    seed = sum(ord(c) * (i + 1) for i, c in enumerate(name))
    torch.manual_seed(seed)
    return np.random.default_rng(seed)


def inputs(options, edges, weights, features):
    """The arrays of a case before its training."""
    arrays = {"edges": edges, "features": features, "options": np.array([json.dumps(options)])}
    return arrays if weights is None else arrays | {"weights": weights}


def randomize(model):
    """Gives biases and norms random values: their zeros and ones would hide mistakes."""
    with torch.no_grad():
        for key, value in model.named_parameters():
            if ".norms." in key:
                value += 0.25 * torch.randn_like(value)
            elif key.endswith("bias"):
                value.copy_(0.1 * torch.randn_like(value))


def train(model, forward, embed, canceled=(), after=lambda step: None, **adam):
    """The arrays of ten steps.

    `forward` returns the loss, and other arrays to keep of the first step. `after` is called with
    the number of each step when it is done.
    """
    learned = [(key, value) for key, value in model.named_parameters() if value.requires_grad]

    def state(prefix):
        return {prefix + k: v.detach().clone().numpy() for k, v in model.state_dict().items()}

    arrays = state("initial.")
    if canceled:
        arrays["cancelled"] = np.array(canceled)
    optimizer = torch.optim.Adam([value for _, value in learned], lr=LEARNING_RATE, **adam)
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        loss, others = forward()
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            arrays |= {"loss": np.array(loss.item()), **others}
            arrays |= {"gradient." + key: value.grad.clone().numpy() for key, value in learned}
        for key, value in learned:
            if key in canceled:
                assert float(value.grad.abs().max()) < 1e-10, key
                value.grad.zero_()
        optimizer.step()
        after(step)
    model.eval()
    with torch.no_grad():
        arrays["embedding"] = embed().numpy()
    assert all(math.isfinite(loss) for loss in losses)
    return arrays | {"losses": np.array(losses)} | state("final.")


def write(group, run, cases):
    """Writes GROUP.npz: what run(NAME, *CASE) returns for each case.

    The folder is the program's argument, or tests/golden beside the folder of the tools.
    """
    beside = pathlib.Path(__file__).parent.parent / "tests" / "golden"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else beside
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    members = {}
    for name, case in cases.items():
        arrays = run(name, *case)
        members |= {f"{name}/{key}": array for key, array in arrays.items()}
        losses = arrays.get("losses", ())
        falls = f", loss {losses[0]:.6g} to {losses[-1]:.6g}" if len(losses) else ""
        print(f"{group}/{name}: {len(arrays)} arrays{falls}")
    np.savez_compressed(folder / f"{group}.npz", **members)
