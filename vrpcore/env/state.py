"""The state of a construction: fixed shapes, nothing that grows."""

from typing import NamedTuple

from torch import Tensor


class State(NamedTuple):
    """Where S constructions of each of B instances stand.

    One tensor of visit times is visited-mask and tour at once.

    Attributes:
        step: [] int64, the number of choices made so far.
        visit_time: [B, S, M] int32: 0 = customer not yet visited, t = visited by the
            t-th choice, -1 = depot or padding.
        last: [B, S] int64, the node where the vehicle is.
        remaining: [B, S] float32, what it can still load.
        num_open: [B, S] int64, customers not yet visited.
    """

    step: Tensor
    visit_time: Tensor
    last: Tensor
    remaining: Tensor
    num_open: Tensor
