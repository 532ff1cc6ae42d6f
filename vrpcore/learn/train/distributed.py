"""Several processes that learn as one with a larger batch."""

import os
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from vrpcore.errors import DeviceError
from vrpcore.instance.instance import Float64
from vrpcore.threads import num_cores

Value = TypeVar("Value")


def num_restarts() -> int:
    """Return how often torchrun has restarted the processes after one of them died."""
    return int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))


def own_cores() -> int:
    """Cores for this process: torchrun's processes on a machine share those that are there."""
    return max(1, num_cores() // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


class Shared(NamedTuple):
    """Values that all processes agree on after a step.

    Attributes:
        stop: Whether any process was asked to stop.
        seconds: Rank 0's clock.
        loss: Sum of the processes' losses, which share one scale.
        cost: Mean of the processes' costs.
        instances: Sum.
    """

    stop: bool
    seconds: float
    loss: float
    cost: float
    instances: int


class World:
    """The processes of a run; a single one unless torchrun started several.

    Attributes:
        rank: This process's number; 0 writes.
        size: How many there are.
    """

    def __init__(self) -> None:
        self.rank, self.size = 0, 1
        self._numbers: dist.ProcessGroup | None = None

    def own_device(self, name: str) -> str:
        """The device of this process: of several CUDA processes each has its own.

        Raises:
            DeviceError: One card is named for several processes on this machine.
        """
        local = os.environ.get("LOCAL_RANK")
        several = int(os.environ.get("WORLD_SIZE", "1")) > 1
        together = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
        if together > 1 and name.startswith("cuda:"):
            raise DeviceError(
                f"device: {name} would be shared by the {together} processes on this machine; use "
                "--device cuda, which gives each a card of its own, and CUDA_VISIBLE_DEVICES to "
                "choose the cards"
            )
        if several and local is not None and name in ("auto", "cuda") and torch.cuda.is_available():
            return f"cuda:{local}"
        return name

    @property
    def writes(self) -> bool:
        """True in the one process that writes files and words."""
        return self.rank == 0

    def join(self, device: torch.device) -> None:
        """Meets the other processes, where torchrun's environment names them."""
        if device.index is not None:
            torch.cuda.set_device(device)
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            backend = "nccl" if device.type == "cuda" else "gloo"
            met, rank, size = next(rendezvous("env://"))
            # The store outlives a restart; without names of its own, an attempt finds the
            # addresses of the dead one and waits for them.
            store = PrefixStore(f"attempt-{num_restarts()}", met)
            dist.init_process_group(backend, store=store, rank=rank, world_size=size)
            self.rank, self.size = dist.get_rank(), dist.get_world_size()
            # Single numbers stay on the host: over NCCL each would wait for the device's queue.
            self._numbers = dist.new_group(backend="gloo")

    def leave(self) -> None:
        """Leaves the process group."""
        if self.size > 1:
            dist.destroy_process_group()

    def spread(self, gain: NDArray[np.float64]) -> tuple[float, int]:
        """Standard deviation (1 where all are equal) and number over all processes."""
        sums = self.total([float(gain.sum()), float((gain * gain).sum()), float(gain.size)])
        mean = sums[0] / sums[2]
        variance = max(0.0, sums[1] / sums[2] - mean * mean)
        # Rounding leaves a trace where all are equal.
        equal = variance <= 1e-14 * (sums[1] / sums[2])
        return (1.0 if equal else variance**0.5), int(sums[2])

    def largest(self, number: int) -> int:
        """Return the largest value of all processes."""
        if self.size == 1:
            return number
        found = torch.tensor(number)
        dist.all_reduce(found, dist.ReduceOp.MAX, group=self._numbers)
        return int(found)

    def total(self, values: list[float]) -> list[float]:
        """Each value summed over the processes."""
        if self.size == 1:
            return values
        summed = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(summed, group=self._numbers)
        return [float(value) for value in summed.tolist()]

    def from_all(self, value: Value) -> list[Value]:
        """Return each process's value, in the order of their ranks."""
        if self.size == 1:
            return [value]
        found: list[Value] = [value] * self.size
        dist.all_gather_object(found, value, group=self._numbers)
        return found

    def gathered(self, count: int, work: Callable[[slice], Float64]) -> Float64:
        """[count, ...] float64, of which each process computes some rows, and gets all.

        Args:
            count: Number of rows.
            work: Gives those that a slice selects; not called for none.
        """
        own = slice(self.rank, count, self.size)  # neighbours may be alike in size
        parts = self.from_all(work(own) if self.rank < count else None)
        made = [part for part in parts if part is not None]
        found = np.empty((count, *made[0].shape[1:]))
        for rank, part in enumerate(made):
            found[rank :: self.size] = part
        return found

    def share(self, policy: nn.Module, own: Shared) -> Shared:
        """Sums the gradients over the processes, in one message, and agrees on the rest.

        What has a gradient in one process has it in all of them afterwards.
        """
        if self.size == 1:
            return own
        parts = list(policy.parameters())
        known = [0.0 if part.grad is None else 1.0 for part in parts]
        # All of them, so that each process sends as many numbers.
        flat = torch.cat([_gradient(part).reshape(-1) for part in parts])
        dist.all_reduce(flat)
        seconds = own.seconds if self.writes else 0.0
        values = [float(own.stop), seconds, own.loss, own.cost, float(own.instances)]
        stop, seconds, loss, cost, instances, *known = self.total([*values, *known])
        sums = torch.split(flat, [part.numel() for part in parts])
        for part, number, total in zip(parts, known, sums, strict=True):
            if number:
                part.grad = _gradient(part).copy_(total.view_as(part))
        return Shared(stop > 0, seconds, loss, cost / self.size, int(instances))

    def equalise(self, policy: nn.Module) -> None:
        """Gives all processes rank 0's weights."""
        if self.size > 1:
            for tensor in policy.state_dict().values():
                if isinstance(tensor, Tensor):
                    dist.broadcast(tensor, 0)


def _gradient(part: Tensor) -> Tensor:
    return torch.zeros_like(part) if part.grad is None else part.grad
