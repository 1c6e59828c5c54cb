"""`graphsurgeon data import`: from tables to embeddings joined on ids, in two commands."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import failed_program, run_program, run_python
from tables import made_up, write_tables

from graphsurgeon.program import PROGRAM, environment


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """The folder of tables, with `data` imported and `run` trained."""
    folder = tmp_path_factory.mktemp("import")
    write_tables(folder)
    tables = (folder / "calls.csv", folder / "customers.csv")
    words = ("data", "import", *tables, "--label-column", "segment", "-o", folder / "data")
    done = run_program(*words)
    assert "wrote" in done.stdout and "next: graphsurgeon train" in done.stdout
    assert "revenue: number, logarithm scaled" in done.stderr
    assert "taken as undirected" in done.stderr
    run_program("train", folder / "data", "-o", folder / "run", "--quiet")
    return folder


def test_two_commands_lead_from_tables_to_embeddings_by_id(imported):
    run_program("embed", imported / "run", imported / "data", "-o", imported / "z.csv", "--quiet")
    z = pd.read_csv(imported / "z.csv")
    assert set(z.iloc[:, 0]) == set(made_up()[1]["customer_id"])
    assert np.isfinite(z.iloc[:, 1:].to_numpy()).all()


def test_the_dataset_folder_holds_names_labels_and_the_recipe(imported):
    data = imported / "data"
    recipe = json.loads((data / "recipe.json").read_text())
    assert recipe["format"] == "graphsurgeon-recipe"
    assert recipe["id"] == {"column": "customer_id", "integer": False}
    names = (data / "feature_names.txt").read_text().splitlines()
    assert names[:3] == ["age", "age=(missing)", "revenue"]
    assert (data / "class_names.txt").read_text().split() == ["A", "B", "C", "D"]
    info = json.loads(run_program("data", "info", data, "--json").stdout)
    assert info["nodes"] == 300


def test_features_are_not_scaled_twice(imported):
    from graphsurgeon import load_dataset

    data = load_dataset(imported / "data")
    assert data.recipe and "scaled" not in data.treatment and "standard" not in data.treatment


def test_new_tables_are_imported_like_the_run(imported):
    edges, nodes = made_up()
    some = nodes.iloc[:50].drop(columns="segment")
    some.loc[:, "city"] = some["city"].fillna("Nice")
    some.to_csv(imported / "new.csv", index=False)
    kept = edges[edges.isin(set(some["customer_id"])).all(axis=1)]
    kept.to_parquet(imported / "new_calls.parquet")
    new = (imported / "new_calls.parquet", imported / "new.csv")
    for like in ("run", "data"):
        target = imported / f"new-{like}"
        done = run_program("data", "import", *new, "--like", imported / like, "-o", target)
        assert "of unknown category (such as 'Nice'), encoded as none" in done.stderr
    first, second = (np.load(imported / f"new-{like}" / "features.npy") for like in ("run", "data"))
    assert np.array_equal(first, second)
    z = imported / "new.npy"
    run_program("embed", imported / "run", imported / "new-run", "-o", z, "--quiet")
    assert np.load(z).shape[0] == 50


def test_tables_of_a_recipe_of_their_own_are_refused(imported):
    nodes = made_up()[1]
    nodes["age"] = nodes["age"] * 2
    nodes.to_csv(imported / "older.csv", index=False)
    words = ("--label-column", "segment", "-o", imported / "older", "--quiet")
    run_program("data", "import", imported / "calls.csv", imported / "older.csv", *words)
    z = imported / "older.npy"
    code, text = failed_program("embed", imported / "run", imported / "older", "-o", z)
    assert code == 3 and "by a recipe of their own" in text and "--like RUN" in text
    assert not z.exists()


def test_converting_keeps_the_recipe(imported):
    run_program("data", "convert", imported / "data", "-o", imported / "copy", "--quiet")
    names = ("recipe.json", "feature_names.txt", "features.npy")
    for name in names:
        assert (imported / "copy" / name).read_bytes() == (imported / "data" / name).read_bytes()
    run_program(
        "data", "convert", imported / "data", "-o", imported / "copy", "--overwrite", "--quiet"
    )


def test_what_was_there_stays_when_the_import_fails(imported):
    before = {file.name: file.read_bytes() for file in (imported / "data").iterdir()}
    (imported / "broken.csv").write_text("customer_id,age\nC1,x\n")
    tables = (imported / "calls.csv", imported / "broken.csv")
    code, text = failed_program("data", "import", *tables, "-o", imported / "data", "--overwrite")
    assert code == 3 and text.count("\n") == 2 and "hint: " in text
    code, text = failed_program(
        "data",
        "import",
        imported / "calls.csv",
        imported / "customers.csv",
        "-o",
        imported / "data",
    )
    assert code == 3 and "already exists" in text
    assert before == {file.name: file.read_bytes() for file in (imported / "data").iterdir()}


def test_a_table_alone_needs_knn(imported):
    code, text = failed_program("data", "import", imported / "customers.csv", "-o", imported / "x")
    assert code == 2 and "--knn 10" in text
    target = imported / "knn"
    words = ("--knn", 5, "--label-column", "segment", "-o", target, "--json")
    done = run_program("data", "import", imported / "customers.csv", *words)
    found = json.loads(done.stdout)
    assert found["nodes"] == 300 and 300 * 5 <= found["edges"] <= 300 * 10


def test_the_program_finds_the_command_and_lists_it(imported):
    command = [PROGRAM, "data", "import", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert done.returncode == 0 and "--id-column" in done.stdout
    assert "import" in run_program("data", "--help").stdout


def test_a_missing_package_is_a_usage_error_that_names_the_packages():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'pyarrow' else find(name, *a)\n"
        "from graphsurgeon.__main__ import run_python; sys.exit(run_python('data import', ['x']))"
    )
    done = run_python("-c", code)
    assert done.returncode == 2
    assert done.stderr == "error: data import needs pyarrow\nhint: pip install pyarrow pandas\n"
