"""Computes likelihoods of given tours in one launch where that is right and faster."""

import time
import warnings
from collections.abc import Callable

import torch
from torch import Tensor

from vrpcore.errors import is_out_of_memory
from vrpcore.learn.decode.likelihood import LogLikelihood, log_likelihood
from vrpcore.learn.device import runs_triton
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.loss import cache_leaf

# Numbers that are kept for each choice and node: the logit, and what the mask was made of.
FUSED_NUMBERS = 2
MOST_TRIED = 32
_LARGEST_GAP, _LEAST_COSINE = 0.01, 0.99
# Of the gradient of one table: small ones are mostly rounding in TF32.
_LEAST_COSINE_OF_A_PART = 0.9


class FusedPass:
    """Chooses between the launch of `fused_likelihood` and PyTorch's operations.

    What a compiler makes of a program differs between processors and versions, so the first batch
    of each kind is computed in both ways: the same sums, the same gradients, and less time, or
    PyTorch goes on. It goes on in all processes that learn as one if it does in one of them.

    Args:
        policy: The policy that learns.
        fused: Computes in one launch what `log_likelihood` does.
        knows: Tells whether `fused` takes a policy and so many nodes.
        world: The processes that learn as one; all ask at the same time.
    """

    def __init__(
        self,
        policy: Policy,
        fused: LogLikelihood,
        knows: Callable[[Policy, int], bool],
        world: World,
    ) -> None:
        self.policy, self.fused, self.knows, self._world = policy, fused, knows, world
        self._pays: dict[tuple[object, ...], bool] = {}

    def way(self, cache: Cache, inputs: Inputs, tours: Tensor) -> tuple[LogLikelihood, int]:
        """Chooses for a batch.

        Args:
            cache: From the policy's `encode`.
            inputs: The B instances.
            tours: [B, S, T] int64.

        Returns:
            What computes log-probabilities, and how many numbers it keeps for a choice and node.
        """
        num_nodes = self._world.largest(inputs.valid.shape[1])
        kind = (cache.key.dtype, 1 << (num_nodes - 1).bit_length())
        if self.knows(self.policy, num_nodes):
            if kind not in self._pays:
                own = self._tried(cache, inputs, tours)
                self._pays[kind] = all(self._world.from_all(own))
            if self._pays[kind]:
                return self.fused, FUSED_NUMBERS
        return log_likelihood, self.policy.decoder.num_heads

    def _tried(self, cache: Cache, inputs: Inputs, tours: Tensor) -> bool:
        rows = slice(0, min(MOST_TRIED, len(tours)))
        leaf = cache_leaf(cache, rows)
        given = (self.policy, leaf, inputs.take(rows), tours[rows])
        try:
            total, gradients, seconds = _measured(self.fused, *given)
            with torch.compiler.set_stance("force_eager"):
                expected, right, longest = _measured(log_likelihood, *given)
        except Exception as error:  # compilers fail in many ways, and this one is not needed
            if is_out_of_memory(error) or isinstance(error, torch.AcceleratorError):
                raise
            _warn(str(error))
            return False
        gap = abs(total / expected - 1)
        whole = _cosine(torch.cat(gradients), torch.cat(right))
        least = min(map(_cosine, gradients, right))
        alike = whole > _LEAST_COSINE and least > _LEAST_COSINE_OF_A_PART
        if gap > _LARGEST_GAP or not alike:
            cosines = f"{whole:.3f}, the least of a part {least:.3f}"
            _warn(f"their sum is off by {gap:.1%}, and the cosine of the gradients is {cosines}")
            return False
        return seconds < longest


def fused_pass(policy: Policy, world: World) -> FusedPass | None:
    """Make the chooser for a policy; None where there is no such launch."""
    if not runs_triton(next(policy.parameters()).device):
        return None
    try:
        from vrpcore.learn.decode.fused_likelihood import fused_log_likelihood, knows
    except Exception as error:  # a compiler that is there and cannot be loaded
        _warn(str(error))
        return None
    return FusedPass(policy, fused_log_likelihood, knows, world)


def _warn(reason: str) -> None:
    warnings.warn(f"likelihoods in one launch failed, going on without: {reason}", stacklevel=4)


def _measured(
    likelihood: LogLikelihood, policy: Policy, leaf: Cache, inputs: Inputs, tours: Tensor
) -> tuple[float, list[Tensor], float]:
    """The sum of all log-probabilities, its gradients, and the seconds of a second time."""
    weights = [policy.decoder.room, *([policy.way_factors] if policy.knows_variants else [])]
    asked = [part for part in leaf if part.requires_grad] + weights
    for _ in range(2):
        _finish(leaf)
        started = time.perf_counter()
        total = likelihood(policy, leaf, inputs, tours).sum()
        with torch.autocast(leaf.key.device.type, enabled=False):
            gradients = torch.autograd.grad(total, asked)
        _finish(leaf)
        seconds = time.perf_counter() - started
    return float(total.detach()), [part.flatten().float() for part in gradients], seconds


def _finish(leaf: Cache) -> None:
    if leaf.key.is_cuda:
        torch.cuda.synchronize(leaf.key.device)


def _cosine(one: Tensor, other: Tensor) -> float:
    return float(torch.nn.functional.cosine_similarity(one, other, dim=0))
