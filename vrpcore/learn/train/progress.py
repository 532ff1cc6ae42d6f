"""Messages of a run while it goes on, and when it ends."""

import math
from pathlib import Path
from typing import NamedTuple


class RunProgress(NamedTuple):
    """The content of a progress bar.

    Attributes:
        share: Of the run, 0 to 1.
        cost: Mean cost of the last logged steps.
        gap: Last validation gap, of the sets with references; NaN before the first, or without any.
        rate: Instances per second.
        note: Something the user should know, else empty.
    """

    step: int
    share: float
    cost: float
    gap: float
    rate: float
    note: str = ""

    def words(self) -> str:
        """Writes it on one line, without the note."""
        gap = "" if math.isnan(self.gap) else f"  gap {self.gap:.2%}"
        return f"step {self.step}  cost {self.cost:.4f}{gap}  {self.rate:,.0f} instances/s"


class Outcome(NamedTuple):
    """The end of a run.

    Attributes:
        finished: False where it was asked to stop early.
        best: Best `validation_figure`.
        is_gap: That is a gap, else a mean cost.
    """

    finished: bool
    steps: int
    best: float
    is_gap: bool
    folder: Path

    def words(self) -> str:
        """Writes the best figure; empty before the first."""
        if math.isinf(self.best):
            return ""
        return f"best gap {self.best:.2%}" if self.is_gap else f"best mean cost {self.best:.5g}"
