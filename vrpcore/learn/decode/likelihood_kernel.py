"""The Triton programs behind `fused_likelihood`: all choices of given tours, and their gradient.

Rows of their tiles are choices, columns all nodes. The first program keeps the logits; the second
one computes everything else again, so that no attention weight is ever written.
"""

import triton
import triton.language as tl

from vrpcore.learn.decode.kernel_parts import BOUND, MASKED, asked, dot, pointed, rows


@triton.jit
def logs_kernel(
    query_ptr, key_ptr, value_ptr, pointer_ptr, distance_ptr, room_ptr, taken_ptr,
    last_ptr, number_ptr, mask_ptr, choice_ptr, logit_ptr, total_ptr, log_ptr,
    M, R,
    H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BS: tl.constexpr, V: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    """Computes the log-probabilities of BS choices of one instance."""
    b = tl.program_id(0).to(tl.int64)
    r = tl.program_id(1) * BS + tl.arange(0, BS)
    m = tl.arange(0, BM)
    row, node, at = r < R, m < M, b * R + r
    here = b * M + tl.load(last_ptr + at, mask=row, other=0)
    cells, inside = at[:, None] * M + m[None, :], row[:, None] & node[None, :]
    mask = tl.load(mask_ptr + cells, mask=inside, other=0) != 0
    query = query_ptr + here[:, None] * (H * D)
    logit = BOUND * pointed(
        query, room_ptr, key_ptr, value_ptr, pointer_ptr, _shares(number_ptr, at, row, V), mask,
        b, m, M, H, D, BM, BS, V > 2, PRECISION,
    )  # fmt: skip
    logit -= rows(distance_ptr, here, m, M).to(tl.float32)
    if V > 2:
        logit -= tl.load(taken_ptr + cells, mask=inside, other=0.0)
    logit = tl.where(mask, logit, MASKED)
    highest = tl.max(logit, 1)
    total = highest + tl.log(tl.sum(tl.exp(logit - highest[:, None]), 1))
    choice = tl.load(choice_ptr + at, mask=row, other=0)
    chosen = tl.sum(tl.where(m[None, :] == choice[:, None], logit, 0.0), 1)
    tl.store(logit_ptr + cells, logit, mask=inside)
    tl.store(total_ptr + at, total, mask=row)
    tl.store(log_ptr + at, chosen - total, mask=row)


@triton.jit
def gradient_kernel(
    query_ptr, key_ptr, value_ptr, pointer_ptr, distance_ptr, room_ptr, taken_ptr,
    last_ptr, number_ptr, choice_ptr, logit_ptr, total_ptr, slope_ptr,
    to_query_ptr, to_key_ptr, to_value_ptr, to_pointer_ptr, to_distance_ptr, to_room_ptr,
    to_taken_ptr,
    M, R,
    H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BS: tl.constexpr, V: tl.constexpr,
    BV: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Sums up the gradient of one head of one instance over all choices."""
    b, h = tl.program_id(0).to(tl.int64), tl.program_id(1)
    m, d, v = tl.arange(0, BM), tl.arange(0, D), tl.arange(0, BV)
    node, part = m < M, h * D + d
    columns = (b * H * D + part)[:, None] * M + m[None, :]
    of_head = ((b * H + h) * M + m)[:, None] * D + d[None, :]
    keys = tl.load(key_ptr + columns, mask=node[None, :], other=0.0)
    values = tl.load(value_ptr + of_head, mask=node[:, None], other=0.0)
    pointers = tl.load(pointer_ptr + columns, mask=node[None, :], other=0.0)
    to_query = tl.zeros([BM, D], tl.float32)
    to_key, to_value, to_pointer = to_query + 0.0, to_query + 0.0, to_query + 0.0
    to_room = tl.zeros([BV, D], tl.float32)
    for first in range(0, R, BS):
        r = first + tl.arange(0, BS)
        row, at = r < R, b * R + r
        last = tl.load(last_ptr + at, mask=row, other=0)
        here = b * M + last
        cells, inside = at[:, None] * M + m[None, :], row[:, None] & node[None, :]
        logit = tl.load(logit_ptr + cells, mask=inside, other=MASKED)
        total = tl.load(total_ptr + at, mask=row, other=0.0)
        slope = tl.load(slope_ptr + at, mask=row, other=0.0)
        choice = tl.load(choice_ptr + at, mask=row, other=0)
        # Of the logits, then of what is in the tanh.
        change = tl.where(m[None, :] == choice[:, None], 1.0, 0.0)
        change = slope[:, None] * (change - tl.exp(logit - total[:, None]))
        away = rows(distance_ptr, here, m, M).to(tl.float32)
        if V > 2:
            away += tl.load(taken_ptr + cells, mask=inside, other=0.0)
        if h == 0:
            tl.atomic_add(to_distance_ptr + here[:, None] * M + m[None, :], -change, mask=inside)
            if V > 2:
                tl.store(to_taken_ptr + cells, -change, mask=inside)
        mask = logit > 0.5 * MASKED
        bent = tl.where(mask, (logit + away) / BOUND, 1.0)
        change = change * BOUND * (1.0 - bent * bent)
        query = tl.load(query_ptr + here[:, None] * (H * D) + part[None, :]).to(tl.float32)
        query = asked(query, room_ptr, _shares(number_ptr, at, row, V), part, H * D, V > 2)
        score = tl.where(mask, dot(query, keys, PRECISION), MASKED)
        weight = tl.exp(score - tl.max(score, 1)[:, None])
        weight = weight / tl.sum(weight, 1)[:, None]
        glimpse = dot(weight, values, PRECISION)
        to_pointer += dot(tl.trans(change), glimpse, PRECISION)
        to_glimpse = dot(change, tl.trans(pointers), PRECISION)
        to_value += dot(tl.trans(weight), to_glimpse, PRECISION)
        to_weight = dot(to_glimpse, tl.trans(values), PRECISION)
        to_score = weight * (to_weight - tl.sum(to_weight * weight, 1)[:, None])
        to_key += dot(tl.trans(to_score), query, PRECISION)
        asks = dot(to_score, tl.trans(keys), PRECISION)
        is_here = tl.where(m[:, None] == last[None, :], 1.0, 0.0)
        to_query += dot(is_here, asks, PRECISION)
        number = at[:, None] * V + v[None, :]
        share = tl.load(number_ptr + number, mask=row[:, None] & (v < V)[None, :], other=0.0)
        to_room += tl.dot(tl.trans(share), asks, input_precision="ieee")
    tl.store(to_key_ptr + columns, tl.trans(to_key), mask=node[None, :])
    tl.store(to_value_ptr + of_head, to_value, mask=node[:, None])
    tl.store(to_pointer_ptr + columns, tl.trans(to_pointer), mask=node[None, :])
    own = (b * M + m)[:, None] * (H * D) + part[None, :]
    tl.store(to_query_ptr + own, to_query, mask=node[:, None])
    own = (b * V + v)[:, None] * (H * D) + part[None, :]
    tl.store(to_room_ptr + own, to_room, mask=(v < V)[:, None])


@triton.jit
def _shares(number_ptr, at, row, V: tl.constexpr):
    """The vehicle's numbers of each choice: two, or five of variants."""
    number = number_ptr + at * V
    shares = (
        tl.load(number, mask=row, other=0.0),
        tl.load(number + 1, mask=row, other=0.0),
    )
    if V > 2:
        shares += (
            tl.load(number + 2, mask=row, other=0.0),
            tl.load(number + 3, mask=row, other=0.0),
            tl.load(number + 4, mask=row, other=0.0),
        )
    return shares
