"""How a batch becomes gradients: the loop on a CPU, two phases on an accelerator."""

import math
from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

from vrpcore.config.sections import Config
from vrpcore.decode.fixed_shape import FixedShapeRollout
from vrpcore.decode.select import PRIME
from vrpcore.device import threads_for
from vrpcore.errors import ConfigError
from vrpcore.policy.policy import Policy
from vrpcore.train import native
from vrpcore.train.baseline import Comparison
from vrpcore.train.data import TrainBatch
from vrpcore.train.distributed import World
from vrpcore.train.loop import imitate_loop, reinforce_loop
from vrpcore.train.loss import StepResult, joined
from vrpcore.train.two_phase import imitate_forced, reinforce_two_phase
from vrpcore.train.workspace import Workspace


class Learner(Protocol):
    """Adds the gradient of a batch to the policy's."""

    def reinforce(self, batch: TrainBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """One REINFORCE step; arguments as in `reinforce_loop`."""

    def imitate(self, batch: TrainBatch) -> StepResult:
        """One step towards the batch's own tours."""

    def shrink(self) -> int:
        """Halves what is learned from at once; pieces of a batch, 0 where it cannot."""


class LoopLearner:
    """Constructs and learns by compiled loops.

    Args:
        policy: On the CPU.
        precision: `fp32` or `bf16`, of the encoder's products.
        world: The processes that learn as one.
    """

    def __init__(self, policy: Policy, precision: str, world: World) -> None:
        self.policy = policy
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        self.workspace = Workspace(dtype, world)

    def reinforce(self, batch: TrainBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """See `reinforce_loop`."""
        with threads_for(batch.valid.numel()):
            return reinforce_loop(self.policy, batch, seed, comparison, self.workspace)

    def imitate(self, batch: TrainBatch) -> StepResult:
        """See `imitate_loop`."""
        with threads_for(batch.valid.numel()):
            return imitate_loop(self.policy, batch, self.workspace)

    def shrink(self) -> int:
        """Parts are small already."""
        return 0


class TwoPhaseLearner:
    """Constructs without gradients, then passes all choices at once.

    Args:
        policy: On any device.
        rollout: Around the policy.
        precision: As `set_precision` resolved it.
        world: The processes that learn as one.
    """

    def __init__(
        self, policy: Policy, rollout: FixedShapeRollout, precision: str, world: World
    ) -> None:
        self.policy, self.rollout, self.precision, self.world = policy, rollout, precision, world
        self._pieces = 1

    def reinforce(self, batch: TrainBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """See `reinforce_two_phase`."""

        def learn(rows: slice) -> StepResult:
            part = batch.take(rows)
            own = comparison.rows(rows)
            return reinforce_two_phase(self.rollout, part, seed[rows], own, self.world)

        return self._in_pieces(len(batch.coords), learn)

    def imitate(self, batch: TrainBatch) -> StepResult:
        """See `imitate_forced`."""

        def learn(rows: slice) -> StepResult:
            part = batch.take(rows)
            return imitate_forced(self.policy, part, self.world)

        return self._in_pieces(len(batch.coords), learn)

    def shrink(self) -> int:
        """From now on a batch is learned from in twice as many pieces."""
        if self.rollout.device.type == "cuda":
            self.rollout.forget()
            torch.cuda.empty_cache()
        self._pieces *= 2
        return self._pieces

    def _in_pieces(self, count: int, learn: Callable[[slice], StepResult]) -> StepResult:
        """Each piece's gradient has the scale of a whole batch: their mean is the batch's."""
        size = math.ceil(count / self._pieces)
        pieces = [slice(first, first + size) for first in range(0, count, size)]
        bf16 = self.precision == "bf16"
        parameters = list(self.policy.parameters())
        before = [parameter.grad for parameter in parameters]
        for parameter in parameters:
            parameter.grad = None
        with torch.autocast(self.rollout.device.type, torch.bfloat16, enabled=bf16):
            results = [learn(rows) for rows in pieces]
        for parameter, earlier in zip(parameters, before, strict=True):
            if parameter.grad is not None:
                parameter.grad.div_(len(pieces))
            if earlier is not None:
                own = parameter.grad
                parameter.grad = earlier if own is None else own.add_(earlier)
        return joined(results)


def build_learner(
    policy: Policy, config: Config, compiled: bool, precision: str, world: World
) -> Learner:
    """The learner that the configuration asks for, or that the device is best served by.

    Raises:
        ConfigError: The loop on an accelerator, or beside `torch.compile`.
        MissingLibraryError: The loop where its step was not built.
    """
    on_cpu = next(policy.parameters()).device.type == "cpu"
    way = config.train.rollout
    if way == "auto":
        way = "loop" if on_cpu and not compiled and native.is_built() else "two_phase"
    if way == "loop":
        if not on_cpu or compiled:
            raise ConfigError(
                "train.rollout: loop is for a CPU and has nothing to compile; use auto or "
                "two_phase, or train.compile=auto"
            )
        return LoopLearner(policy, precision, world)
    sizes = config.problem.num_customers
    one_size = isinstance(sizes, int) and config.data.file is None
    if compiled:
        policy.encoder.compile(dynamic=not one_size)
        policy.decoder.compile(dynamic=True)
    # A graph is bound to a shape: many sizes would record for longer than they replay.
    rollout = FixedShapeRollout(
        policy, compiled=compiled, one_size=one_size, graphed=compiled and one_size
    )
    return TwoPhaseLearner(policy, rollout, precision, world)


def instance_streams(seed: int, index: int, rank: int, count: int) -> Tensor:
    """[count] int64: the random stream of each instance of a process's batch."""
    return (torch.arange(count) + rank * count + (seed * 1_000_003 + index) * 8191) % PRIME
