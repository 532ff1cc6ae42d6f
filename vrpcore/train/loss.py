"""From weighted tours to gradients, in chunks that fit the cache."""

import torch
from torch import Tensor

from vrpcore.decode.likelihood import forced_states, log_likelihood
from vrpcore.env.batch import DeviceBatch
from vrpcore.policy.decoder import Cache
from vrpcore.policy.policy import Policy

# Attention weights of one chunk: 8 MB stay in a CPU's cache; a GPU wants large launches.
CHUNK_ELEMENTS_CPU = 2 * 1024 * 1024
CHUNK_ELEMENTS_CUDA = 256 * 1024 * 1024


def backward(
    policy: Policy, cache: Cache, batch: DeviceBatch, tours: Tensor, weight: Tensor
) -> float:
    """Adds the gradient of -sum(weight * log-likelihood) to the policy's parameters.

    The decoder runs over chunks of instances, each with leaves of its own in place of
    the encoder's products; the encoder is passed once, with the chunks' gradients.

    Args:
        policy: The policy; gradients accumulate in its parameters.
        cache: From `policy.encode` with gradients on.
        batch: The B instances.
        tours: [B, S, T] int64, the choices to learn from.
        weight: [B, S] float32, what each tour's log-likelihood counts.

    Returns:
        The loss.
    """
    chunk = _chunk_size(policy, tours, batch.valid.shape[1])
    loss = torch.zeros([], device=tours.device)
    leaves: list[Cache] = []
    for first in range(0, len(tours), chunk):
        rows = slice(first, min(first + chunk, len(tours)))
        leaf = _leaf(cache, rows, batch.valid.shape[1])
        states = forced_states(
            tours[rows], batch.demand[rows], batch.capacity[rows], batch.valid[rows]
        )
        logs = log_likelihood(policy, leaf, states, tours[rows], batch.capacity[rows])
        part = -(weight[rows] * logs.sum(2)).sum()
        part.backward()  # type: ignore[no-untyped-call]
        loss += part.detach()
        leaves.append(leaf)
    outputs, gradients = [], []
    for index, product in enumerate(cache):
        if product.requires_grad:
            outputs.append(product)
            gradients.append(torch.cat([_gradient(leaf[index]) for leaf in leaves]))
    torch.autograd.backward(outputs, gradients)
    return float(loss)


def _chunk_size(policy: Policy, tours: Tensor, num_nodes: int) -> int:
    per_instance = policy.decoder.num_heads * tours.shape[1] * tours.shape[2] * num_nodes
    budget = CHUNK_ELEMENTS_CUDA if tours.is_cuda else CHUNK_ELEMENTS_CPU
    return max(1, budget // per_instance)


def _leaf(cache: Cache, rows: slice, num_nodes: int) -> Cache:
    flat = slice(rows.start * num_nodes, rows.stop * num_nodes)
    return Cache(
        query=cache.query[flat].detach().requires_grad_(),
        key=cache.key[rows].detach().requires_grad_(),
        value=cache.value[rows].detach().requires_grad_(),
        pointer=cache.pointer[rows].detach().requires_grad_(),
        distance=cache.distance[flat].detach().requires_grad_(),
        row=cache.row[: rows.stop - rows.start],
    )


def _gradient(leaf: Tensor) -> Tensor:
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
