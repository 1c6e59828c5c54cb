"""Trainings in several Python threads at once give the bits that each gives alone."""

import threading

import numpy as np
import pytest
from conftest import planted

from graphsurgeon import GraphSurgeon


def train(options, data):
    """The embeddings, of the training and embedded again."""
    x, edge_index, y = planted(**data)
    small = {"aug_dim": 24, "dim": 12, "lr": 0.001, "gamma": 200.0, "progress": False}
    model = GraphSurgeon(output="numpy", **(small | options))
    z = model.fit_transform((edge_index, x, y))
    return z, model.transform((edge_index, x))


def at_once(jobs):
    """Runs every job in a thread of its own, all starting together; returns their results."""
    barrier = threading.Barrier(len(jobs))
    results = [None] * len(jobs)

    def run(i):
        barrier.wait()
        results[i] = train(*jobs[i])

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


LONG = {"epochs": 150}  # so that they overlap
SMALL_GRAPH = {"nodes": 120, "seed": 1}
LARGE_GRAPH = {"nodes": 400, "width": 60, "seed": 2}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"random_state": 1, "threads": 1}, {"random_state": 2, "threads": 2}),
        ({"mode": "pre", "threads": 2}, {"mode": "post", "encoder": "sage", "threads": 1}),
        ({"kernels": "torch", "threads": 1}, {"kernels": "native", "threads": 2}),
        ({"loader": "neighbor", "batch_size": 50}, {"loader": "cluster", "parts": 8}),
        ({"select": "val", "num_splits": 2}, {"method": "grace", "hidden": 16}),
    ],
    ids=["seed", "mode", "kernels", "loader", "method"],
)
def test_two_trainings_at_once_give_the_bits_of_each_alone(first, second):
    epochs = {"epochs": 30} if "loader" in first else LONG
    jobs = [(epochs | first, LARGE_GRAPH), (epochs | second, SMALL_GRAPH)]
    alone = [train(*job) for job in jobs]
    for wanted, found in zip(alone, at_once(jobs)):
        assert found is not None, "the training failed; its error is printed above"
        assert all(np.array_equal(a, b) for a, b in zip(wanted, found))


def test_one_graph_may_be_trained_on_by_two_threads():
    """Transposes and other caches of a shared dataset are made once, or apart."""
    import graphsurgeon

    x, edge_index, _ = planted(**LARGE_GRAPH)
    data = graphsurgeon.load_dataset((edge_index, x))
    results = {}

    def run(name):
        model = GraphSurgeon(
            aug_dim=24, dim=12, lr=0.001, gamma=200.0, epochs=60, progress=False, output="numpy"
        )
        results[name] = model.fit_transform(data)

    run("alone")
    threads = [threading.Thread(target=run, args=(name,)) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(results["alone"], results["first"])
    assert np.array_equal(results["alone"], results["second"])
