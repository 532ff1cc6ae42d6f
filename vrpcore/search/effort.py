"""How much search an instance gets."""

import math
import time
from dataclasses import dataclass

from vrpcore.errors import ConfigError
from vrpcore.search.watch import Watch

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
        level: `none` returns the first candidate (plain savings without one); `fast` searches with
            400 iterations per customer, `deep` with 4000; beyond 2000 customers with half of that.
        end: `time.perf_counter()` at which the search ends, whatever the level; None: it
            ends after its iterations.
        cores: Threads of one search; without a time limit they do not change the answer.
        iterations: In all, in place of those of the level; with `end`, the earlier one counts.
        watch: Sees the search, and may end it; None: nobody watches it.

    Raises:
        ConfigError: An unknown level.
    """

    level: str = "fast"
    end: float | None = None
    cores: int = 1
    iterations: int | None = None
    watch: Watch | None = None

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            expected = " or ".join(repr(name) for name in LEVELS)
            raise ConfigError(f"search level: found {self.level!r}; expected {expected}")

    def left(self) -> float:
        """Seconds until the end; infinite without a time limit, 0 once the watch has ended it."""
        if self.watch is not None and self.watch.stopped:
            return 0.0
        return math.inf if self.end is None else self.end - time.perf_counter()

    @property
    def is_counted(self) -> bool:
        """Whether it is a number of iterations, whatever else ends it."""
        return self.end is None or self.iterations is not None

    def total(self, size: int) -> int:
        """Iterations in all of an instance with N customers, where they are counted."""
        if self.iterations is not None:
            return self.iterations
        return (LARGE_ITERATIONS if size > LARGEST_WHOLE else ITERATIONS)[self.level] * size


FAST = Effort()
