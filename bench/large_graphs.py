"""Generated graphs of the size of Flickr, Yelp and Reddit."""

import json
import os

from common import program

SIZES = {
    "flickr": {
        "nodes": 89250,
        "edges": 899756,
        "features": 500,
        "classes": 7,
        "signal": 1,
        "batch": 1024,
    },
    "yelp": {
        "nodes": 716847,
        "edges": 13954819,
        "features": 300,
        "classes": 100,
        "labels-per-node": 10,
        "signal": 3,
        "batch": 2048,
    },
    "reddit": {
        "nodes": 232965,
        "edges": 114615892,
        "features": 602,
        "classes": 41,
        "homophily": 0.3,
        "signal": 0.7,
        "batch": 2048,
    },
}


def generate(folder, size, threads):
    options = [
        part for key, value in size.items() if key != "batch" for part in (f"--{key}", value)
    ]
    program(
        "data generate --generator sbm", *options, f"--threads {threads} -o", folder, "--overwrite"
    )
    os.sync()


def epochs_of(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
