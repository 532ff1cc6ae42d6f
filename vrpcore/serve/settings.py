"""Limits of a server, and the place of its jobs."""

import os
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

from vrpcore.client import API_KEY_VARIABLE, is_loopback
from vrpcore.config.option import Option, check_options
from vrpcore.errors import ConfigError, describe

# No signs that mean something in a header or a page; braces only behind the host.
_HOST = r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?"
_TILES = re.compile(rf"({_HOST})/[\w{{}}./?=&%@:~+-]*", re.ASCII)
_ORIGIN = re.compile(r"\*|https?://[A-Za-z0-9.\[\]:_-]{1,255}")
_ROOT = re.compile(r"(/[\w.~-]+)*", re.ASCII)
_Limit = partial(Option, low=1, positive=True)
_Megabytes = partial(_Limit, read=lambda megabytes: megabytes * 2**20)


def api_key_from_environment() -> str | None:
    """The key that is set, None where there is none.

    Raises:
        ConfigError: It is too short to be a secret, or cannot stand in a header.
    """
    key = os.environ.get(API_KEY_VARIABLE)
    if not key:
        return None
    if len(key) < 16:
        raise ConfigError(f"{API_KEY_VARIABLE}: {len(key)} characters, expected at least 16")
    if not (key.isascii() and key.isprintable() and key == key.strip()):
        expected = "expected letters, digits and signs of ASCII, without blanks at the ends"
        raise ConfigError(f"{API_KEY_VARIABLE}: cannot be sent in a header; {expected}")
    return key


def default_jobs_file() -> Path:
    """The default file for jobs: in the user's own state folder."""
    base = os.environ.get("XDG_STATE_HOME")
    folder = Path(base) if base else Path.home() / ".local" / "state"
    return folder / "vrp" / "jobs.sqlite"


def tiles_origin(url: str) -> str:
    """The scheme, host and port of a tiles' URL: what the page may load from.

    Raises:
        ConfigError: It is no such URL.
    """
    found = _TILES.fullmatch(url)
    if found is None or any(url.count(part) != 1 for part in ("{z}", "{x}", "{y}")):
        raise ConfigError(
            f"tiles: {url!r} is no URL of tiles; expected one such as "
            "https://tile.openstreetmap.org/{z}/{x}/{y}.png, with {z}, {x} and {y} once each"
        )
    return found[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """Limits, addresses and files of the server; its API key, by default the environment's.

    Raises:
        ConfigError: A value out of range, or no API key where one is needed.
    """

    host: Annotated[str, Option("Address; any but loopback requires VRP_API_KEY.")] = "127.0.0.1"
    port: Annotated[int, Option("0: any free port.", 0, 65535)] = 8000
    api_key: str | None = field(default_factory=api_key_from_environment, repr=False)
    workers: Annotated[int | None, _Limit("Solver threads, at least 2; default: one per core.")] = (
        None
    )
    jobs: Annotated[Path, Option("Job database; default: in the user's state folder.")] = field(
        default_factory=default_jobs_file
    )
    room: Annotated[
        int, _Limit("Maximum number of customers waiting or being solved; more get 429.")
    ] = 200_000
    max_body_bytes: Annotated[
        int,
        _Megabytes(
            "Maximum request size; larger ones get 413.", flags=("--max-body-mb",), written=32
        ),
    ] = 32 * 2**20
    max_memory_bytes: Annotated[
        int,
        _Megabytes(
            "Most memory of instances and matrices; one request beyond it gets 413, several 429.",
            flags=("--max-memory-mb",),
            written=1024,
        ),
    ] = 1024 * 2**20
    max_instances: Annotated[int, _Limit("Most instances of a request.")] = 10_000
    max_customers: Annotated[int, _Limit("Most customers of an instance.")] = 10_000
    max_job_instances: Annotated[int, _Limit("Most instances of a job.")] = 100_000
    max_jobs: Annotated[int, _Limit("Most jobs stored at once.")] = 1000
    max_streams: Annotated[int, _Limit("Most event streams open at once; more get 429.")] = 100
    max_connections: Annotated[
        int | None,
        _Limit(
            "Most connections at once; default: a third of the limit of open files, up to 4096."
        ),
    ] = None
    body_timeout_s: Annotated[
        float,
        _Limit("Most seconds to receive a body, or to send an answer; more get 408.", low=0.0),
    ] = 30.0
    max_time_limit_s: Annotated[
        float, _Limit("Largest time_limit of a request; without one, it has no limit.", low=0.0)
    ] = 300
    tiles: Annotated[
        str | None,
        Option("Street map for the page: URL of its tiles with {z}, {x} and {y}; default: none."),
    ] = None
    tiles_attribution: Annotated[
        str, Option("Attribution of the street map, as its host asks for it.")
    ] = "\N{COPYRIGHT SIGN} OpenStreetMap contributors"
    max_routed: Annotated[
        int, _Limit("With --matrix: most stops of an instance whose roads are asked for.")
    ] = 500
    root_path: Annotated[
        str, Option("Prefix of the server's paths at a proxy, such as /vrp; default: none.")
    ] = ""
    drain_s: Annotated[
        float, Option("Seconds to go on answering after SIGTERM, while not ready.", low=0.0)
    ] = 0.0
    cors: Annotated[
        str | None, Option("Origin whose pages may send requests, or *; default: none.")
    ] = None

    def __post_init__(self) -> None:
        check_options(self)
        if self.tiles is not None:
            tiles_origin(self.tiles)
        if not _ROOT.fullmatch(self.root_path):
            raise ConfigError(
                f"root_path: {describe(self.root_path)} is not a prefix of paths; expected one "
                "such as /vrp, without a slash at its end"
            )
        if self.cors is not None and not _ORIGIN.fullmatch(self.cors):
            raise ConfigError(
                f"cors: {describe(self.cors)} is not an origin; expected https://HOST, "
                "http://HOST:PORT or *"
            )
        if self.api_key is None and not is_loopback(self.host):
            raise ConfigError(
                f"host: {self.host} can be reached from other machines; set {API_KEY_VARIABLE} "
                "to a secret that requests must send, or listen on 127.0.0.1"
            )
