"""The options of a solve, validated once."""

import math
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

from vrpcore.errors import ConfigError

Decode = Literal["greedy", "multistart", "sample"]
Improve = Literal["none", "fast", "deep"]
DECODES: tuple[Decode, ...] = get_args(Decode)
IMPROVES: tuple[Improve, ...] = get_args(Improve)

DEFAULT_SAMPLES = 32
MAX_ROLLOUTS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveOptions:
    """The options of `vrp solve` that change answers or speed.

    Attributes:
        decode: `greedy`: one construction; `multistart`: one from each of `starts` first
            customers; `sample`: `samples` random constructions.
        starts: First customers per instance; None: by size.
        samples: Constructions per instance when sampling.
        augment: Symmetric copies per instance, 1 to 8.
        improve: Amount of search on the host.
        time_limit_s: Seconds for the whole call; None: no limit. The cheapest construction,
            checking and writing always finish; the search runs until the time is up.
        time_per_instance_s: Seconds of search per instance, from the start of that search;
            with a time limit as well, the earlier end counts.
        seed: Random seed.
        batch: Instances per batch; None: by size.
        workers: Search threads; None: one per core. With fewer instances than threads, a search
            uses several; without a time limit this changes no answer.
        threads: Construction threads; None: one per core.

    Raises:
        ConfigError: A value out of range.
    """

    decode: Decode = "multistart"
    starts: int | None = None
    samples: int = DEFAULT_SAMPLES
    augment: int = 1
    improve: Improve = "fast"
    time_limit_s: float | None = None
    time_per_instance_s: float | None = None
    seed: int = 1234
    batch: int | None = None
    workers: int | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        for name, known in (("decode", DECODES), ("improve", IMPROVES)):
            value = getattr(self, name)
            if value not in known:
                raise ConfigError(f"{name}: {value!r} is not one of {', '.join(known)}")
        for name in ("time_limit_s", "time_per_instance_s"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ConfigError(f"{name}: {value} is not a time in seconds")
        limits = {
            "starts": (1, MAX_ROLLOUTS),
            "samples": (1, MAX_ROLLOUTS),
            "augment": (1, 8),
            "seed": (0, 2**31 - 1),
            "batch": (1, 100_000),
            "workers": (1, 1024),
            "threads": (1, 1024),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise ConfigError(f"{name}: {value} is not between {low} and {high}")

    @property
    def says_how_to_decode(self) -> bool:
        """True if an option about decoding is not the default."""
        decoding = (self.decode, self.starts, self.samples, self.augment)
        return decoding != ("multistart", None, DEFAULT_SAMPLES, 1)


class SolveArguments(TypedDict, total=False):
    """`SolveOptions` as keyword arguments; see there."""

    decode: Decode
    starts: int | None
    samples: int
    augment: int
    improve: Improve
    time_limit_s: float | None
    time_per_instance_s: float | None
    seed: int
    batch: int | None
    workers: int | None
    threads: int | None
