"""Likelihood of given tours, and its gradient, in one launch each.

PyTorch writes the attention weights of all heads, their softmax and their gradients: 4 H numbers
for each choice and node, read several times. Here one number a choice and node is kept, its logit.
"""

from typing import Any

import torch
import triton
from torch import Tensor

from vrpcore.learn.decode.likelihood import forced_states
from vrpcore.learn.decode.likelihood_kernel import gradient_kernel, logs_kernel
from vrpcore.learn.decode.persistent import precision_of
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy, is_ours

# A program holds rows of all nodes and sums of four tables of a head; more of them would spill.
MOST_NODES = 128
# Rows of a tile; the fewest rows and columns of a product.
CHOICES_TOGETHER, _LEAST_TILE = 16, 16
Gradients = tuple[Tensor | None, ...]


def knows(policy: Policy, num_nodes: int) -> bool:
    """Tells whether `fused_log_likelihood` takes such a policy and so many nodes."""
    width = policy.decoder.head_dim
    fits = num_nodes <= MOST_NODES and width >= _LEAST_TILE and not width & (width - 1)
    return fits and is_ours(policy)


def sizes(num_nodes: int, num_heads: int, width: int) -> dict[str, int]:
    """The sizes of both programs, and their warps."""
    tile = max(_LEAST_TILE, triton.next_power_of_2(num_nodes))
    warps = 4 if tile <= 64 else 8
    return {"H": num_heads, "D": width, "BM": tile, "BS": CHOICES_TOGETHER, "num_warps": warps}


def fused_log_likelihood(policy: Policy, cache: Cache, inputs: Inputs, tours: Tensor) -> Tensor:
    """Log-probability of each choice of each tour, as `log_likelihood`.

    Args:
        policy: One for which `knows` is true.
        cache: Its cached products for these instances.
        inputs: The B instances.
        tours: [B, K, ...] int64, as `Rollout` returns them.

    Returns:
        [B, K, T] float32, 0 where nothing is chosen any more.
    """
    forced, outlook = forced_states(policy, inputs, tours)
    choice = forced.choice.flatten(1)
    taken = policy.taken(outlook, policy.way_weights(inputs))
    logs: Tensor = _Logs.apply(  # type: ignore[no-untyped-call]
        *cache[:5], policy.decoder.room, taken,
        forced.last, forced.numbers.contiguous(), outlook.mask, choice,
        (policy.decoder.num_heads, policy.decoder.head_dim, precision_of(cache)),
    )  # fmt: skip
    chosen: Tensor = logs.view_as(forced.choice)
    return torch.where(forced.active, chosen, 0.0)


class _Logs(torch.autograd.Function):
    """Maps the cache's products to the log-probabilities of choices, [B, R] float32."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, pointer: Tensor, distance: Tensor,
        room: Tensor, taken: Tensor, last: Tensor, numbers: Tensor, mask: Tensor, choice: Tensor,
        how: tuple[int, int, str],
    ) -> Tensor:  # fmt: skip
        heads, width, precision = how
        batch_size, num_choices, num_nodes = mask.shape
        logit = torch.empty(mask.shape, device=mask.device)
        total = torch.empty((batch_size, num_choices), device=mask.device)
        logs = torch.empty_like(total)
        tables = [part.contiguous() for part in (query, key, value, pointer, distance, room, taken)]
        states = [last.contiguous(), numbers]
        logs_kernel[batch_size, triton.cdiv(num_choices, CHOICES_TOGETHER)](
            *tables, *states, mask.contiguous().view(torch.int8), choice.contiguous(),
            logit, total, logs, num_nodes, num_choices,
            V=numbers.shape[2], PRECISION=precision, **sizes(num_nodes, heads, width),
        )  # fmt: skip
        ctx.save_for_backward(*tables, *states, choice, logit, total)
        ctx.how = how
        return logs

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Gradients:
        *tables, last, numbers, choice, logit, total = ctx.saved_tensors
        query, key, value, pointer, distance, room, taken = tables
        heads, width, precision = ctx.how
        batch_size, num_choices, num_nodes = logit.shape
        own = [torch.empty_like(part) for part in (query, key, value, pointer)]
        to_distance = torch.zeros_like(distance)
        to_room = torch.empty((batch_size, *room.shape), device=room.device)
        to_taken = torch.empty_like(taken)
        gradient_kernel[batch_size, heads](
            *tables, last, numbers, choice.contiguous(), logit, total, slopes[0].contiguous(),
            *own, to_distance, to_room, to_taken, num_nodes, num_choices,
            V=len(room), BV=_LEAST_TILE, PRECISION=precision, **sizes(num_nodes, heads, width),
        )  # fmt: skip
        found = (*own, to_distance, to_room.sum(0), to_taken)
        wanted = ctx.needs_input_grad
        return (*(part if asked else None for part, asked in zip(found, wanted, strict=False)),
                *[None] * 5)  # fmt: skip
