"""Programs that run a policy, chosen by the content of the model file."""

import hashlib
import json
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import PLAIN_COLUMNS, Batch
from vrpcore.arrays.coverage import trained_sizes
from vrpcore.cost.cost import Tours
from vrpcore.errors import ModelError, OutputError
from vrpcore.formats.archive import archive_names, is_pickle
from vrpcore.formats.other_files import other_file

# Exported policies of plain instances, and of the literature's variants.
FORMAT, VARIANTS_FORMAT = "vrp-policy/1", "vrp-policy/2"
_CHOICES = ("starts", "temperature", "seed")
INPUT_NAMES = {
    FORMAT: ("coords", *PLAIN_COLUMNS[1:], *_CHOICES),
    VARIANTS_FORMAT: ("coords", *Batch._fields[1:], *_CHOICES),
}
# What each input is: exported files of variants carry it.
INPUT_WORDS = {
    "coords": "places, depots first, scaled so that the longer side fills the unit square",
    "demand": "deliveries, whole numbers below 2^24; depots and padding 0",
    "capacity": "a whole number below 2^24",
    "valid": "false for padding",
    "pickup": "pickups, whole numbers of the same unit; 0: none",
    "opening": "earliest begin of service, in sides of the square, as all times and lengths",
    "closing": "latest begin of service, of depots latest return; 1e6: none",
    "service": "how long service takes",
    "limit": "longest route; 1e6: none",
    "limit_has_service": "services count towards the limit",
    "open_end": "routes end at their last customer",
    "backhauls_last": "no delivery comes after a pickup",
    "pickup_only": "routes may have only pickups",
    "num_depots": "number of depots",
    "starts": "nodes of first customers; 0 lets the policy choose",
    "temperature": "0: greedy; else samples from scores / temperature",
    "seed": "random stream of each instance",
}
MAX_MODEL_BYTES = 2**30
_HEAD_BYTES = 4096
NO_DIGEST = "-" * 64
Int64 = NDArray[np.int64]


class ModelInfo(NamedTuple):
    """The model that answers.

    Attributes:
        name: Its name.
        sha256: Hash of its weights, the same in every form of the same policy.
        train_sizes: Smallest and largest number of customers it was trained on.
        backend: `onnx`, `torchscript` or `torch`.
        device: Where it runs, e.g. `cpu`, `cuda:0`.
        format: What it knows: `FORMAT` or `VARIANTS_FORMAT`.
    """

    name: str
    sha256: str
    train_sizes: tuple[int, int]
    backend: str
    device: str
    format: str = FORMAT

    def inputs(self, batch: Batch) -> Batch:
        """A batch with the columns that a model of this format reads.

        Raises:
            ModelError: It has constraints, and the model knows plain instances only.
        """
        if self.format == VARIANTS_FORMAT:
            return batch.full()
        if not batch.plain:
            raise ModelError(
                f"{self.name}: knows plain instances only, and was given some with constraints; "
                f"use a model of format {VARIANTS_FORMAT!r}"
            )
        return batch

    def identity(self) -> dict[str, str]:
        """The `model` of a document of solutions."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "backend": self.backend,
            "device": self.device,
        }


def identity_of(
    models: Sequence[ModelInfo], constructors: Collection[str | None]
) -> dict[str, str] | None:
    """The `model` of a document: the first model that constructed something; None: none did.

    Args:
        models: Those that could.
        constructors: Of the document's solutions.
    """
    return next((each.identity() for each in models if each.name in constructors), None)


class Backend(Protocol):
    """Constructs tours; safe to call from several threads.

    Attributes:
        info: Which model it runs.
        variants: What constructs instances with constraints; None: nothing does.
    """

    info: ModelInfo
    variants: "Backend | None"

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Tours:
        """Tours of a batch, in one transfer.

        Args:
            batch: B padded instances, without constraints where the model's format is `FORMAT`.
            starts: [B, S] int64, first customers; 0 lets the policy choose.
            temperature: 0 = greedy.
            seed: [B] int64 >= 0, random stream of each instance.

        Returns:
            [B, S, T] int16 or int64, nodes; depots stand between routes and as padding. T is at
            least the longest tour.

        Raises:
            ModelError: The model failed on the batch.
            TimeoutError: The run was ended, as `until` says.
        """

    def until(self, over: Callable[[], bool]) -> "Backend":
        """Returns this backend for runs that end soon after `over` is true.

        PyTorch's runs cannot be ended.
        """

    def tune(self) -> str:
        """Called between batches while no deadline is near.

        May take a minute once, to make later batches faster.

        Returns:
            What the user should know of it, else empty.
        """


def content_digest(content: bytes, digest: str) -> str:
    """SHA-256 of a file that states this very hash, taken with `NO_DIGEST` in its place.

    Args:
        content: The file's bytes.
        digest: What it states.

    Returns:
        64 hexadecimal digits; `digest` where the file is as it was written.
    """
    return hashlib.sha256(content.replace(digest.encode(), NO_DIGEST.encode(), 1)).hexdigest()


def info_from_metadata(
    metadata: Mapping[str, str], place: str, backend: str, device: str
) -> ModelInfo:
    """Reads the metadata of an exported model.

    Raises:
        ModelError: It lacks some, or is of another format.
    """
    if metadata.get("format") not in INPUT_NAMES:
        raise ModelError(
            f"{place}: not a model of this project (format {metadata.get('format')!r}, expected "
            f"{' or '.join(map(repr, INPUT_NAMES))}); export one with vrp export"
        )
    try:
        return ModelInfo(
            name=metadata["name"],
            sha256=metadata["sha256"],
            train_sizes=trained_sizes(json.loads(metadata["train_sizes"])),
            backend=backend,
            device=device,
            format=metadata["format"],
        )
    except (KeyError, ValueError, RecursionError) as error:
        raise ModelError(f"{place}: damaged metadata ({error})") from None


def model_kind(path: Path) -> str:
    """`onnx`, `torchscript` or `checkpoint`, detected from content.

    Raises:
        OutputError: The file cannot be read.
        ModelError: It is none of these.
    """
    try:
        if not path.is_file():
            raise OutputError(f"{path}: no such model file; see vrp doctor for shipped names")
        if path.stat().st_size > MAX_MODEL_BYTES:
            raise ModelError(f"{path}: larger than the limit of {MAX_MODEL_BYTES} bytes")
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        if head[:2] == b"PK":
            return _archived_kind(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be read: {error}") from None
    # An ONNX file starts with field 1 (ir_version, varint): nothing else here does.
    if head[:1] == b"\x08":
        return "onnx"
    if is_pickle(head):
        raise ModelError(
            f"{path}: a pickle, or a file of an old PyTorch, which is not opened, because that "
            "could run any code; give a checkpoint that vrp train has written"
        )
    unknown = f"{path}: neither ONNX, TorchScript nor a checkpoint of this project"
    raise ModelError(str(other_file(head, str(path), "a model") or unknown))


def _archived_kind(path: Path) -> str:
    try:
        stored = archive_names(path, MAX_MODEL_BYTES)
    except zipfile.BadZipFile as error:
        raise ModelError(f"{path}: not a readable archive: {error}") from None
    names = [name.partition("/")[2] for name in stored]
    if "constants.pkl" in names:
        return "torchscript"
    if "data.pkl" in names:
        return "checkpoint"
    if "archive_format" in names:
        raise ModelError(
            f"{path}: an exported program (.pt2), which is not opened here: PyTorch unpickles "
            "parts of such a file or runs machine code from it, which could do anything; use "
            "the ONNX file or the checkpoint of this policy"
        )
    raise ModelError(f"{path}: an archive, but not a PyTorch model")
