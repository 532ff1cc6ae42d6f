"""Zip archives from outside: `.npz`, checkpoints and TorchScript are such."""

import zipfile
from pathlib import Path
from typing import IO

_START = b"PK\x03\x04"
_EMPTY = b"PK\x05\x06"


def is_archive(head: bytes) -> bool:
    """Whether bytes begin as those of a zip archive."""
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
