"""Data frames of pandas as the CSV files that they could be saved as."""

from typing import Any, Protocol, runtime_checkable

from vrpcore.errors import InstanceError
from vrpcore.formats.files import ByteReader


@runtime_checkable
class Frame(Protocol):
    """A data frame; pandas itself is not loaded for it."""

    index: Any
    columns: Any

    def convert_dtypes(self) -> Any:
        """The same with whole numbers as such."""

    def to_csv(self, path: None = None, *, index: bool = True) -> Any:
        """As text."""


def frame_reader(frame: Frame, label: str) -> ByteReader:
    """A data frame as a file, at its header.

    The index is a column if it has a name. What is missing is an empty cell, and does not make
    whole numbers of its column into others.

    Args:
        frame: Rows of stops or of vehicles.
        label: What messages call it; in these, the header is row 1.

    Raises:
        InstanceError: It has no columns, or several levels of them.
    """
    levels = frame.columns.nlevels
    if levels > 1:
        message = f"{levels} levels of columns, expected one"
        raise InstanceError(f"{label}: {message}; flatten them", code="SHAPE")
    if not len(frame.columns):
        message = "no columns, expected some such as id, lat, lon, demand"
        raise InstanceError(f"{label}: {message}", code="EMPTY")
    named = any(name is not None for name in frame.index.names)
    text: str = frame.convert_dtypes().to_csv(index=named)
    return ByteReader(iter([text.encode()]), label, None)
