"""The program that comes with this package: where it lies, and the environment that it needs."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

PROGRAM = Path(__file__).parent / "bin" / "graphsurgeon"


def environment() -> dict[str, str]:
    """That of this process, and in it where torch's libraries are.

    The program looks for torch beside this package, where pip puts it. A torch of another folder (of the system, or of
    the environment below a virtual one) is found by Python alone. This does not import it.
    """
    spec = find_spec("torch")
    folders = [os.path.join(place, "lib") for place in (spec.submodule_search_locations or [])] if spec else []
    folders += filter(None, [os.environ.get("LD_LIBRARY_PATH")])
    return os.environ | {"LD_LIBRARY_PATH": os.pathsep.join(folders)}
