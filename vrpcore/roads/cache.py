"""Replies of routing services on disk, found by what was asked.

A file holds one block: its name is the hash of the question, its content begins with the hash
of the rest. A file that is damaged, of another shape or too old counts as missing.
"""

import contextlib
import hashlib
import json
import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from vrpcore.errors import OutputError
from vrpcore.formats.files import reason, write_bytes
from vrpcore.roads.road_options import Address
from vrpcore.roads.services import MatrixBlock, RoadMatrices, Shape

MAX_BYTES = 2**30
MAX_AGE_S = 30 * 86_400.0  # roads change
_MAGIC = b"vrproad1"
_HEAD = struct.Struct("<dII")  # when it was fetched, rows, columns
_DIGEST = hashlib.sha256().digest_size
_ENDING = ".block"
_KEPT = 0.9  # of the bytes allowed, after the oldest were removed


def key_of(address: Address, profile: str, piece: MatrixBlock) -> str:
    """The name of a question: a hash of service, profile and coordinates."""
    content = [*address, profile, piece.sources, piece.targets]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


class ReplyCache:
    """A folder of blocks that never grows beyond a limit for long.

    Args:
        folder: Created where it is missing, for this user only.
        limit: Most bytes; beyond it, those that were not used for longest are removed.
        now: Returns seconds since 1970.

    Raises:
        OutputError: The folder cannot be created.
    """

    def __init__(
        self, folder: Path, limit: int = MAX_BYTES, now: Callable[[], float] = time.time
    ) -> None:
        self._folder, self._limit, self._now = folder, limit, now
        self._unchecked = limit  # bytes written since the folder was last measured; at first: all
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from None

    def get(self, key: str, shape: Shape) -> RoadMatrices | None:
        """A block that was put under a key, None if there is none that can be used.

        Args:
            key: From `key_of`.
            shape: Rows and columns that it must have.
        """
        path, cells = self._path(key), shape[0] * shape[1]
        size = len(_MAGIC) + _DIGEST + _HEAD.size + 2 * 8 * cells
        try:
            with path.open("rb") as file:
                data = file.read(size + 1)
        except OSError:
            return None
        head, body = data[: len(_MAGIC) + _DIGEST], data[len(_MAGIC) + _DIGEST :]
        if len(data) != size or head != _MAGIC + hashlib.sha256(body).digest():
            return None
        fetched, *found = _HEAD.unpack_from(body)
        if tuple(found) != shape or not 0 <= self._now() - fetched <= MAX_AGE_S:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used just now
        return RoadMatrices(*np.frombuffer(body, "<f8", offset=_HEAD.size).reshape(2, *shape))

    def put(self, key: str, block: RoadMatrices) -> None:
        """Keeps a block; it appears whole or not at all.

        Raises:
            OutputError: It cannot be written.
        """
        body = _HEAD.pack(self._now(), *block.durations.shape)
        body += b"".join(np.ascontiguousarray(part, "<f8").tobytes() for part in block)
        data = _MAGIC + hashlib.sha256(body).digest() + body
        path = self._path(key)
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_bytes(path, data)
        except (OSError, OutputError) as error:
            raise self._unusable(error) from None
        self._unchecked += len(data)
        if self._unchecked > self._limit // 10:
            self._shrink()

    def _shrink(self) -> None:
        """Removes what was not used for longest, and what interrupted writers left."""
        self._unchecked = 0
        files = []
        with contextlib.suppress(OSError):
            for path in self._folder.glob("??/*"):
                with contextlib.suppress(OSError):  # another process may have removed it
                    if path.suffix in (_ENDING, ".part"):
                        about = path.stat()
                        files.append((about.st_mtime, about.st_size, path))
        total = sum(size for _, size, _ in files)
        if total <= self._limit:
            return
        for _, size, path in sorted(files):
            if total <= self._limit * _KEPT:
                return
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / (key[2:] + _ENDING)

    def _unusable(self, error: OSError | OutputError) -> OutputError:
        advice = "choose another --matrix-cache, or none"
        own = error.__cause__ if isinstance(error.__cause__, OSError) else error
        return OutputError(f"{self._folder}: cannot be written: {reason(own)}; {advice}")
