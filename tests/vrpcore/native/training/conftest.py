"""What the tests of the compiled training step share."""

import pytest
import torch

from vrpcore.native.levels import PLAIN, WIDER

LEVELS = {"DEFAULT": PLAIN, **WIDER}


def runs_here(level):
    """Whether this processor has what PyTorch calls by this name."""
    levels, here = list(LEVELS), torch.backends.cpu.get_cpu_capability()
    return levels.index(level) <= (levels.index(here) if here in levels else 0)


# A test's `library` is each that runs here.
at_levels = pytest.mark.parametrize(
    "library",
    [
        pytest.param(library, marks=pytest.mark.skipif(not runs_here(level), reason="too old"))
        for level, library in LEVELS.items()
    ],
    ids=LEVELS,
)
