"""Replies on disk: found by what was asked, never trusted, never too many."""

import errno
import math
import os
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from vrpcore.errors import OutputError
from vrpcore.roads.cache import MAX_AGE_S, ReplyCache, key_of
from vrpcore.roads.road_options import Address
from vrpcore.roads.services import MatrixBlock, RoadMatrices

ADDRESS = Address("osrm", "http://localhost:5000")
PIECE = MatrixBlock(((8.1, 49.0),), ((8.2, 49.0), (8.3, 49.1)))
KEY = key_of(ADDRESS, "driving", PIECE)
BLOCK = RoadMatrices(np.array([[1.5, math.nan]]), np.array([[20.0, 1e9]]))


def test_a_key_says_everything_that_was_asked():
    others = [
        key_of(Address("ors", ADDRESS.where), "driving", PIECE),
        key_of(Address("osrm", "http://localhost:5001"), "driving", PIECE),
        key_of(ADDRESS, "bike", PIECE),
        key_of(ADDRESS, "driving", MatrixBlock(PIECE.targets, PIECE.sources)),
        key_of(ADDRESS, "driving", MatrixBlock(PIECE.sources, PIECE.targets[:1])),
    ]
    assert len({KEY, *others}) == 6
    assert key_of(ADDRESS, "driving", MatrixBlock(*PIECE)) == KEY


def test_what_is_put_comes_back_bit_by_bit(tmp_path):
    cache = ReplyCache(tmp_path / "a" / "b")
    assert cache.get(KEY, (1, 2)) is None
    cache.put(KEY, BLOCK)
    for reader in (cache, ReplyCache(tmp_path / "a" / "b")):
        found = reader.get(KEY, (1, 2))
        assert found.durations.tobytes() == BLOCK.durations.tobytes()
        assert found.distances.tobytes() == BLOCK.distances.tobytes()
    assert cache.get(KEY, (2, 1)) is None
    assert cache.get(KEY, (1, 3)) is None


def only_file(folder):
    (file,) = (path for path in folder.rglob("*") if path.is_file())
    return file


def test_every_damaged_byte_and_every_length_counts_as_missing(tmp_path):
    cache = ReplyCache(tmp_path)
    cache.put(KEY, BLOCK)
    file = only_file(tmp_path)
    data = file.read_bytes()
    for place in range(len(data)):
        file.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert cache.get(KEY, (1, 2)) is None, place
    for size in range(len(data)):
        file.write_bytes(data[:size])
        assert cache.get(KEY, (1, 2)) is None, size
    file.write_bytes(data + b"x")
    assert cache.get(KEY, (1, 2)) is None
    cache.put(KEY, BLOCK)
    assert cache.get(KEY, (1, 2)) is not None


def test_what_is_old_is_asked_again(tmp_path):
    ReplyCache(tmp_path, now=lambda: 1000.0).put(KEY, BLOCK)
    assert ReplyCache(tmp_path, now=lambda: 1000.0 + MAX_AGE_S).get(KEY, (1, 2)) is not None
    assert ReplyCache(tmp_path, now=lambda: 1001.0 + MAX_AGE_S).get(KEY, (1, 2)) is None
    assert ReplyCache(tmp_path, now=lambda: 999.0).get(KEY, (1, 2)) is None


def test_the_least_used_make_room(tmp_path):
    block = RoadMatrices(np.zeros((10, 10)), np.zeros((10, 10)))
    keys = [key_of(ADDRESS, f"profile-{number}", PIECE) for number in range(30)]
    cache = ReplyCache(tmp_path, limit=20_000)
    for age, key in enumerate(keys[:10]):
        cache.put(key, block)
        path = next(tmp_path.rglob(f"{key[2:]}.block"))
        os.utime(path, (age, age))  # long ago, the first longest
    assert cache.get(keys[0], (10, 10)) is not None  # used just now
    for key in keys[10:]:
        cache.put(key, block)
    sizes = [path.stat().st_size for path in tmp_path.rglob("*.block")]
    assert 10_000 < sum(sizes) <= 22_000
    assert cache.get(keys[1], (10, 10)) is None
    assert cache.get(keys[29], (10, 10)) is not None


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="choose another --matrix-cache, or none"):
        ReplyCache(tmp_path / "file" / "below")
    cache = ReplyCache(tmp_path / "cache")
    (tmp_path / "cache" / KEY[:2]).write_text("in the way")
    with pytest.raises(OutputError, match="cannot be written"):
        cache.put(KEY, BLOCK)
    assert cache.get(KEY, (1, 2)) is None


def test_a_full_disk_is_said_once(tmp_path, monkeypatch):
    cache, full = ReplyCache(tmp_path / "cache"), OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(Path, "write_bytes", Mock(side_effect=full))
    with pytest.raises(OutputError, match=r"cache: cannot be written: No space left on device; c"):
        cache.put(KEY, BLOCK)
