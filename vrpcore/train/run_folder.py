"""A run's folder: configuration, environment, metrics and TensorBoard."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import OutputError


class RunFolder:
    """Where a run writes.

    Args:
        path: The folder; made if missing.
        writes: False in processes that leave all writing to another.

    Raises:
        OutputError: It cannot be made or written.
    """

    def __init__(self, path: Path, writes: bool) -> None:
        self.path, self._writes = path, writes
        self._board: Any = None  # TensorBoard's writer, where there is one
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{path}: cannot create the run folder: {error}") from None

    def write_text(self, name: str, text: str) -> None:
        """Writes a small file of the run."""
        if not self._writes:
            return
        try:
            (self.path / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{self.path / name}: cannot be written: {error}") from None

    def open_board(self) -> None:
        """Starts TensorBoard files where the extra is installed."""
        if self._writes:
            try:
                from torch.utils.tensorboard.writer import SummaryWriter
            except ImportError:
                return
            self._board = SummaryWriter(str(self.path / "tensorboard"))

    def add(self, line: dict[str, Any]) -> None:
        """Appends a line to `metrics.jsonl` and its numbers to TensorBoard."""
        if not self._writes:
            return
        try:
            with (self.path / "metrics.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise OutputError(f"{self.path}: cannot write metrics: {error}") from None
        if self._board is not None:
            for name, value in line.items():
                if isinstance(value, int | float) and name != "step":
                    self._board.add_scalar(name, value, line["step"])

    def add_picture(self, tag: str, draw: Callable[[], NDArray[np.uint8]], step: int) -> None:
        """Adds a picture, [height, width, 3], to TensorBoard; not drawn without it."""
        if self._board is not None:
            self._board.add_image(tag, draw(), step, dataformats="HWC")

    def cut_after(self, step: int) -> None:
        """Drops metrics after a checkpoint's step, before a run resumes from it."""
        path = self.path / "metrics.jsonl"
        if not self._writes or not path.exists():
            return
        kept = [
            line
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.endswith("}") and json.loads(line)["step"] <= step
        ]
        self.write_text("metrics.jsonl", "".join(f"{line}\n" for line in kept))

    def close(self) -> None:
        """Flushes and closes."""
        if self._board is not None:
            self._board.close()
