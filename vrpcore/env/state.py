"""The state of a construction: fixed shapes, nothing that grows."""

from typing import NamedTuple

from torch import Tensor

# Loads stay below 2^24; from 2^25 to 2^26 float32 holds every fourth whole number.
VISITED = float(2**25)
STAMP_STEP = 4.0


class State(NamedTuple):
    """Where S constructions of each of B instances stand.

    One tensor is what is still open, what it needs, and the tour.

    Attributes:
        stamp: [] float32, what the next choice leaves at its node: the t-th leaves
            `VISITED` + `STAMP_STEP` * t.
        need: [B, S, M] float32, what a node asks for: an open customer its demand, one
            that was visited its stamp, which no vehicle can load; padding `VISITED`, the
            depot 0.
        last: [B, S] int64, the node where the vehicle is.
        remaining: [B, S] float32, what it can still load.
        num_open: [B, S] int64, customers not yet visited.
        open_demand: [B, S] float32, what these ask for together.
    """

    stamp: Tensor
    need: Tensor
    last: Tensor
    remaining: Tensor
    num_open: Tensor
    open_demand: Tensor
