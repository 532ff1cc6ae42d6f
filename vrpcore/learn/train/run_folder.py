"""A run's folder: configuration, environment and metrics; trackers that take them, too."""

import json
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import OutputError
from vrpcore.formats.files import claimed
from vrpcore.learn.train.trackers import Tracker, TrackerName, open_trackers
from vrpcore.plot.figure import save
from vrpcore.plot.training import draw_training


class RunFolder:
    """The folder of a run.

    Args:
        path: The folder; `claim` makes it.
        writes: False in processes that leave all writing to another.
    """

    def __init__(self, path: Path, writes: bool) -> None:
        self.path, self._writes = path, writes
        self._trackers: list[Tracker] = []
        self._claim: ExitStack | None = None

    def claim(self) -> None:
        """Makes the folder if it is missing, and keeps other runs from it until `close`.

        Raises:
            OutputError: It cannot be made, or another run writes in it.
        """
        if self._claim is not None or not self._writes:
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot create the run folder: {error}") from None
        self._claim = ExitStack()
        self._claim.enter_context(claimed(self.path, folder=True))

    def write_text(self, name: str, text: str) -> None:
        """Writes a small file of the run."""
        if not self._writes:
            return
        try:
            (self.path / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{self.path / name}: cannot be written: {error}") from None

    def track(self, names: list[TrackerName] | None, settings: Mapping[str, Any]) -> None:
        """Opens trackers; arguments and errors as of `open_trackers`."""
        if self._writes:
            self._trackers = open_trackers(names, self.path, settings)

    def add(self, line: dict[str, Any]) -> None:
        """Appends a line to `metrics.jsonl`, and gives its numbers to trackers."""
        if not self._writes:
            return
        try:
            with (self.path / "metrics.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise OutputError(f"{self.path}: cannot write metrics: {error}") from None
        numbers = {
            name: value
            for name, value in line.items()
            if isinstance(value, int | float) and name != "step"
        }
        self._tell(lambda tracker: tracker.log(numbers, line["step"]))

    def add_picture(self, tag: str, draw: Callable[[], NDArray[np.uint8]], step: int) -> None:
        """Gives a picture, [height, width, 3], to trackers; not drawn without any, or Pillow."""
        if self._trackers and find_spec("PIL") is not None:
            picture = draw()
            self._tell(lambda tracker: tracker.picture(tag, picture, step))

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

    def draw(self) -> None:
        """Draws `metrics.jsonl` as `curves.png`, where matplotlib (extra `plot`) is installed."""
        metrics = self.path / "metrics.jsonl"
        if not self._writes or not metrics.exists() or find_spec("matplotlib") is None:
            return
        lines = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
        save(draw_training(lines), self.path / "curves.png")

    def close(self) -> None:
        """Closes trackers, and lets other runs have the folder."""
        self._tell(lambda tracker: tracker.close())
        if self._claim is not None:
            self._claim.close()
            self._claim = None

    def _tell(self, what: Callable[[Tracker], None]) -> None:
        """Report to all trackers; drop one that fails, and go on."""
        for tracker in list(self._trackers):
            try:
                what(tracker)
            except Exception as error:  # services fail in many ways, and training needs none
                self._trackers.remove(tracker)
                name = type(tracker).__name__
                warnings.warn(f"{name} failed, continuing without it: {error}", stacklevel=3)
