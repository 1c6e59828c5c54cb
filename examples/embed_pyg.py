"""Embeds a PyTorch Geometric graph and scores the embeddings by a linear classifier.

python examples/embed_pyg.py                 # a generated graph
python examples/embed_pyg.py --data photo    # a dataset of the catalog, in $GRAPHSURGEON_DATA
"""

import argparse

import torch
from torch_geometric.data import Data
from torch_geometric.utils import stochastic_blockmodel_graph

from graphsurgeon import GraphSurgeon, torch_module

parser = argparse.ArgumentParser()
parser.add_argument("--data", help="catalog name, file or folder, in place of the generated graph")
parser.add_argument("--epochs", type=int, default=100)
arguments = parser.parse_args()

# Five communities whose features are mostly noise.
generator = torch.Generator().manual_seed(0)
torch.manual_seed(0)
sizes, classes, width = [200] * 5, 5, 100
y = torch.arange(classes).repeat_interleave(200)
edge_index = stochastic_blockmodel_graph(sizes, torch.full((5, 5), 0.002) + 0.03 * torch.eye(5))
likely = 0.05 + 0.03 * (torch.arange(width) % classes == y[:, None])
data = Data(x=torch.bernoulli(likely, generator=generator), edge_index=edge_index, y=y)

model = GraphSurgeon(epochs=arguments.epochs, dropout=0.6, gamma=1, random_state=0)
z = model.fit_transform(arguments.data or data)
print(
    f"{model}: embeddings of {z.shape[0]} nodes, {z.shape[1]} wide; loss "
    f"{model.result_['loss']['total']:.2f}"
)

if not arguments.data:
    order = torch.randperm(len(y), generator=generator)
    train, test = order[:100], order[100:]
    classifier = torch.nn.Linear(z.shape[1], classes)
    optimizer = torch.optim.Adam(classifier.parameters(), lr=0.01)
    for _ in range(200):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(classifier(z[train]), y[train]).backward()
        optimizer.step()
    accuracy = (classifier(z[test]).argmax(1) == y[test]).float().mean()
    print(f"accuracy of a linear classifier on them: {100 * accuracy:.1f} %")

    module = torch_module(model)  # plain PyTorch, to fine-tune or to build on
    difference = (module(data.x, data.edge_index) - z).abs().max()
    print(f"the same model as a PyTorch module differs by {difference:.1e} at most")
