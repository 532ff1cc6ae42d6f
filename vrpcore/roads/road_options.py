"""Source of distances and durations that an instance does not give, declared once."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple
from urllib.parse import urlsplit

from vrpcore.config.option import Option, check_options, declared
from vrpcore.errors import ConfigError, describe

HAVERSINE = "haversine"
OSM = "osm"
SERVICES = ("osrm", "valhalla", "ors")
Time = Literal["s", "min", "h"]
Distance = Literal["m", "km", "mi"]

SECONDS: dict[Time, float] = {"s": 1.0, "min": 60.0, "h": 3600.0}
METRES: dict[Distance, float] = {"m": 1.0, "km": 1000.0, "mi": 1609.344}
MAX_BLOCK = 1000
# Where `osm=FILE` can be had.
MAPS_NEED = "from Python 3.12 on, not on Windows; else see docs/interface/roads.md"
_DAY_S = 86_400.0
_NO_CACHE = "none"
_EXPECTED = "expected osrm=URL, valhalla=URL, ors=URL, osm=FILE or haversine"
_URL = re.compile(r"[!-~]{1,2000}")  # one line of visible ASCII
Say = Callable[[str], None]


def silent(_message: str) -> None:
    """Says nothing."""


class Address(NamedTuple):
    """A routing service, or a map on this machine.

    Attributes:
        service: One of `SERVICES`, or `OSM`.
        where: `http://` or `https://`, host, maybe a port and a path, no slash at its end; of a
            map, the path of its file.
    """

    service: str
    where: str


def default_cache() -> Path:
    """The default folder for replies: the user's own cache folder."""
    base = os.environ.get("XDG_CACHE_HOME")
    folder = Path(base) if base else Path.home() / ".cache"
    return folder / "vrp" / "roads"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadOptions:
    """The matrices that instances with longitudes and latitudes get if they have none.

    Attributes:
        matrix: A routing service (`osrm=URL`, `valhalla=URL`, `ors=URL`), a map (`osm=FILE`), or
            `haversine`.
        matrix_profile: Of plain instances, and of vehicle types that name no matrix; None: the
            service's own for cars.
        matrix_time: Unit of the instances' times; None: s, of spreadsheets min.
        matrix_distance: Unit of the distances; None: m, of spreadsheets km.
        matrix_block: A request asks for at most so many rows and columns.
        matrix_cache: Folder of the replies, or `none`; None: `default_cache()`.
        matrix_timeout_s: Seconds for one request.

    Raises:
        ConfigError: A value out of range, no usable URL, or options that do not go together.
    """

    matrix: Annotated[
        str | None,
        Option(
            "Matrices by road: osrm=URL, valhalla=URL, ors=URL, or a map, osm=FILE; or haversine."
        ),
    ] = None
    matrix_profile: Annotated[
        str | None, Option("Profile of vehicles that name no matrix; default: a car's.")
    ] = None
    matrix_time: Annotated[
        Time | None,
        Option("Unit of the instances' times, with --matrix; default s, for spreadsheets min."),
    ] = None
    matrix_distance: Annotated[
        Distance | None,
        Option("Unit of distances, with --matrix; default m, for spreadsheets km."),
    ] = None
    matrix_block: Annotated[
        int, Option("Most rows and columns of a matrix in one request.", 1, MAX_BLOCK)
    ] = 50
    matrix_cache: Annotated[
        str | None, Option("Folder for replies, or none; default: in the user's cache folder.")
    ] = None
    matrix_timeout_s: Annotated[
        float, Option("Seconds for one request.", low=0.0, high=_DAY_S, positive=True)
    ] = 60.0

    def __post_init__(self) -> None:
        check_options(self)
        if self.matrix is None:
            for item in declared(RoadOptions):
                if getattr(self, item.name) != item.default:
                    raise ConfigError(f"{item.public}: needs matrix, {_EXPECTED}")
            return
        if self.matrix != HAVERSINE:
            parse_address(self.matrix)
        if self.matrix_cache == "":
            raise ConfigError(f"matrix_cache: '', expected a folder, or {_NO_CACHE}")
        if self.matrix_profile is not None and not is_profile(self.matrix_profile):
            message = "is not a profile; expected letters, digits, - and _, at most 64"
            raise ConfigError(f"matrix_profile: {describe(self.matrix_profile)} {message}")

    @property
    def address(self) -> Address | None:
        """The routing service or the map; None without one."""
        if self.matrix is None or self.matrix == HAVERSINE:
            return None
        return parse_address(self.matrix)

    @property
    def cache_folder(self) -> Path | None:
        """The folder for replies; None: they are not kept."""
        if self.matrix_cache == _NO_CACHE:
            return None
        return default_cache() if self.matrix_cache is None else Path(self.matrix_cache)


def parse_address(text: str) -> Address:
    """Reads `osrm=http://localhost:5000`, `osm=berlin.osm.pbf` and the like.

    Raises:
        ConfigError: No such service, a URL that is not plain http or https, or no file.
    """
    service, separator, url = text.partition("=")
    if service == OSM and url:
        return Address(OSM, url)
    if service not in SERVICES or not separator:
        raise ConfigError(f"matrix: {describe(text)}, {_EXPECTED}")
    try:
        if not _URL.fullmatch(url):
            raise ValueError
        parts = urlsplit(url)
        port_is_fine = parts.port != 0  # ValueError beyond 65535
    except ValueError:
        raise ConfigError(f"matrix: {describe(url)} is not a URL") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise ConfigError(f"matrix: {describe(url)}, expected http://HOST or https://HOST")
    if "@" in parts.netloc or "?" in url or "#" in url:
        message = "expected a URL without user, password, ? and #"
        raise ConfigError(f"matrix: {service} at {parts.hostname}: {message}")
    return Address(service, url.rstrip("/"))


def is_profile(name: str) -> bool:
    """Return whether a name can be a service's profile: it has no character special in a URL."""
    return re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) is not None
