"""Gradients of weighted tours, in chunks that fit the memory."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from vrpcore.errors import VrpError
from vrpcore.learn.env.transfer import HostCopy
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy

# Attention weights of one chunk: 8 MB stay in a CPU's cache; a GPU wants large launches.
CHUNK_ELEMENTS_CPU = 2 * 1024 * 1024
CHUNK_ELEMENTS_CUDA = 256 * 1024 * 1024


class StepResult(NamedTuple):
    """The report of a step.

    Attributes:
        loss: The loss.
        cost: Mean cost of the step's tours, in the instances' unit.
        bytes_to_host: Moved from an accelerator; 0 on a CPU.
        bytes_to_device: Moved to it.
        norm: Of the gradient before it is clipped; 0 until that is known.
    """

    loss: float
    cost: float
    bytes_to_host: int = 0
    bytes_to_device: int = 0
    norm: float = 0.0


def joined(results: Sequence[StepResult], shares: Sequence[float] | None = None) -> StepResult:
    """Join the reports of several batches or steps: mean loss, cost and norm, all bytes.

    Args:
        results: Of each.
        shares: What each counts in the means, 1 in all; None: all the same.
    """
    counted = list(zip(results, shares or [1 / len(results)] * len(results), strict=True))
    return StepResult(
        sum(share * result.loss for result, share in counted),
        sum(share * result.cost for result, share in counted),
        sum(result.bytes_to_host for result in results),
        sum(result.bytes_to_device for result in results),
        sum(share * result.norm for result, share in counted),
    )


def in_pieces(
    policy: nn.Module, count: int, num_pieces: int, learn: Callable[[slice], StepResult]
) -> StepResult:
    """Learns from a batch piece by piece, and adds its gradient to the policy's.

    Each piece's gradient has the scale of a whole batch, and counts by its instances. That is
    about the batch's: advantages are divided by the deviation of their own piece, and imitation
    by the choices of its own.

    Args:
        policy: Whose gradient.
        count: Instances of the batch.
        num_pieces: In how many pieces.
        learn: Adds the gradient of some rows; finds no other.
    """
    size = math.ceil(count / num_pieces)
    pieces = [slice(first, min(first + size, count)) for first in range(0, count, size)]
    shares = [(rows.stop - rows.start) / count for rows in pieces]
    parameters, results = list(policy.parameters()), []
    for rows, share in zip(pieces, shares, strict=True):
        before = [parameter.grad for parameter in parameters]
        for parameter in parameters:
            parameter.grad = None
        results.append(learn(rows))
        for parameter, earlier in zip(parameters, before, strict=True):
            if parameter.grad is not None and len(pieces) > 1:
                parameter.grad.mul_(share)
            if earlier is not None:
                own = parameter.grad
                parameter.grad = earlier if own is None else earlier.add_(own)
    return joined(results, shares)


def diverged(what: str) -> VrpError:
    """The error for numbers that are not finite any more."""
    return VrpError(
        f"{what}; the last good checkpoint is kept. Lower train.learning_rate, or use "
        "train.precision=fp32"
    )


def num_bytes(*tensors: Tensor) -> int:
    """Bytes that moving these to or from an accelerator takes; 0 for a CPU's own."""
    return sum(tensor.nbytes for tensor in tensors if tensor.is_cuda)


def num_choices(tours: Tensor, depots: Tensor) -> int:
    """Choices in given tours: customers, and one depot per route but one of each tour.

    Args:
        tours: [B, K, T] int64; nodes below the number of depots are depots, or padding.
        depots: [B] int64, that number.
    """
    served = tours >= depots.view(-1, 1, 1)
    closes = (~served[:, :, 1:] & served[:, :, :-1]).sum() - len(tours) * tours.shape[1]
    return int(served.sum() + closes)


class Weigh(Protocol):
    """Weights of log-likelihoods in the gradient."""

    def __call__(self, rows: slice, likelihood: Tensor) -> Tensor:
        """Weights of some instances' tours, before scaling, in the type of the likelihoods.

        Args:
            rows: Which instances; each comes once.
            likelihood: [b, S] float, their tours' log-likelihoods.
        """

    def scale(self) -> float:
        """The factor for all weights; read it after the last of them."""


class Even(NamedTuple):
    """All tours count the same, in all 1 for this number of choices.

    Attributes:
        choices: The number.
    """

    choices: float

    def __call__(self, rows: slice, likelihood: Tensor) -> Tensor:  # noqa: ARG002
        """See `Weigh`."""
        return torch.ones_like(likelihood)

    def scale(self) -> float:
        """See `Weigh`."""
        return 1.0 / self.choices


def chunk_rows(numbers_each: int, tours: Tensor, num_nodes: int) -> int:
    """Return the number of instances whose tours the decoder takes at a time.

    Args:
        numbers_each: How many numbers are kept for each choice and node: with attention weights
            H of the decoder.
        tours: [B, S, T], on their device.
        num_nodes: M.
    """
    budget = CHUNK_ELEMENTS_CUDA if tours.is_cuda else CHUNK_ELEMENTS_CPU
    return max(1, budget // (numbers_each * tours[0].numel() * num_nodes))


def backward(
    policy: Policy,
    cache: Cache,
    chunk: int,
    logs_of: Callable[[Cache, slice], Tensor],
    weigh: Weigh,
) -> float:
    """Makes the gradient of -sum(weight * log-likelihood) that of the policy's parameters.

    The decoder runs over chunks of instances, each with leaves of its own in place of
    the encoder's products; the encoder is passed once, with the chunks' gradients. These are
    linear in the weights, so the scale of all is asked for when the device has been given the
    last chunk to work on.

    Args:
        policy: Its parameters have no gradient yet.
        cache: From the policy's `encode` with gradients on.
        chunk: Instances of a chunk.
        logs_of: Of some instances' cache and their rows, the log-likelihood of each choice,
            [b, S, T]; gradients accumulate in the policy's parameters.
        weigh: What their sums count; asked when the device has been given the chunk's forward
            pass to work on.

    Returns:
        The loss.
    """
    count, device = len(cache.row), cache.distance.device
    # What ran in float32 within an autocast region has its gradient in float32, too.
    exact = torch.autocast(device.type, enabled=False)
    loss = torch.zeros([], device=device)
    leaves: list[Cache] = []
    for first in range(0, count, chunk):
        rows = slice(first, min(first + chunk, count))
        leaf = cache_leaf(cache, rows)
        likelihood = logs_of(leaf, rows).sum(2)
        part = -(weigh(rows, likelihood.detach()) * likelihood).sum()
        with exact:
            part.backward()  # type: ignore[no-untyped-call]
        loss += part.detach()
        leaves.append(leaf)
    copy = HostCopy(loss)
    factor = weigh.scale()
    outputs, gradients = leaf_gradients(cache, leaves)
    direct = [part.grad for part in policy.parameters() if part.grad is not None]
    torch._foreach_mul_([*direct, *gradients], factor)
    with exact:
        torch.autograd.backward(outputs, gradients)
    return float(copy.wait()) * factor


def cache_leaf(cache: Cache, rows: slice) -> Cache:
    """Some instances of a cache as leaves that gather gradients of their own."""
    parts = (part.detach() for part in cache.take(rows))
    return Cache(*(part.requires_grad_(part.is_floating_point()) for part in parts))


def leaf_gradients(cache: Cache, leaves: list[Cache]) -> tuple[list[Tensor], list[Tensor]]:
    """The cache's products that learn, and the gradients that their leaves gathered."""
    outputs, gradients = [], []
    for product, *own in zip(cache, *leaves, strict=True):
        if product.requires_grad:
            outputs.append(product)
            parts = [torch.zeros_like(it) if it.grad is None else it.grad for it in own]
            gradients.append(torch.cat(parts))
    return outputs, gradients
