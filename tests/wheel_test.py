"""The wheel of `./dev wheel` installs into a clean environment within a minute and works there.

    python tests/wheel_test.py SOURCE WORK

WORK is emptied first. The environment sees the torch that the wheel was built for, but no other
package of ours, no compiler and none of the libraries that the wheel brings.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

from pip_install_test import CODE, run

# What the wheel takes from the system or from torch; everything else it brings.
OUTSIDE = r"lib(torch\w*|c10|gomp[-.\w]*|c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s|z)\.so|ld-linux"


def check_policy(wheel: Path, work: Path) -> None:
    """A manylinux wheel: libraries of its own for what the system may not have, and no libtorch."""
    assert "manylinux" in wheel.name, wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(work / "unpacked")
    assert not any(re.search(r"libtorch|libc10", name) for name in names)
    brought = {Path(name).name for name in names}
    for file in (work / "unpacked").rglob("*"):
        if file.is_file() and file.read_bytes()[:4] == b"\x7fELF":
            for needed in re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", file, cwd=work)):
                assert needed in brought or re.match(OUTSIDE, needed), (file.name, needed)


def another_torch(python: Path, work: Path) -> str:
    """What the command says where torch has another version."""
    fake = work / "fake" / "torch-2.15.0.dist-info"
    fake.mkdir(parents=True)
    (fake / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.15.0\n")
    done = subprocess.run(
        [python, "-m", "graphsurgeon", "train", "sbm:nodes=60", "-o", "x"],
        capture_output=True,
        text=True,
        cwd=work,
        env=os.environ | {"PYTHONPATH": str(work / "fake")},
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def main() -> None:
    source, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run(source / "dev", "wheel", cwd=source)
    wheels = sorted((source / "build" / "wheels").glob("*.whl"))
    assert len(wheels) == 1, wheels
    check_policy(wheels[0], work)

    run(sys.executable, "-m", "venv", work / "env", cwd=work)
    python = work / "env" / "bin" / "python"
    begun = time.monotonic()
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", wheels[0], cwd=work)
    seconds = time.monotonic() - begun
    assert seconds < 60, seconds
    # torch and numpy from this Python: a download of gigabytes would prove nothing.
    packages = next((work / "env").glob("lib/python3*/site-packages"))
    (packages / "torch-from-outside.pth").write_text(sysconfig.get_path("purelib") + "\n")
    assert run(python, "-c", CODE, work / "run", cwd=work) == "ok\n"
    words = ["train", "sbm:nodes=60", "-o", "other", "--epochs", 2, "--quiet"]
    run(work / "env" / "bin" / "graphsurgeon", *words, cwd=work)
    assert (work / "other" / "embeddings.npy").exists()
    said = another_torch(python, work)
    assert re.match(r"error: graphsurgeon was built for torch \S+, but torch 2.15.0 is", said), said
    print(f"wheel: {wheels[0].name} installs in {seconds:.1f} s and works")


if __name__ == "__main__":
    main()
