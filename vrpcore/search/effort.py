"""How much search an instance gets."""

import math
import time
from dataclasses import dataclass

from vrpcore.errors import ConfigError

LEVELS = ("none", "fast", "deep")
# Iterations per customer without a time limit.
ITERATIONS = {"fast": 400, "deep": 4000}
# The same beyond this many customers.
LARGEST_WHOLE = 2000
LARGE_ITERATIONS = {"fast": 200, "deep": 2000}


@dataclass(frozen=True, slots=True)
class Effort:
    """How much search an instance gets.

    Attributes:
        level: `none` returns the first candidate (plain savings without one); `fast`
            searches with 400 iterations per customer, `deep` with 4000.
        end: `time.perf_counter()` at which the search ends, whatever the level; None: it
            ends after its iterations.
        cores: Threads of one search; without a time limit they do not change the answer.

    Raises:
        ConfigError: An unknown level.
    """

    level: str = "fast"
    end: float | None = None
    cores: int = 1

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            expected = " or ".join(repr(name) for name in LEVELS)
            raise ConfigError(f"search level: found {self.level!r}; expected {expected}")

    def left(self) -> float:
        """Seconds until the end; infinite without a time limit."""
        return math.inf if self.end is None else self.end - time.perf_counter()


FAST = Effort()
