"""The amount of search for an instance."""

import math
import time
from dataclasses import dataclass, replace

from vrpcore.errors import ConfigError
from vrpcore.search.watch import Watch

LEVELS = ("none", "fast", "deep")
# Iterations per customer without a time limit.
ITERATIONS = {"fast": 400, "deep": 4000}
# The same beyond this many customers.
LARGEST_WHOLE = 2000
LARGE_ITERATIONS = {"fast": 200, "deep": 2000}
# Of the seconds that a watch waits for a better plan, the share in which annealing cools. Better
# plans come in the last part of a run; that of the next one comes soon enough after it.
COOLING_SHARE = 0.75


@dataclass(frozen=True, slots=True)
class Effort:
    """The amount of search for an instance.

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
        return self.time_left

    @property
    def time_left(self) -> float:
        """Seconds until the end, even if the watch has ended the search; else as `left`."""
        return math.inf if self.end is None else self.end - time.perf_counter()

    @property
    def is_counted(self) -> bool:
        """Return whether it is a number of iterations, whatever else ends it."""
        return self.end is None or self.iterations is not None

    @property
    def run_s(self) -> float:
        """The most seconds of an annealing run: it is cool before its watch loses patience."""
        return math.inf if self.watch is None else COOLING_SHARE * self.watch.patience

    @property
    def goes_by_count(self) -> bool:
        """Return whether iterations set its pace, and not a clock: equal calls then do the same."""
        return self.is_counted and math.isinf(self.run_s)

    def part(self, share: float) -> "Effort":
        """The effort with a share of the time that is left; without a time limit all of it."""
        if self.end is None:
            return self
        now = time.perf_counter()
        return replace(self, end=now + share * max(0.0, self.end - now))

    def total(self, size: int) -> int:
        """Iterations in all of an instance with N customers, where they are counted."""
        if self.iterations is not None:
            return self.iterations
        return (LARGE_ITERATIONS if size > LARGEST_WHOLE else ITERATIONS)[self.level] * size


FAST = Effort()
