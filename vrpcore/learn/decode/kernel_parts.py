"""Parts shared by several Triton programs: permitted moves, products, random numbers.

Rows of their tiles are starts, columns nodes. `at` is a flat index of a node, of `M` nodes an
instance. Only the policy's numbers are rounded as the caller says; times, loads and lengths are
float32, in the order of vrpcore/learn/env/vehicle.py.
"""

from typing import Final

import triton
import triton.language as tl

from vrpcore.arrays.batch import FAR, SLACK
from vrpcore.learn.decode.select import PRIME
from vrpcore.learn.policy.decoder import LOGIT_BOUND, LOGIT_MASK

_PRIME: Final = tl.constexpr(PRIME)
CLOSED: Final = tl.constexpr(float("inf"))  # more than any vehicle holds
_FAR, _GRACE = tl.constexpr(0.5 * FAR), tl.constexpr(1.2 * SLACK)
BOUND, MASKED = tl.constexpr(LOGIT_BOUND), tl.constexpr(LOGIT_MASK)


@triton.jit
def arrived(
    choice, last, serves, load, peak, picked, delivered, time, length, base, at, M,
    away_ptr, pickup_ptr, opening_ptr, service_ptr, counted_ptr,
):  # fmt: skip
    """A vehicle's numbers after it served a customer, or as another one begins at a depot."""
    leg = tl.load(away_ptr + (base + last) * M + choice)
    opening = tl.load(opening_ptr + at)
    picked = tl.where(serves, picked + tl.load(pickup_ptr + at), 0.0)
    peak = tl.maximum(peak, picked)
    delivered = tl.where(serves, delivered + load, 0.0)
    done = tl.maximum(time + leg, opening) + tl.load(service_ptr + at)
    time = tl.where(serves, done, opening)
    length = tl.where(serves, length + leg + tl.load(counted_ptr + at), 0.0)
    return peak, picked, delivered, time, length


@triton.jit
def vehicle_shares(
    capacity, peak, picked, wanted, time, length, b, M, closing_ptr, limit_ptr,
    VARIANTS: tl.constexpr,
):  # fmt: skip
    """The vehicle's numbers of a step, each 0 to 1, in the order of `Features.vehicle`."""
    remaining = capacity - peak
    further = tl.ceil(tl.div_rn(tl.maximum(wanted - remaining, 0.0), capacity))
    unused = tl.maximum(further * capacity + remaining - wanted, 0.0)
    shares = (
        tl.div_rn(remaining, capacity),
        tl.div_rn(tl.minimum(unused, capacity), capacity),
    )
    if VARIANTS:
        limit = tl.load(limit_ptr + b)
        horizon = tl.load(closing_ptr + b * M)
        passed = tl.where(horizon < _FAR, tl.div_rn(time, tl.maximum(horizon, 1e-3)), 0.0)
        driven = tl.div_rn(length, tl.maximum(limit, 1e-3))
        undriven = tl.where(limit < _FAR, 1.0 - driven, 0.0)
        shares += (_share(passed), _share(undriven), tl.div_rn(picked, capacity))
    return shares


@triton.jit
def reachable(
    need, demand, capacity, remaining, picked, delivered, time, length, home, last,
    at, b, B, m, M,
    away_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr, counted_ptr, limit_ptr,
    flags_ptr, weight_ptr,
):  # fmt: skip
    """Finds the customers that vehicles may go to, and what the ways take from the scores."""
    base, node, limit = b * M, m < M, tl.load(limit_ptr + b)
    open_end = tl.load(flags_ptr + b) != 0
    backhauls_last = tl.load(flags_ptr + B + b) != 0
    pickup_only = tl.load(flags_ptr + 2 * B + b) != 0
    away, back = rows(away_ptr, at, m, M), rows(away_ptr, base + home, m, M)
    back = tl.where(open_end, 0.0, back)
    arrival = time[:, None] + away
    closing = tl.load(closing_ptr + base + m, mask=node, other=0.0)[None, :]
    slack = closing - arrival
    waiting = tl.load(opening_ptr + base + m, mask=node, other=0.0)[None, :] - arrival
    waiting = tl.maximum(waiting, 0.0)
    grace = tl.where(last == home, _GRACE, 0.0)[:, None]
    end = arrival + waiting + tl.load(service_ptr + base + m, mask=node, other=0.0)[None, :] + back
    is_open = need < CLOSED
    free = is_open & (slack >= -grace)
    free &= end <= tl.load(closing_ptr + base + home)[:, None] + grace
    counted = tl.load(counted_ptr + base + m, mask=node, other=0.0)[None, :]
    free &= length[:, None] + away + counted + back <= limit + grace
    slack = tl.maximum(tl.where(closing < _FAR, slack, 0.0), 0.0)
    ways = waiting * tl.load(weight_ptr + b) + slack * tl.load(weight_ptr + B + b)
    ways += back * tl.load(weight_ptr + 2 * B + b)
    too_late = backhauls_last & (picked > 0.0)
    free &= need <= tl.where(too_late, tl.minimum(remaining, 0.0), remaining)[:, None]
    pickup = tl.load(pickup_ptr + base + m, mask=node, other=0.0)
    too_early = (not pickup_only) & (delivered <= 0.0)
    alone = tl.where(demand <= 0.0, pickup, 0.0)[None, :]
    free &= alone <= tl.where(too_early, 0.0, capacity)[:, None]
    free &= pickup[None, :] <= (capacity - picked)[:, None]
    return free, ways


@triton.jit
def asked(query, room_ptr, shares, part, WIDTH: tl.constexpr, VARIANTS: tl.constexpr):
    """Adds what the vehicle's numbers say to the numbers `part` of each start's query."""
    query += shares[0][:, None] * tl.load(room_ptr + part)[None, :]
    query += shares[1][:, None] * tl.load(room_ptr + WIDTH + part)[None, :]
    if VARIANTS:
        query += shares[2][:, None] * tl.load(room_ptr + 2 * WIDTH + part)[None, :]
        query += shares[3][:, None] * tl.load(room_ptr + 3 * WIDTH + part)[None, :]
        query += shares[4][:, None] * tl.load(room_ptr + 4 * WIDTH + part)[None, :]
    return query


@triton.jit
def dot(left, right, PRECISION: tl.constexpr):
    """Multiplies with float32 sums: bfloat16 operands, or float32 ones at a precision."""
    if PRECISION == "bf16":
        product = tl.dot(left.to(tl.bfloat16), right.to(tl.bfloat16))
    else:
        product = tl.dot(left.to(tl.float32), right.to(tl.float32), input_precision=PRECISION)
    return product


@triton.jit
def rows(table_ptr, at, m, M):
    """Loads rows of a table with a column for each node."""
    return tl.load(table_ptr + at[:, None] * M + m[None, :], mask=(m < M)[None, :], other=0.0)


@triton.jit
def pointed(
    query_ptr, room_ptr, key_ptr, value_ptr, pointer_ptr, shares, mask, b, m, M,
    H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BS: tl.constexpr,
    VARIANTS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Attends to the nodes of the mask, head by head; the tanh of what points at each node."""
    d = tl.arange(0, D)
    node = m < M
    pointer = tl.zeros([BS, BM], tl.float32)
    for h in range(H):
        part = h * D + d
        query = tl.load(query_ptr + part[None, :]).to(tl.float32)
        query = asked(query, room_ptr, shares, part, H * D, VARIANTS)
        cells = (b * H * D + part)[:, None] * M + m[None, :]
        keys = tl.load(key_ptr + cells, mask=node[None, :], other=0.0)
        score = tl.where(mask, dot(query, keys, PRECISION), MASKED)
        weight = tl.exp(score - tl.max(score, 1)[:, None])
        weight = weight / tl.sum(weight, 1)[:, None]
        of_head = ((b * H + h) * M + m)[:, None] * D + d[None, :]
        values = tl.load(value_ptr + of_head, mask=node[:, None], other=0.0)
        glimpse = dot(weight, values, PRECISION)
        pointers = tl.load(pointer_ptr + cells, mask=node[None, :], other=0.0)
        pointer += dot(glimpse, pointers, PRECISION)
    return 2.0 * tl.sigmoid(2.0 * pointer) - 1.0


@triton.jit
def _share(number):
    """Clamps to 0 to 1."""
    return tl.minimum(tl.maximum(number, 0.0), 1.0)


@triton.jit
def _scramble(value):
    """Mixes integers as `select.scramble` does."""
    residue = (value + 374761393) % _PRIME
    square = residue * residue % _PRIME
    fifth = square * square % _PRIME * residue % _PRIME
    return (fifth * 48271 + 11) % _PRIME


@triton.jit
def drawn_numbers(stream, number):
    """The `number`-th number of each stream, as `select.uniform`."""
    bits = _scramble(stream + _scramble(tl.zeros_like(stream) + number)) // 128
    return bits.to(tl.float32) * (1.0 / 16777216.0)
