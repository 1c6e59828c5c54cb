"""What each of the paper's ablations trains, starting from the authors' values for a dataset.

Every experiment is named ABLATION-DATASET-VARIANT.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .catalog import Catalog
from .experiment import Experiment, Options, options_with, presets


@dataclass
class AblationOptions:
    """How the trainings of an ablation are made."""

    num_splits: int = 10
    quick: bool = False  # 20 epochs, three splits, the outer widths


class WidthMethod(NamedTuple):
    """A method whose widths are compared."""

    name: str
    gains: bool  # from width, by the paper
    epochs: int  # after which its accuracy has settled (docs/results.md)


WIDTH_METHODS = (
    WidthMethod("graphsurgeon", True, 50),
    WidthMethod("dgi", True, 50),
    WidthMethod("mvgrl", True, 50),
    WidthMethod("gca", False, 30),
    WidthMethod("bgrl", False, 30),
)
WIDTHS = (256, 512, 768, 1024, 1280)
BATCH_SIZES = (64, 256, 512, 1024, 2048, 4096)
QUICK_BATCH_SIZES = (64, 1024, 4096)
CONSTRAINTS = {"naive": "naive", "original": "rows", "improved": "columns", "scaled": "scaled"}


def scaled_gamma(gamma: float, nodes: float, dim: int) -> float:
    """The weight of the scaled constraint that does what `gamma` does to `columns`, on the whole
    graph."""
    return gamma * (nodes / (2 * dim**1.5))


def start(
    dataset: str, options: AblationOptions, method: str = "graphsurgeon", preset: str = ""
) -> Options:
    """The values of `preset`, by default the authors' for the dataset (a baseline's METHOD-DATASET,
    or its own defaults)."""
    usual = dataset if method == "graphsurgeon" else f"{method}-{dataset}"
    chosen = preset or usual
    splits = min(3, options.num_splits) if options.quick else options.num_splits
    given = {"method": method, "num-splits": splits}
    return options_with(given, chosen if chosen in presets() else "")


def shortened(options: AblationOptions, full: int) -> int:
    """Epochs."""
    return min(20, full) if options.quick else full


def experiment(
    ablation: str, dataset: str, variant: str, options: Options, catalog: Catalog
) -> Experiment:
    """Its row has the values that distinguish variants."""
    about = {
        "variant": variant,
        "aug_dim": options["aug-dim"],
        "layers": options["layers"],
        "lr": options["lr"],
        "gamma": options["gamma"],
        "constraint": options["constraint"],
    }
    # `columns` as `scaled` reproduces it, so that the weights of both can be compared.
    if options["constraint"] == "scaled":
        about["gamma_scaled"] = options["gamma"]
    if options["constraint"] == "columns":
        nodes = catalog[dataset].nodes
        about["gamma_scaled"] = scaled_gamma(options["gamma"], nodes, options["dim"])
    return Experiment(f"{ablation}-{dataset}-{variant}", dataset, options, about=about)


def loss_experiments(
    datasets: list[str], options: AblationOptions, catalog: Catalog
) -> list[Experiment]:
    out = []
    for dataset in datasets:
        for variant, constraint in CONSTRAINTS.items():
            run = start(dataset, options)
            if constraint == "scaled":
                run["gamma"] = scaled_gamma(run["gamma"], catalog[dataset].nodes, run["dim"])
            run |= {"constraint": constraint, "loader": "full", "epochs": shortened(options, 100)}
            out.append(experiment("loss", dataset, variant, run, catalog))
    return out


def batch_experiments(
    datasets: list[str], options: AblationOptions, catalog: Catalog
) -> list[Experiment]:
    out = []
    for dataset in datasets:
        for size in QUICK_BATCH_SIZES if options.quick else BATCH_SIZES:
            run = start(dataset, options)
            run |= {"loader": "neighbor", "batch-size": size, "epochs": shortened(options, 100)}
            one = experiment("batch-size", dataset, str(size), run, catalog)
            one.probe_epochs = 100
            out.append(one)
    return out


def width_experiments(
    datasets: list[str], options: AblationOptions, catalog: Catalog
) -> list[Experiment]:
    out = []
    for dataset in datasets:
        for method, _, longest in WIDTH_METHODS:
            if options.quick and method == "gca" and dataset != "photo":
                continue
            for width in (WIDTHS[0], WIDTHS[-1]) if options.quick else WIDTHS:
                run = start(dataset, options, method)
                run["dim"] = width // 2 if method == "graphsurgeon" else width
                run["epochs"] = shortened(options, min(longest, run["epochs"]))
                variant = f"{method}-{width}"
                out.append(experiment("embedding-size", dataset, variant, run, catalog))
    return out


def mode_experiments(
    datasets: list[str], options: AblationOptions, catalog: Catalog
) -> list[Experiment]:
    """At equal D, and with each mode's own tuned values where there are presets of it."""
    out = []
    for dataset in datasets:
        for mode in ("pre", "post"):
            run = start(dataset, options)
            run |= {"mode": mode, "loader": "full", "epochs": shortened(options, run["epochs"])}
            out.append(experiment("pre-vs-post", dataset, f"{mode}-equal", run, catalog))
            preset = f"{dataset}-{mode}"
            if preset in presets():
                run = start(dataset, options, preset=preset)
                run["epochs"] = shortened(options, run["epochs"])
                out.append(experiment("pre-vs-post", dataset, f"{mode}-tuned", run, catalog))
    return out


def symmetry_experiments(
    datasets: list[str], options: AblationOptions, catalog: Catalog
) -> list[Experiment]:
    out = []
    for dataset in datasets:
        for variant in ("symmetric", "asymmetric"):
            run = start(dataset, options)
            run["asymmetric"] = variant == "asymmetric"
            run["epochs"] = shortened(options, run["epochs"])
            out.append(experiment("symmetry", dataset, variant, run, catalog))
    return out


def convergence_experiments(
    datasets: list[str], options: AblationOptions, catalog: Catalog
) -> list[Experiment]:
    out = []
    for dataset in datasets:
        run = start(dataset, options)
        run |= {"select": "val", "select-every": 5 if options.quick else 10}
        run["epochs"] = shortened(options, 200)
        one = experiment("convergence", dataset, "curve", run, catalog)
        one.score = False
        out.append(one)
    return out
