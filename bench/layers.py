#!/usr/bin/env python3
"""Training epochs of GCN, GraphSAGE and GAT beside PyTorch Geometric's own layers.

    layers.py [--quick] [--datasets photo cs dblp pubmed] [--methods gcn graphsage gat]
              [--repeats 3] [--epochs 20] [--threads N]

Two layers with the methods' default width, heads and dropout; an epoch is forward, loss on the
training nodes, backward and a step of Adam. The peer has three forms, of which the fastest counts:
  edges    edge_index, normalization cached
  csr      torch.sparse_csr adjacency, normalized once (not for GAT, which reads edges)
  sparse   the same with the features in CSR too (GCN and GAT read them by one linear map;
           GraphSAGE aggregates them)
First the logits of all nodes, from the same weights, must agree to 1e-4; then ours and the peers
take turns. Prints a table; writes build/bench/layers.json. Exit code 1: the logits disagree.

GRAPHSURGEON_DATA names the folder of datasets; the default is beside the checkout.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import DATA, PROGRAM, RESULTS, median_epoch_ms, program, set_weights

TARGET, TOLERANCE = 1.5, 1e-4
HIDDEN = {"gcn": 64, "graphsage": 64, "gat": 64}
HEADS = 8
DROPOUT = {"gcn": 0.5, "graphsage": 0.5, "gat": 0.6}
FORMS = {
    "gcn": ("edges", "csr", "sparse"),
    "graphsage": ("edges", "csr"),
    "gat": ("edges", "sparse"),
}


def ours(name, method, folder, threads, epochs, *more):
    return program(
        f"train {name} --method {method} --num-splits 1 --epochs {epochs}",
        f"--hidden {HIDDEN[method]} --dropout",
        DROPOUT[method],
        "--attention-dropout",
        DROPOUT[method],
        "--heads",
        HEADS,
        "--layers 2 --select-every 1000 --rank-every 1000 --checkpoint-every 0",
        f"--threads {threads} -o",
        folder,
        "--overwrite",
        *more,
    )


class Data:
    """A dataset as our loader treats it, read from the folder that `data convert` writes."""

    def __init__(self, name, folder):
        import torch

        run_convert(name, folder)
        about = json.loads((folder / "dataset.json").read_text())

        def load(part):
            return torch.from_numpy(np.load(folder / f"{part}.npy"))

        self.nodes, self.classes = about["nodes"], about["labels"]["classes"]
        self.offsets, self.neighbors = load("offsets").long(), load("neighbors").long()
        target = torch.repeat_interleave(torch.arange(self.nodes), self.offsets.diff())
        self.edges = torch.stack([self.neighbors, target])
        if about["features"]["kind"] == "sparse":
            offsets, indices = load("feature_offsets").long(), load("feature_indices").long()
            values = (
                load("feature_values") if about["features"]["values"] else torch.ones(len(indices))
            )
            self.sparse = torch.sparse_csr_tensor(
                offsets, indices, values, (self.nodes, about["features"]["width"])
            )
            self.dense = self.sparse.to_dense()
        else:
            self.dense = load("features")
            self.sparse = self.dense.to_sparse_csr()
        self.labels = load("labels").long()


def run_convert(name, folder):
    import subprocess

    subprocess.run(
        [str(PROGRAM), "data", "convert", name, "-o", str(folder), "--overwrite", "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "GRAPHSURGEON_DATA": str(DATA)},
    )


def make_peer(method, data, form):
    """The model, and what its layers read: features and graph."""
    import torch
    import torch.nn.functional as F
    from torch_geometric.nn import GATConv, GCNConv, SAGEConv
    from torch_geometric.nn.conv.gcn_conv import gcn_norm

    width, hidden, classes = data.dense.shape[1], HIDDEN[method], data.classes
    csr = form in ("csr", "sparse") and method != "gat"
    graph = data.edges
    if csr:
        adjacency = torch.sparse_csr_tensor(
            data.offsets, data.neighbors, torch.ones(len(data.neighbors)), (data.nodes, data.nodes)
        )
        if method == "gcn":
            index, weight = gcn_norm(data.edges, None, data.nodes)
            adjacency = torch.sparse_coo_tensor(
                index.flip(0), weight, (data.nodes, data.nodes)
            ).to_sparse_csr()
        graph = adjacency
    if method == "gcn":
        layers = [
            GCNConv(a, b, normalize=not csr, cached=not csr)
            for a, b in ((width, hidden), (hidden, classes))
        ]
    elif method == "graphsage":
        layers = [SAGEConv(a, b) for a, b in ((width, hidden), (hidden, classes))]
    else:
        layers = [
            GATConv(width, hidden // HEADS, heads=HEADS, dropout=DROPOUT[method]),
            GATConv(hidden, classes, heads=1, dropout=DROPOUT[method]),
        ]

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(layers)

        def forward(self, x):
            h = self.layers[0](x, graph)
            h = F.elu(h) if method == "gat" else F.relu(h)
            return self.layers[1](F.dropout(h, DROPOUT[method], self.training), graph)

    return Model(), data.sparse if form == "sparse" else data.dense


def check_logits(name, method, data, scratch, threads):
    """The largest difference of our logits to the peer's, in units of their largest."""
    import torch

    model, x = make_peer(method, data, "edges")
    model.eval()
    with torch.no_grad():
        theirs = model(x).numpy()
    weights = {f"encoder.{key}": value.detach().numpy() for key, value in model.named_parameters()}
    ours(name, method, scratch / "start", threads, 0)
    set_weights(scratch / "start" / "model.safetensors", weights)
    ours(name, method, scratch / "run", threads, 0, "--init", scratch / "start")
    difference = float(
        np.abs(np.load(scratch / "run" / "embeddings.npy") - theirs).max() / np.abs(theirs).max()
    )
    if not difference < TOLERANCE:  # a nan is a difference too
        sys.exit(
            f"{name} {method}: the logits disagree by {difference:.2g}, more than {TOLERANCE:g}"
        )
    return difference


def time_peer(method, data, form, epochs):
    """Median milliseconds of an epoch."""
    import torch
    import torch.nn.functional as F

    torch.manual_seed(0)
    model, x = make_peer(method, data, form)
    train = torch.randperm(data.nodes)[: data.nodes // 20]
    answers = data.labels[train]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)

    def step():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x)[train], answers)
        loss.backward()
        optimizer.step()
        return loss

    return median_epoch_ms(step, epochs)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer repeats and epochs, photo and pubmed alone"
    )
    parser.add_argument("--datasets", nargs="*", default=["photo", "cs", "dblp", "pubmed"])
    parser.add_argument("--methods", nargs="*", default=list(FORMS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.datasets, arguments.repeats, arguments.epochs = ["photo", "pubmed"], 2, 8
    import torch

    torch.set_num_threads(arguments.threads)
    rows = []
    print(
        f"{'dataset':8} {'method':10} {'ours ms':>8}  {'edges':>8} {'csr':>8} {'sparse':>8}  "
        f"{'faster':>7}",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        for name in arguments.datasets:
            data = Data(name, scratch / name)
            for method in arguments.methods:
                difference = check_logits(name, method, data, scratch, arguments.threads)
                times = {form: [] for form in ("ours", *FORMS[method])}
                for _ in range(arguments.repeats):
                    for form in FORMS[method]:  # alternating, so that a noisy moment meets both
                        result = ours(
                            name, method, scratch / "run", arguments.threads, arguments.epochs
                        )
                        times["ours"].append(result["ms_per_epoch"])
                        times[form].append(
                            time_peer(method, data, form, max(3, arguments.epochs // 2))
                        )
                median = {form: float(np.median(values)) for form, values in times.items()}
                best = min(median[form] for form in FORMS[method])
                rows.append(
                    {
                        "dataset": name,
                        "method": method,
                        "difference": difference,
                        "ms": median,
                        "faster": best / median["ours"],
                    }
                )
                cells = " ".join(
                    f"{median[f]:8.1f}" if f in median else f"{'-':>8}"
                    for f in ("edges", "csr", "sparse")
                )
                print(
                    f"{name:8} {method:10} {median['ours']:8.1f}  {cells}  "
                    f"{best / median['ours']:6.2f}x",
                    flush=True,
                )
    worst = min(row["faster"] for row in rows)
    print(f"faster than PyG's fastest form: at least {worst:.2f}x (wanted {TARGET}x)")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "layers.json").write_text(
        json.dumps({"threads": arguments.threads, "rows": rows}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
