"""Zip archives from outside: `.npz`, checkpoints, TorchScript; pickles in them stay as they are."""

import re
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import InstanceError, fault

_START = b"PK\x03\x04"
_EMPTY = b"PK\x05\x06"
IN_TEXT = "UEsDB"  # how archives begin in base64
Arrays = Mapping[str, NDArray[Any]]

_DANGER = "reading one can run any code; where you trust it, save its"
_TENSORS = (
    f"{_DANGER} arrays as .npz: "
    "numpy.savez('data.npz', **{key: value.numpy() for key, value in data.items()})"
)
# Of the data sets of Kool et al. 2019 (attention-learn-to-route), which others have taken over.
_TUPLES = (
    f"{_DANGER} instances as JSON, of attention-learn-to-route's sets by: import json, pickle; "
    "json.dump([{'depot': depot, 'coords': coords, 'demands': demands, 'capacity': capacity} "
    "for depot, coords, demands, capacity, *_ in pickle.load(open('data.pkl', 'rb'))], "
    "open('data.json', 'w'), default=lambda array: array.tolist())"
)
_PICKLE = re.compile(rb"\x80[\x02-\x05]")  # how pickles begin, and PyTorch's files of old
_TORCH_MEMBER = "data.pkl"
_SHOWN = 200


def is_archive(head: bytes) -> bool:
    """Return whether bytes begin as those of a zip archive."""
    return head.startswith((_START, _EMPTY))


def archive_names(source: str | Path | IO[bytes], max_bytes: int) -> list[str]:
    """The names of an archive's members, after reading all of them once.

    Args:
        source: Its path, or the open file.
        max_bytes: What they may unpack to together; no more is unpacked to find out.

    Returns:
        Names as they are stored.

    Raises:
        BadZipFile: It is no archive, a member's checksum is wrong, or it is too large; the
            message says which.
        OSError: It cannot be read.
    """
    with zipfile.ZipFile(source) as archive:
        if sum(item.file_size for item in archive.infolist()) > max_bytes:
            raise zipfile.BadZipFile(f"unpacks to more than {max_bytes} bytes")
        try:
            damaged = archive.testzip()
        except Exception as error:  # each compression has errors of its own
            raise zipfile.BadZipFile(f"damaged: {error}") from None
        if damaged is not None:
            raise zipfile.BadZipFile(f"damaged: checksum of {damaged!r}")
        return archive.namelist()


def is_pickle(head: bytes) -> bool:
    """Return whether bytes begin as those of a pickle."""
    return _PICKLE.match(head) is not None


def pickle_advice(head: bytes) -> str:
    """How to save what a pickle holds, by its first bytes."""
    return _TENSORS if b"torch" in head else _TUPLES


def load_arrays(
    source: str | Path | IO[bytes], max_bytes: int, names: Collection[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Reads the arrays of an archive.

    Args:
        source: Its path, or the open file.
        max_bytes: What its members may unpack to together.
        names: Which arrays; None: all.

    Raises:
        InstanceError: It is damaged, too large, PyTorch's, or an array holds Python objects.
        OSError: It cannot be read.
    """
    try:
        found = archive_names(source, max_bytes)
        if any(Path(name).name == _TORCH_MEMBER for name in found):
            message = f"a file of PyTorch (a model: --model FILE), which holds a pickle: {_TENSORS}"
            raise InstanceError(message, code="FORMAT")
        if not isinstance(source, str | Path):
            source.seek(0)
        with np.load(source, allow_pickle=False) as arrays:
            wanted = [name for name in arrays.files if names is None or name in names]
            return {name: np.asanyarray(arrays[name]) for name in wanted}
    except (OSError, InstanceError):
        raise
    except Exception as error:  # archives and headers are damaged in many ways
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"not a readable .npz: {reason[:_SHOWN]}"
        raise InstanceError(message, code="FORMAT") from None


def check_numbers(name: str, array: NDArray[Any], kinds: str = "iuf") -> None:
    """Raises InstanceError unless an array holds numbers of these kinds of numpy's."""
    if array.dtype.kind not in kinds:
        expected = "numbers" if "f" in kinds else "integers"
        raise fault(name, f"{array.dtype}, expected {expected}", "FORMAT")


def check_array(name: str, array: NDArray[Any], shape: tuple[int, ...], kinds: str = "iuf") -> None:
    """Raises InstanceError unless an array holds numbers of these kinds in this shape."""
    check_numbers(name, array, kinds)
    if array.shape != shape:
        message = f"shape {shown_shape(array)}, expected {list(shape)}"
        raise fault(name, message, "FORMAT")


def shown_shape(array: NDArray[Any]) -> str:
    """A shape as messages write it: `[2, 3]`."""
    return str(list(array.shape))
