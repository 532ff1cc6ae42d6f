"""A few streets as a map of OpenStreetMap, written by hand.

    7                       a path for bicycles alone
    |
    4 ----- 5 ------------- 6
    |       ^               |                  8 ----- 9     joined to nothing
    |       |               |
    1 ----- 2 ------------- 3

4 is north of 1. Trucks may not take the street from 1 to 4; 2 to 5 is one-way.
"""

import struct

import pytest

from vrpcore.errors import MissingExtraError
from vrpcore.roads.map_tiles import program


def _is_installed():
    try:
        return bool(program("valhalla_service"))
    except MissingExtraError:
        return False


needs_valhalla = pytest.mark.skipif(
    not _is_installed(),
    reason="pyvalhalla is not installed; docs/interface/roads.md says how",
)
ACROSS, UP = 715.5, 1112.5  # metres of 0.01 degrees at 50 degrees north
PACE = 3.6 / 50  # seconds for a metre
_GRID = {
    **{1: (0, 0), 2: (1, 0), 3: (3, 0), 4: (0, 1), 5: (1, 1), 6: (3, 1), 7: (0, 2)},
    **{8: (12, 0), 9: (13, 0)},
}
POINTS = {number: [8 + x / 100, 50 + y / 100] for number, (x, y) in _GRID.items()}
OFF_MAP = [8.0, 49.9]  # 11 km south of 1
_STREET = {"highway": "residential", "maxspeed": "50"}
STREETS = (
    ([1, 2, 3], _STREET),
    ([4, 5, 6], _STREET),
    ([3, 6], _STREET),
    ([1, 4], _STREET | {"hgv": "no"}),
    ([2, 5], _STREET | {"oneway": "yes"}),
    ([4, 7], {"highway": "cycleway"}),
    ([8, 9], _STREET),
)


def write_map(path, streets=STREETS):
    """Writes streets as .osm.pbf: nodes, then ways, each in a block of its own."""
    texts = [b""]

    def place(text):
        if text.encode() not in texts:
            texts.append(text.encode())
        return _number(texts.index(text.encode()))

    nodes = b"".join(
        _field(1, _key(1) + _signed(number) + _key(8) + _degrees(y) + _key(9) + _degrees(x))
        for number, (x, y) in POINTS.items()
    )
    ways = b""
    for number, (along, tags) in enumerate(streets, start=1):
        steps = b"".join(_signed(b - a) for a, b in zip([0, *along], along, strict=False))
        keys, values = (b"".join(map(place, each)) for each in (tags, tags.values()))
        way = _key(1) + _number(number) + _field(2, keys) + _field(3, values) + _field(8, steps)
        ways += _field(3, way)
    table = _field(1, b"".join(_field(1, text) for text in texts))
    blocks = (("OSMHeader", _field(4, b"OsmSchema-V0.6")),)
    blocks += tuple(("OSMData", table + _field(2, group)) for group in (nodes, ways))
    path.write_bytes(b"".join(_block(*each) for each in blocks))
    return path


def _block(kind, content):
    body = _field(1, content)
    head = _field(1, kind.encode()) + _key(3) + _number(len(body))
    return struct.pack(">I", len(head)) + head + body


def _number(value):
    """A protobuf number: seven bits a byte, lowest first."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _signed(value):
    return _number(2 * value if value >= 0 else -2 * value - 1)


def _degrees(value):
    return _signed(round(value * 1e7))


def _key(field):
    return _number(field << 3)


def _field(field, content):
    return _number(field << 3 | 2) + _number(len(content)) + content


def stand_in(tmp_path, script):
    """A program of Valhalla's that does something else, as `program` returns its path."""
    path = tmp_path / "stand_in"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return lambda name: path if name == "valhalla_service" else program(name)
