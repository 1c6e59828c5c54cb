"""Progress of the core: a tqdm bar, and a callback for every epoch."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

OnEpoch = Callable[[dict[str, Any]], None]


def wanted(progress: bool | str) -> bool:
    """Whether `progress` ('auto', True or False) asks for a bar here."""
    if progress != "auto":
        return bool(progress)
    return "ipykernel" in sys.modules or sys.stderr.isatty()


class Listener:
    """Receives the progress of one call of the core, in the thread that made the call."""

    def __init__(self, show: bool, on_epoch: OnEpoch | None = None, metrics: str = "") -> None:
        """`metrics` is the run's metrics.jsonl."""
        self._show = show
        self._on_epoch = on_epoch
        self._metrics = metrics
        # Bytes of `metrics` already read. None until training starts: the file may be left over
        # from an earlier run.
        self._read: int | None = None
        self._bar: Any = None

    def start(self, task: str, total: int, unit: str) -> None:
        self._close()
        if task == "training" and self._on_epoch and self._read is None:
            self._read = os.path.getsize(self._metrics)  # a resumed run already has lines
        if self._show:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total or None, desc=task, unit=f" {unit}", leave=False)

    def advance(self, units: int, note: str) -> None:
        if self._bar is not None:
            self._bar.update(units)
            self._bar.set_postfix_str(note, refresh=False)
        self._report_epochs()

    def finish(self) -> None:
        self._close()
        self._report_epochs()

    def say(self, text: str) -> None:
        if self._show:
            print(text, file=sys.stderr)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _report_epochs(self) -> None:
        if not self._on_epoch or self._read is None:
            return
        with open(self._metrics, "rb") as file:
            file.seek(self._read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        if not whole:
            return
        import torch

        # The core trains in this thread, with gradients in its own hands.
        with torch.inference_mode(False), torch.enable_grad():
            for line in whole.splitlines():
                self._on_epoch(json.loads(line))
