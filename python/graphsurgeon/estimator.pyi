# Made by tools/make_stub.py of estimator.py and of the options that the core declares.
import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict

import numpy as np
from typing_extensions import Unpack

from . import _core as core
from .progress import OnEpoch

class _Keywords(TypedDict, total=False):
    method: Literal['bgrl', 'cca-ssg', 'clustergcn', 'dgi', 'gat', 'gca', 'gcn', 'grace', 'graphsage', 'graphsaint', 'graphsurgeon', 'mvgrl', 'pprgo', 'raw', 'selfgnn', 'smoothed', 'untrained']
    hidden: int
    heads: int
    attention_dropout: float
    edge_drop: float
    edge_drop_2: float
    feature_mask: float
    feature_mask_2: float
    centrality: Literal['degree', 'pagerank', 'eigenvector']
    temperature: float
    projection_dim: int
    anchors: int
    momentum: float
    predictor_dim: int
    alpha: float
    epsilon: float
    top_k: int
    decorrelation: float
    mode: Literal['pre', 'post']
    aug_dim: int
    dim: int
    encoder: Literal['gcn', 'sage', 'gat']
    layers: int
    head_layers: int
    norm: Literal['none', 'batch', 'layer']
    skip: Literal['auto', 'sum', 'linear', 'none']
    dropout: float
    combine: Literal['concat', 'mean', 'sum', 'first']
    asymmetric: bool
    similarity_weight: str | float
    constraint: Literal['columns', 'rows', 'scaled', 'naive']
    gamma: float
    epochs: int
    lr: float
    weight_decay: float
    clip: float
    select: Literal['last', 'val']
    select_every: int
    checkpoint_every: int
    rank_every: int
    splits: str
    runs: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    kernels: Literal['native', 'torch']
    device: str
    loader: Literal['auto', 'full', 'neighbor', 'cluster', 'saint']
    seeds: str | os.PathLike[str]
    batch_size: int
    fanouts: Sequence[int] | int | str
    neighbor_sampling: Literal['uniform', 'weight']
    parts: int
    parts_per_batch: int
    saint_sampler: Literal['walk', 'node', 'edge']
    roots: int
    walk_length: int
    coverage: int
    subgraphs: int
    steps: int
    workers: int
    prefetch: int
    gamma_scale: Literal['auto', 'none']
    memory: int
    protocol: Literal['authors', 'paper']
    data_root: str | os.PathLike[str]
    format: str
    symmetrize: Literal['auto', 'yes', 'no']
    self_loops: Literal['auto', 'keep', 'drop', 'add']
    features: Literal['auto', 'raw', 'binary', 'row-norm', 'standardize']
    features_file: str | os.PathLike[str]
    labels_file: str | os.PathLike[str]
    splits_file: str | os.PathLike[str]
    make_features: Literal['none', 'degree', 'random', 'spectral']
    make_width: int
    threads: int
    output: Literal['torch', 'numpy']
    progress: bool | Literal['auto']

def presets() -> dict[str, dict[str, Any]]: ...
def load_dataset(
    data: Any, y: Any=None,
    *,
    progress: bool | str = 'auto',
    random_state: int | np.random.Generator | np.random.RandomState | None = 0,
    data_root: str | os.PathLike[str] = '',
    format: str = '',
    symmetrize: Literal['auto', 'yes', 'no'] = 'auto',
    self_loops: Literal['auto', 'keep', 'drop', 'add'] = 'auto',
    features: Literal['auto', 'raw', 'binary', 'row-norm', 'standardize'] = 'auto',
    features_file: str | os.PathLike[str] = '',
    labels_file: str | os.PathLike[str] = '',
    splits_file: str | os.PathLike[str] = '',
    make_features: Literal['none', 'degree', 'random', 'spectral'] = 'none',
    make_width: int = 64,
    threads: int = 0,
) -> core.Dataset: ...

class GraphSurgeon:
    run_: str
    result_: dict[str, Any]
    n_features_in_: int
    method: Literal['bgrl', 'cca-ssg', 'clustergcn', 'dgi', 'gat', 'gca', 'gcn', 'grace', 'graphsage', 'graphsaint', 'graphsurgeon', 'mvgrl', 'pprgo', 'raw', 'selfgnn', 'smoothed', 'untrained']
    hidden: int
    heads: int
    attention_dropout: float
    edge_drop: float
    edge_drop_2: float
    feature_mask: float
    feature_mask_2: float
    centrality: Literal['degree', 'pagerank', 'eigenvector']
    temperature: float
    projection_dim: int
    anchors: int
    momentum: float
    predictor_dim: int
    alpha: float
    epsilon: float
    top_k: int
    decorrelation: float
    mode: Literal['pre', 'post']
    aug_dim: int
    dim: int
    encoder: Literal['gcn', 'sage', 'gat']
    layers: int
    head_layers: int
    norm: Literal['none', 'batch', 'layer']
    skip: Literal['auto', 'sum', 'linear', 'none']
    dropout: float
    combine: Literal['concat', 'mean', 'sum', 'first']
    asymmetric: bool
    similarity_weight: str | float
    constraint: Literal['columns', 'rows', 'scaled', 'naive']
    gamma: float
    epochs: int
    lr: float
    weight_decay: float
    clip: float
    select: Literal['last', 'val']
    select_every: int
    checkpoint_every: int
    rank_every: int
    splits: str
    runs: int
    random_state: int | np.random.Generator | np.random.RandomState | None
    kernels: Literal['native', 'torch']
    device: str
    loader: Literal['auto', 'full', 'neighbor', 'cluster', 'saint']
    seeds: str | os.PathLike[str]
    batch_size: int
    fanouts: Sequence[int] | int | str
    neighbor_sampling: Literal['uniform', 'weight']
    parts: int
    parts_per_batch: int
    saint_sampler: Literal['walk', 'node', 'edge']
    roots: int
    walk_length: int
    coverage: int
    subgraphs: int
    steps: int
    workers: int
    prefetch: int
    gamma_scale: Literal['auto', 'none']
    memory: int
    protocol: Literal['authors', 'paper']
    data_root: str | os.PathLike[str]
    format: str
    symmetrize: Literal['auto', 'yes', 'no']
    self_loops: Literal['auto', 'keep', 'drop', 'add']
    features: Literal['auto', 'raw', 'binary', 'row-norm', 'standardize']
    features_file: str | os.PathLike[str]
    labels_file: str | os.PathLike[str]
    splits_file: str | os.PathLike[str]
    make_features: Literal['none', 'degree', 'random', 'spectral']
    make_width: int
    threads: int
    output: Literal['torch', 'numpy']
    progress: bool | Literal['auto']
    def __init__(
        self,
        *,
        method: Literal['bgrl', 'cca-ssg', 'clustergcn', 'dgi', 'gat', 'gca', 'gcn', 'grace', 'graphsage', 'graphsaint', 'graphsurgeon', 'mvgrl', 'pprgo', 'raw', 'selfgnn', 'smoothed', 'untrained'] = 'graphsurgeon',
        hidden: int = 0,
        heads: int = 8,
        attention_dropout: float = 0.5,
        edge_drop: float = 0.3,
        edge_drop_2: float = 0.3,
        feature_mask: float = 0.2,
        feature_mask_2: float = 0.2,
        centrality: Literal['degree', 'pagerank', 'eigenvector'] = 'degree',
        temperature: float = 0.5,
        projection_dim: int = 0,
        anchors: int = 4096,
        momentum: float = 0.99,
        predictor_dim: int = 512,
        alpha: float = 0.15,
        epsilon: float = 0.0001,
        top_k: int = 32,
        decorrelation: float = 0.001,
        mode: Literal['pre', 'post'] = 'post',
        aug_dim: int = 512,
        dim: int = 256,
        encoder: Literal['gcn', 'sage', 'gat'] = 'gcn',
        layers: int = 0,
        head_layers: int = 1,
        norm: Literal['none', 'batch', 'layer'] = 'none',
        skip: Literal['auto', 'sum', 'linear', 'none'] = 'auto',
        dropout: float = 0.5,
        combine: Literal['concat', 'mean', 'sum', 'first'] = 'concat',
        asymmetric: bool = False,
        similarity_weight: str | float = '1000',
        constraint: Literal['columns', 'rows', 'scaled', 'naive'] = 'scaled',
        gamma: float = 10.0,
        epochs: int = 60,
        lr: float = 0.005,
        weight_decay: float = 0.0,
        clip: float = 0.0,
        select: Literal['last', 'val'] = 'last',
        select_every: int = 10,
        checkpoint_every: int = 10,
        rank_every: int = 10,
        splits: str = 'auto',
        runs: int = 10,
        random_state: int | np.random.Generator | np.random.RandomState | None = 0,
        kernels: Literal['native', 'torch'] = 'native',
        device: str = 'cpu',
        loader: Literal['auto', 'full', 'neighbor', 'cluster', 'saint'] = 'auto',
        seeds: str | os.PathLike[str] = 'all',
        batch_size: int = 1024,
        fanouts: Sequence[int] | int | str = [10, 10],
        neighbor_sampling: Literal['uniform', 'weight'] = 'uniform',
        parts: int = 0,
        parts_per_batch: int = 20,
        saint_sampler: Literal['walk', 'node', 'edge'] = 'walk',
        roots: int = 2000,
        walk_length: int = 2,
        coverage: int = 50,
        subgraphs: int = 1,
        steps: int = 0,
        workers: int = 1,
        prefetch: int = 2,
        gamma_scale: Literal['auto', 'none'] = 'auto',
        memory: int = 0,
        protocol: Literal['authors', 'paper'] = 'authors',
        data_root: str | os.PathLike[str] = '',
        format: str = '',
        symmetrize: Literal['auto', 'yes', 'no'] = 'auto',
        self_loops: Literal['auto', 'keep', 'drop', 'add'] = 'auto',
        features: Literal['auto', 'raw', 'binary', 'row-norm', 'standardize'] = 'auto',
        features_file: str | os.PathLike[str] = '',
        labels_file: str | os.PathLike[str] = '',
        splits_file: str | os.PathLike[str] = '',
        make_features: Literal['none', 'degree', 'random', 'spectral'] = 'none',
        make_width: int = 64,
        threads: int = 0,
        output: Literal['torch', 'numpy'] = 'torch',
        progress: bool | Literal['auto'] = 'auto',
    ) -> None: ...
    @classmethod
    def from_preset(cls, name: str, **keywords: Unpack[_Keywords]) -> GraphSurgeon: ...
    def get_params(self, deep: bool=True) -> dict[str, Any]: ...
    def set_params(self, **keywords: Unpack[_Keywords]) -> GraphSurgeon: ...
    def fit(
        self, X: Any, y: Any=None,
        *,
        run: str | os.PathLike[str] | None = None,
        resume: bool = False,
        overwrite: bool = False,
        init: str | os.PathLike[str] | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> GraphSurgeon: ...
    def transform(self, X: Any) -> Any: ...
    def fit_transform(
        self, X: Any, y: Any=None,
        *,
        run: str | os.PathLike[str] | None = None,
        resume: bool = False,
        overwrite: bool = False,
        init: str | os.PathLike[str] | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> Any: ...
    @property
    def embeddings_(self) -> Any: ...
    @property
    def history_(self) -> list[dict[str, Any]]: ...
    def save(self, folder: str | os.PathLike[str], overwrite: bool=False) -> None: ...
    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> GraphSurgeon: ...
    def _check_fitted(self) -> None: ...
