"""Base of the environments of plain instances and of variants."""

from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from vrpcore.learn.env.inputs import Inputs

# Loads stay below 2^24; from 2^25 to 2^26 float32 holds every fourth whole number.
VISITED = float(2**25)
STAMP_STEP = 4.0


class Outlook(NamedTuple):
    """Features of the next nodes; of plain instances the mask only, the rest is empty.

    Attributes:
        mask: [B, S, M] bool, True = may be chosen; at least one of each row is.
        waiting: [B, S, M] float32, until the node opens.
        slack: [B, S, M] float32, from arriving until it closes; 0 without a closing time.
        back: [B, S, M] float32, the leg from it to the vehicle's depot; 0 with open ends.
    """

    mask: Tensor
    waiting: Tensor
    slack: Tensor
    back: Tensor


class Forced(NamedTuple):
    """The states before each of T choices of K given tours.

    Attributes:
        choice: [B, K, T] int64, what was chosen.
        last: [B, K * T] int64, where each vehicle was.
        numbers: [B, K * T, V] float32, from `Environment.shares`.
        outlook: From `Environment.outlook`.
        active: [B, K, T] bool: a customer is chosen here or later.
    """

    choice: Tensor
    last: Tensor
    numbers: Tensor
    outlook: Outlook
    active: Tensor


class Environment(Protocol):
    """The rules of a construction. `fixed` is what its steps read and do not change.

    `unit`, `loose` and `context` are only asked of the package's, for the tables of `lookup`.

    Attributes:
        started: How many choices `begin` makes.
    """

    started: int

    def unit(self, inputs: Inputs) -> Tensor:
        """[B], what `context` is measured in."""

    def prepare(self, inputs: Inputs) -> Any:
        """Computes `fixed`."""

    def begin(self, inputs: Inputs, fixed: Any, starts: Tensor) -> Any:
        """The state of S constructions whose first customers are [B, S] nodes; 0: to be chosen."""

    def outlook(self, fixed: Any, state: Any) -> Outlook:
        """Permitted moves of each vehicle, and their consequences."""

    def loose(self, fixed: Any, state: Any) -> Outlook:
        """Permitted moves of each vehicle, perhaps with some that the tables of `lookup` forbid."""

    def context(self, fixed: Any, state: Any) -> Tensor:
        """Numbers that the policy reads of each vehicle, [B, S, V]."""

    def shares(self, fixed: Any, state: Any) -> Tensor:
        """The numbers of `context` divided by `unit`, [B, S, V]."""

    def step(self, fixed: Any, state: Any, choice: Tensor) -> Any:
        """The state after each construction visited its choice, [B, S] int64."""

    def last(self, state: Any) -> Tensor:
        """[B, S] int64, where each vehicle is."""

    def num_open(self, state: Any) -> Tensor:
        """[B, S] int64, customers not yet visited."""

    def unfinished(self, fixed: Any, state: Any) -> Tensor:
        """[] bool: customers are left, and not too many choices were made."""

    def num_choices(self, fixed: Any, state: Any) -> Tensor:
        """[] int64, the number of choices made so far."""

    def tour(self, fixed: Any, state: Any) -> Tensor:
        """[B, S, T] int64, the choices so far as tours."""

    def forced(self, inputs: Inputs, tours: Tensor) -> Forced:
        """All states of given tours, [B, K, T] int64, at once."""


def rooms(remaining: Tensor, open_demand: Tensor, capacity: Tensor) -> Tensor:
    """Amounts that may still be loaded, and that may be left unused.

    Args:
        remaining: [B, ...] float32, what each vehicle can still load.
        open_demand: [B, ...] float32, of the customers not yet visited.
        capacity: [B, 1, ...] float32.

    Returns:
        [B, ..., 2] float32, `remaining`, and the room that is left when these customers are
        served by this vehicle and as few further ones as can hold them; 0 to `capacity`.
    """
    further = torch.ceil(torch.clamp(open_demand - remaining, min=0.0) / capacity)
    unused = torch.clamp(further * capacity + remaining - open_demand, min=0.0)
    return torch.stack([remaining, torch.minimum(unused, capacity)], dim=-1)
