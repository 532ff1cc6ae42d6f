"""Maps of OpenStreetMap on this machine: checked, and made into Valhalla's tiles once.

Tiles are kept next to the map, in `FILE.valhalla/NAME/`. The name is a hash of what they depend on:
the map's name, size and time of change, Valhalla's version and the settings below; not its path,
which containers see differently. A folder appears whole or not at all.
"""

import contextlib
import hashlib
import importlib.metadata
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock

from vrpcore.errors import MissingExtraError, OutputError, RoadsError
from vrpcore.roads.road_client import shown
from vrpcore.roads.road_options import MAPS_NEED, MAX_BLOCK, Say
from vrpcore.roads.services import MAP_POINTS

MAX_MAP_BYTES = 2**35
NEAR_M = 5000  # from a location to the road that serves it, at most
CONFIG = "config.json"
_FURTHEST_M = 1e7
_TILES = "tiles"
_MARK = b"OSMHeader"  # the kind of the first block, which begins a map
_HEAD_BYTES = 64
_LOG_BYTES = 2000
_LIMITS = {
    "max_distance": _FURTHEST_M,
    "max_locations": MAP_POINTS,
    "max_matrix_distance": _FURTHEST_M,
    "max_matrix_location_pairs": MAX_BLOCK**2,
}
_NOT_HERE = ("tile_extract", "traffic_extract", "admin", "landmarks", "timezone", "transit_dir")


def program(name: str) -> Path:
    """Finds one of Valhalla's programs in the package pyvalhalla.

    Raises:
        MissingExtraError: It is not installed.
    """
    path = Path(str(_package().locate_file(f"valhalla/bin/{name}")))
    if not path.is_file():  # versions without programs
        raise _missing()
    return path


def tiles_of(file: Path, say: Say) -> Path:
    """Returns the folder of a map's tiles and Valhalla's settings, made if there is none.

    Args:
        file: The map, `.osm.pbf`.
        say: Called with a message before what takes long.

    Raises:
        MissingExtraError: pyvalhalla is not installed.
        OutputError: The map cannot be read, or its tiles not be written.
        RoadsError: It is no map, or one without roads.
    """
    builder = program("valhalla_build_tiles")
    folder = Path(f"{file}.valhalla")
    made = folder / _name(file)
    if made.is_dir():
        return made
    say(f"{file}: preparing its roads once, in {folder}; a large map takes long")
    try:
        folder.mkdir(exist_ok=True)
        with FileLock(folder / "lock"):
            if not made.is_dir():  # another process may have made it meanwhile
                _make(builder, file, made)
                _remove_others(made)
    except OSError as error:
        message = f"{folder}: cannot be written: {error.strerror}; copy the map to another folder"
        raise OutputError(message) from None
    return made


def last_line(log: BinaryIO) -> str:
    """Returns the last line that a program wrote, short and printable.

    Args:
        log: What it wrote; empty, if nothing.
    """
    log.seek(max(log.seek(0, os.SEEK_END) - _LOG_BYTES, 0))
    lines = log.read().decode("utf-8", "replace").split("\n")
    return shown(next((line for line in reversed(lines) if line.strip()), "no message").strip())


def _package() -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution("pyvalhalla")
    except importlib.metadata.PackageNotFoundError:
        raise _missing() from None


def _missing() -> MissingExtraError:
    return MissingExtraError("roads", f"--matrix osm=FILE ({MAPS_NEED})")


def _name(file: Path) -> str:
    """A name for the tiles of a map that differs from those of its other states."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
        about = file.stat()
    except OSError as error:
        raise OutputError(f"{file}: cannot be read: {error.strerror}") from None
    if _MARK not in head:
        raise RoadsError(f"{file}: no map; expected an extract of OpenStreetMap, .osm.pbf")
    if about.st_size > MAX_MAP_BYTES:
        message = f"{about.st_size} bytes, the limit is {MAX_MAP_BYTES}; take a smaller extract"
        raise RoadsError(f"{file}: {message}")
    state = [file.resolve().name, about.st_size, about.st_mtime_ns]
    content = [*state, _package().version, _LIMITS, NEAR_M]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def _make(builder: Path, file: Path, made: Path) -> None:
    """Makes tiles in a folder that gets its name when they are complete."""
    part = made.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)  # of a process that was ended
    try:
        (part / _TILES).mkdir(parents=True)
        (part / CONFIG).write_text(json.dumps(_settings(builder)), "utf-8")
        # A name without a comma, at which the program would cut it.
        link, log = part / "map.osm.pbf", part / "log"
        link.symlink_to(file.resolve())
        with log.open("w+b") as output:
            done = subprocess.run(  # noqa: S603 - a program of an installed package
                [builder, "-c", CONFIG, link.name],
                cwd=part,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
            if done.returncode or not any((part / _TILES).rglob("*.gph")):
                message = "Valhalla finds no roads in this map; is it complete, and are there any?"
                raise RoadsError(f"{file}: {message} It says: {last_line(output)}")
        link.unlink()
        log.unlink()
        part.rename(made)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _settings(builder: Path) -> dict[str, Any]:
    """Valhalla's own settings, with the limits of this machine instead of a public server's."""
    script = builder.parent.parent / "valhalla_build_config.py"
    told = subprocess.run(  # noqa: S603 - a program of an installed package
        [sys.executable, "-I", script], capture_output=True, check=False
    )
    if told.returncode:
        found = f"{script.name} ended with status {told.returncode}"
        message = f"{found}: {last_line(io.BytesIO(told.stderr))}; install pyvalhalla again"
        raise RoadsError(f"Valhalla's settings: {message}")
    settings: dict[str, Any] = json.loads(told.stdout)
    tiles = {key: value for key, value in settings["mjolnir"].items() if key not in _NOT_HERE}
    search = settings["loki"]["service_defaults"] | {"search_cutoff": NEAR_M}
    # Two locations that no road joins are an answer of their own, not a wrong question.
    locations = settings["loki"] | {"use_connectivity": False, "service_defaults": search}
    limits = {
        key: value | _LIMITS
        if isinstance(value, dict) and "max_matrix_distance" in value
        else value
        for key, value in settings["service_limits"].items()
    }
    return settings | {
        "mjolnir": tiles | {"tile_dir": _TILES},
        "loki": locations,
        "service_limits": limits,
    }


def _remove_others(made: Path) -> None:
    """Removes the tiles of the map's earlier states."""
    for path in made.parent.iterdir():
        if path != made and re.fullmatch(r"[0-9a-f]{32}(\.part)?", path.name):
            with contextlib.suppress(OSError):
                shutil.rmtree(path)
