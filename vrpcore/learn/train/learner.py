"""Gradients of a batch: the loop on a CPU, two phases on an accelerator."""

from typing import Protocol

import torch
from torch import Tensor

from vrpcore.config.sections import Config, SizeRange
from vrpcore.errors import ConfigError
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.decode.select import PRIME
from vrpcore.learn.device import COMPILE_OPTIONS, keep_sizes_apart
from vrpcore.learn.policy.policy import Policy, is_ours
from vrpcore.learn.train import training_library
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.loop import LoopLearner
from vrpcore.learn.train.loss import StepResult
from vrpcore.learn.train.two_phase import TwoPhaseLearner


class Learner(Protocol):
    """Adds the gradient of a batch to the policy's."""

    def reinforce(self, batch: TrainBatch, seed: Tensor, comparison: Comparison) -> StepResult:
        """One step from sampled tours: REINFORCE, or preference optimisation.

        Args:
            batch: B instances.
            seed: [B] int64, random stream of each instance.
            comparison: How the tours are compared by their costs.

        Source:
            Williams 1992; Pan et al. 2025, arXiv:2505.08735.
        """

    def imitate(self, batch: TrainBatch) -> StepResult:
        """One step along the mean negative log-likelihood per choice of given tours.

        Args:
            batch: Instances with routes in several writings.
        """

    def shrink(self) -> int:
        """Halves the number of instances processed at once.

        Returns:
            In how many pieces a batch is processed from now on; 0 where it cannot be split.
        """


def build_learner(
    policy: Policy, config: Config, compiled: bool, precision: str, world: World
) -> Learner:
    """The learner that the configuration asks for, or the best one for the device.

    Raises:
        ConfigError: The loop on an accelerator, or together with `torch.compile`.
        MissingLibraryError: The loop where its step was not built.
    """
    if _loops(policy, config, compiled):
        return LoopLearner(policy, precision, world)
    sizes, drawn = config.problem.num_customers, config.data.file is None
    one_size = drawn and isinstance(sizes, int)
    if compiled:
        keep_sizes_apart()
        for layer in policy.encoder.layers:  # all share one graph
            layer.compile(dynamic=not one_size, options=COMPILE_OPTIONS)
        policy.decoder.compile(dynamic=True, options=COMPILE_OPTIONS)
    # A graph is bound to a shape: many sizes would record for longer than they replay.
    few_sizes = drawn and not isinstance(sizes, SizeRange)
    rollout = FixedShapeRollout(policy, compiled=compiled, one_size=one_size, graphed=few_sizes)
    return TwoPhaseLearner(rollout, precision, world)


def _loops(policy: Policy, config: Config, compiled: bool) -> bool:
    """Return whether the loop learns; errors of `build_learner`."""
    on_cpu = next(policy.parameters()).device.type == "cpu"
    unknown, rollout = not is_ours(policy), config.train.rollout
    if rollout == "loop" and unknown:
        raise ConfigError(
            "train.rollout: loop knows only the package's encoder, decoder and environments; use "
            "auto or two_phase"
        )
    if rollout == "loop" and (not on_cpu or compiled):
        raise ConfigError(
            "train.rollout: loop runs on a CPU and has nothing to compile; use auto or "
            "two_phase, or train.compile=auto"
        )
    possible = on_cpu and not compiled and not unknown and training_library.is_built()
    return rollout == "loop" or (rollout == "auto" and possible)


def instance_streams(seed: int, index: int, rank: int, count: int) -> Tensor:
    """[count] int64: the random stream of each instance of a process's batch."""
    return (torch.arange(count) + rank * count + (seed * 1_000_003 + index) * 8191) % PRIME
