"""`pip install .` in a fresh virtual environment; the package and its command work elsewhere.

    python tests/pip_install_test.py SOURCE WORK

WORK is emptied first. The build is isolated: pip fetches torch and scikit-build-core unless cached.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

CODE = """
import re, sys
import torch
from graphsurgeon import GraphSurgeon, torch_module
edges = torch.randint(50, (2, 400), generator=torch.Generator().manual_seed(0))
model = GraphSurgeon(aug_dim=8, dim=4, epochs=3).fit((edges, torch.eye(50)))
assert torch.allclose(torch_module(model)(torch.eye(50), edges), model.embeddings_, atol=1e-5)
maps = open("/proc/self/maps").read()
runtimes = set(re.findall(r"/\\S*/lib(?:gomp|iomp5|omp)[^/]*\\.so\\S*", maps))
assert len(runtimes) == 1, runtimes
loaded = set(re.findall(r"/\\S*/graphsurgeon/\\S*\\.so\\S*", maps))
assert len(loaded) == 3 and all(path.startswith(sys.prefix) for path in loaded), loaded
model.save(sys.argv[1])
print("ok")
"""


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=cwd)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main() -> None:
    source, work = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run(sys.executable, "-m", "venv", work / "env", cwd=work)
    python, bin_folder = work / "env" / "bin" / "python", work / "env" / "bin"
    run(python, "-m", "pip", "install", "--quiet", source, cwd=work)
    assert run(python, "-c", CODE, work / "run", cwd=work) == "ok\n"
    # The command, without the environment being activated.
    version = run(bin_folder / "graphsurgeon", "--version", cwd=work)
    assert re.match(r"graphsurgeon \d+\.\d+\.\d+\n", version), version
    assert run(python, "-m", "graphsurgeon", "--version", cwd=work) == version
    words = ["train", "sbm:nodes=60", "-o", "other", "--epochs", 2, "--quiet"]
    run(bin_folder / "graphsurgeon", *words, cwd=work)
    assert (work / "other" / "embeddings.npy").exists()
    package = next((work / "env").glob("lib/python3*/site-packages/graphsurgeon"))
    assert all((package / name).exists() for name in ("py.typed", "keywords.py", "_core.pyi"))
    libraries = [*package.glob("_core*.so"), *package.glob("lib/*")]
    for file in [*libraries, package / "bin" / "graphsurgeon"]:
        dynamic = run("readelf", "-d", file, cwd=work)
        paths = re.search(r"R(?:UN)?PATH.*\[(.*)\]", dynamic)
        assert paths, file
        assert all(path.startswith("$ORIGIN") for path in paths[1].split(":")), (file, paths)
    print("pip install: package and command work")


if __name__ == "__main__":
    main()
