"""What a server allows and where it keeps its jobs."""

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from vrpcore.errors import ConfigError

API_KEY_VARIABLE = "VRP_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """Limits, addresses and files of the server.

    Attributes:
        host: Where to listen; anything but loopback needs an API key.
        port: 0 lets the system choose.
        api_key: Every request except health must send it; None: no key.
        max_body_bytes: Per request.
        max_instances: Per request.
        max_customers: Per instance.
        max_time_limit_s: Per request.
        max_job_instances: Per job.
        max_jobs: Queued or stored at once.
        room: Most customers, over all requests, waiting or being solved.
        workers: Solver threads; None: one per core.
        jobs: The database of the jobs.

    Raises:
        ConfigError: A value out of range, or no API key where one is needed.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    api_key: str | None = field(default=None, repr=False)
    max_body_bytes: int = 32 * 2**20
    max_instances: int = 10_000
    max_customers: int = 10_000
    max_time_limit_s: float = 300.0
    max_job_instances: int = 100_000
    max_jobs: int = 1000
    room: int = 200_000
    workers: int | None = None
    jobs: Path = Path("vrp-jobs.sqlite")

    def __post_init__(self) -> None:
        for name in (
            "max_body_bytes",
            "max_instances",
            "max_customers",
            "max_time_limit_s",
            "max_job_instances",
            "max_jobs",
            "room",
        ):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name}: {getattr(self, name)} is not a positive number")
        if self.workers is not None and self.workers < 1:
            raise ConfigError(f"workers: {self.workers} is not a positive number")
        if not 0 <= self.port < 2**16:
            raise ConfigError(f"port: {self.port} is not between 0 and 65535")
        if self.api_key is None and not is_loopback(self.host):
            raise ConfigError(
                f"host: {self.host} can be reached from other machines; set {API_KEY_VARIABLE} "
                "to a secret that requests must send, or listen on 127.0.0.1"
            )


def is_loopback(host: str) -> bool:
    """True where only this machine can connect."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def api_key_from_environment() -> str | None:
    """The key that is set, None where there is none.

    Raises:
        ConfigError: It is too short to be a secret.
    """
    key = os.environ.get(API_KEY_VARIABLE)
    if not key:
        return None
    if len(key) < 16:
        raise ConfigError(f"{API_KEY_VARIABLE}: {len(key)} characters, expected at least 16")
    return key


def default_jobs_file() -> Path:
    """Where jobs are kept unless told otherwise: the user's own state folder."""
    base = os.environ.get("XDG_STATE_HOME")
    folder = Path(base) if base else Path.home() / ".local" / "state"
    return folder / "vrp" / "jobs.sqlite"
