"""The run folder of an estimator: a temporary one or the user's, and how it is copied.

`core.RunFolder` knows which files make a run.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from contextlib import suppress
from pathlib import Path

from ._load import core
from .errors import DataError


class OwnedFolder:
    """The folder of a run. A temporary one is removed together with the last reference to this."""

    def __init__(self, path: str, temporary: bool) -> None:
        self.files = core.RunFolder(path)
        self._remove: weakref.finalize | None = None
        if temporary:
            self._remove = weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] | None, before: OwnedFolder | None = None
    ) -> OwnedFolder:
        """The folder `path`; without one, `before` or a new temporary folder."""
        if path is not None:
            return cls(os.path.abspath(path), temporary=False)
        return before or cls(tempfile.mkdtemp(prefix="graphsurgeon-"), temporary=True)

    def keep(self) -> None:
        """Leaves a temporary folder to the user, since it holds the only checkpoint."""
        if self._remove is not None:
            self._remove.detach()


def copy_run(source: Path, target: Path) -> None:
    """Copies the run in `source` to `target` and replaces the run there; other files stay.

    `target` may be a link to a folder. All files are copied under temporary names first: if that
    fails (a full disk), the run in `target` is untouched, and a DataError says why.
    """
    made = not target.exists()
    suffix = f"tmp-{os.getpid()}-{threading.get_ident()}"
    owned = core.RunFolder(str(target)).files()
    beside = {
        name: target / f".{name}.{suffix}"
        for name in sorted(core.RunFolder(str(source)).files())
        if name in owned or not (target / name).exists()  # a README.md may be the user's
    }
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, copy in beside.items():
            shutil.copyfile(source / name, copy)
        for name, copy in beside.items():
            os.replace(copy, target / name)
        for name in core.RunFolder(str(target)).files():
            if name not in beside:
                os.remove(target / name)  # left over from the previous run
    except OSError as error:
        if made and target.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        message = f"{target}: cannot be written: {error.strerror}"
        raise DataError(message, "choose another folder") from None
    finally:
        for copy in beside.values():
            with suppress(OSError):
                copy.unlink()
