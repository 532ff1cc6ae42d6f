"""Precomputed decoder tables of a solve."""

from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.learn.policy.attention import ATTENTION_MASK
from vrpcore.learn.policy.decoder import LOGIT_BOUND, Cache

# Attention weights below this count as this: two such factors stay above the denormal
# numbers, which cost a CPU ten times the time.
LEAST_WEIGHT = 4.0e-18

# Constants are default arguments because scripted code cannot read globals.


class Lookup(NamedTuple):
    """Tables of a solve, in one of two forms (see `is_merged`).

    Attributes:
        near: Unnormalised attention weight of each node from each node without any room:
            merged [B*M, H*M], else [B*H*M, M].
        slope: What one unit of each room adds to the weights' logarithms, at most 0: merged
            [B, K + M, H*M], further rows: what each node adds that is barred; else
            [H, B, K, M].
        value: What is mixed by these weights: merged [B, H*M, M], the pointer's scores;
            else [H, B, M, D/H], the glimpse.
        pointer: [B, D, M], scores of the glimpse.
        repeat: Ones that repeat a head's norm by a product: merged [H, H*M], else
            [1, D/H].
        nearness: [B*M, M], what distance subtracts from the scores.
        row: [B, 1] int64, offset of each instance in rows of B*M.
        head_row: [H, B, 1] int64, offset of each head in rows of B*H*M.
    """

    near: Tensor
    slope: Tensor
    value: Tensor
    pointer: Tensor
    repeat: Tensor
    nearness: Tensor
    row: Tensor
    head_row: Tensor


def is_merged(cache: Cache) -> bool:
    """Return whether values and pointer are multiplied out beforehand.

    That takes H*M products a score instead of 2*D: fewer where M < 2 * D/H, in one
    large product instead of many small ones.
    """
    return cache.key.shape[3] <= 2 * cache.key.shape[2]


def build_lookup(
    cache: Cache,
    merged: bool,
    room: Tensor,
    capacity: Tensor,
    mask: float = ATTENTION_MASK,
    bound: float = LOGIT_BOUND,
) -> Lookup:
    """Multiplies out all that a step's scores can be made of.

    A vehicle's query is that of its node plus each of its rooms times a vector, so the
    attention weights are a row of a node-by-node table times an exponential of its
    rooms: no query, no score and no softmax is computed in a step. The tables are no
    larger than the weights of one encoder layer.

    From the depot to the depot stands next to nothing in the tables, so that it is
    chosen when nothing else is left, and only then.

    Args:
        cache: Of B instances.
        merged: The form; `is_merged` says which is faster.
        room: [K, D], the decoder's vectors.
        capacity: [B] float32, the unit of the rooms.
        mask: `ATTENTION_MASK`.
        bound: `LOGIT_BOUND`.
    """
    batch_size, num_heads, head_dim, num_nodes = cache.key.shape
    is_depot = torch.arange(num_nodes, device=room.device) == 0
    stays = (is_depot.unsqueeze(1) & is_depot).to(room.dtype)
    query = cache.query.view(batch_size, num_nodes, num_heads, head_dim).transpose(1, 2)
    num_rooms = room.shape[0]
    room = room.view(num_rooms, num_heads, head_dim).transpose(0, 1)
    capacity = capacity.view(-1, 1, 1, 1)
    # Below the score of any other node, above that of masked ones.
    stay = -1.0e7 * stays
    nearness = stay - (cache.distance / bound).view(batch_size, num_nodes, num_nodes)
    nearness = nearness.view(batch_size * num_nodes, num_nodes)
    # Each branch computes its own: what both read, a converter moves out of both.
    if merged:
        near = near_weights(query, cache.key, stays).transpose(1, 2)
        near = near.reshape(batch_size * num_nodes, -1)
        barred = mask * torch.eye(num_nodes, dtype=room.dtype, device=room.device)
        barred = barred.repeat(1, num_heads).expand(batch_size, num_nodes, -1)
        slope = room_slopes(room, cache.key, capacity).transpose(1, 2)
        slope = slope.reshape(batch_size, num_rooms, -1)
        slope = torch.cat((slope, barred), 1)
        pointer = cache.pointer.view(batch_size, num_heads, head_dim, num_nodes)
        value = torch.matmul(cache.value, pointer).view(batch_size, -1, num_nodes)
        repeat = torch.eye(num_heads, dtype=room.dtype, device=room.device).unsqueeze(2)
        repeat = repeat.expand(num_heads, num_heads, num_nodes).reshape(num_heads, -1)
    else:
        near = near_weights(query, cache.key, stays).view(-1, num_nodes)
        slope = room_slopes(room, cache.key, capacity).transpose(0, 1).contiguous()
        value = cache.value.transpose(0, 1).contiguous()
        repeat = torch.ones([1, head_dim], dtype=room.dtype, device=room.device)
    head = torch.arange(num_heads, device=room.device).view(-1, 1, 1) * num_nodes
    head_row = head + cache.row * num_heads
    return Lookup(near, slope, value, cache.pointer, repeat, nearness, cache.row, head_row)


def near_weights(
    query: Tensor,
    key: Tensor,
    stays: Tensor,
    mask: float = ATTENTION_MASK,
    least: float = LEAST_WEIGHT,
) -> Tensor:
    """[B, H, M, M], attention weights from node to node without any room."""
    return torch.softmax(torch.matmul(query, key) + mask * stays, dim=-1).clamp(min=least)


def room_slopes(
    room: Tensor, key: Tensor, capacity: Tensor, mask: float = ATTENTION_MASK
) -> Tensor:
    """[B, H, K, M], what one unit of each room adds to scores; all whole ones at least `mask`."""
    score = torch.matmul(room, key)
    slope = score - score.amax(3, keepdim=True)
    shrunk = mask / slope.sum(2, keepdim=True).clamp(max=mask)
    return slope * shrunk / capacity


def lookup_scores(
    lookup: Lookup,
    merged: bool,
    last: Tensor,
    room: Tensor,
    mask: Tensor,
) -> Tensor:
    """The logits of `Decoder.forward` over its bound, but for rounding.

    That holds while the attention scores of a row differ by less than `-ATTENTION_MASK`, which is
    as far as weights reach here.

    Args:
        lookup: From `build_lookup`.
        merged: Its form.
        last: [B, S] int64, where each vehicle is.
        room: [B, S, K] float32, from `Environment.context`.
        mask: [B, S, M] bool from `Environment.loose`.

    Returns:
        [B, S, M] float32; meaningless where the mask is False.
    """
    # Sizes from the tables: they do not change from step to step.
    batch_size, num_nodes = lookup.row.shape[0], lookup.nearness.shape[1]
    width = lookup.pointer.shape[1]
    here = (last + lookup.row).view(-1)
    if merged:
        rows = [batch_size, -1, lookup.near.shape[1]]
        by_head = [batch_size, -1, lookup.repeat.shape[0], num_nodes]
        change = torch.cat((room, (~mask).to(room.dtype)), 2)
        weight = torch.index_select(lookup.near, 0, here).view(rows)
        weight = weight * torch.exp(torch.matmul(change, lookup.slope))
        norm = torch.matmul(torch.reciprocal(weight.view(by_head).sum(3)), lookup.repeat)
        pointer = torch.matmul(weight * norm, lookup.value)
    else:
        by_head = [lookup.head_row.shape[0], batch_size, -1, num_nodes]
        of_heads = (last + lookup.head_row).view(-1)
        weight = torch.index_select(lookup.near, 0, of_heads).view(by_head)
        weight = weight * torch.exp(torch.matmul(room, lookup.slope)) * mask.to(room.dtype)
        norm = torch.matmul(torch.reciprocal(weight.sum(3, keepdim=True)), lookup.repeat)
        glimpse = (torch.matmul(weight, lookup.value) * norm).permute(1, 2, 0, 3)
        pointer = torch.matmul(glimpse.reshape(batch_size, -1, width), lookup.pointer)
    nearness = torch.index_select(lookup.nearness, 0, here).view(batch_size, -1, num_nodes)
    return torch.tanh(pointer) + nearness
