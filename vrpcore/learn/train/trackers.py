"""Services that take a run's numbers and pictures, in addition to its folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import require_extra

TrackerName = Literal["tensorboard", "wandb", "mlflow"]
_PROJECT = "vrp"


class Tracker(Protocol):
    """The interface of a service."""

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        """Takes numbers of a step."""

    def picture(self, tag: str, picture: NDArray[np.uint8], step: int) -> None:
        """Takes a picture, [height, width, 3] uint8."""

    def close(self) -> None:
        """Sends what is left."""


class TensorBoard:
    """Event files in `tensorboard/` of the run folder."""

    def __init__(self, folder: Path) -> None:
        from torch.utils.tensorboard.writer import SummaryWriter

        self._writer: Any = SummaryWriter(str(folder / "tensorboard"))

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        """See `Tracker`."""
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, step)

    def picture(self, tag: str, picture: NDArray[np.uint8], step: int) -> None:
        """See `Tracker`."""
        self._writer.add_image(tag, picture, step, dataformats="HWC")

    def close(self) -> None:
        """See `Tracker`."""
        self._writer.close()


class Wandb:
    """A run of the project `vrp` at Weights & Biases, named as the run folder; resumed with it.

    Folders of one name elsewhere are other runs.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        import wandb

        self._wandb: Any = wandb
        place = hashlib.sha256(str(folder.absolute()).encode()).hexdigest()
        self._run: Any = wandb.init(
            project=_PROJECT,
            name=folder.name,
            id=f"{folder.name}-{place[:8]}",
            dir=str(folder),
            config=dict(settings),
            resume="allow",
        )

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        """See `Tracker`."""
        self._run.log(dict(numbers), step=step)

    def picture(self, tag: str, picture: NDArray[np.uint8], step: int) -> None:
        """See `Tracker`."""
        self._run.log({tag: self._wandb.Image(picture)}, step=step)

    def close(self) -> None:
        """See `Tracker`."""
        self._run.finish()


class Mlflow:
    """A run of the experiment `vrp`, at the server that MLFLOW_TRACKING_URI names.

    A resumed run is another one there, as parameters cannot change.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        import mlflow

        self._mlflow: Any = mlflow
        mlflow.set_experiment(_PROJECT)
        mlflow.start_run(run_name=folder.name)
        mlflow.log_params(dict(_flat(settings)))

    def log(self, numbers: Mapping[str, float], step: int) -> None:
        """See `Tracker`."""
        self._mlflow.log_metrics(dict(numbers), step=step)

    def picture(self, tag: str, picture: NDArray[np.uint8], step: int) -> None:
        """See `Tracker`."""
        self._mlflow.log_image(picture, f"{tag}-{step}.png")

    def close(self) -> None:
        """See `Tracker`."""
        self._mlflow.end_run()


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of nested mappings by their dotted names."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def open_trackers(
    names: list[TrackerName] | None, folder: Path, settings: Mapping[str, Any]
) -> list[Tracker]:
    """Opens the trackers of a run.

    Args:
        names: None: TensorBoard where it is installed, else nothing.
        folder: The run folder.
        settings: The configuration as plain values.

    Raises:
        MissingExtraError: One that is named is not installed.
    """
    if names is None:
        try:
            return [TensorBoard(folder)]
        except ImportError:
            return []
    found: list[Tracker] = []
    for name in names:
        require_extra(name, f"train.trackers: {name}", name)
        if name == "tensorboard":
            found.append(TensorBoard(folder))
        else:
            found.append((Wandb if name == "wandb" else Mlflow)(folder, settings))
    return found
