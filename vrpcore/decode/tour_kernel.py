"""The Triton program behind `persistent`: some starts of an instance, from depot to last visit.

Rows of its tiles are starts, columns nodes. `at` is a flat index of a node, `M` nodes an instance.
Only the policy's numbers are rounded as the caller says; times, loads and lengths are float32, in
the order of vrpcore/env/vehicle.py.
"""

from typing import Final

import triton
import triton.language as tl

from vrpcore.arrays.batch import FAR, SLACK
from vrpcore.decode.select import PRIME
from vrpcore.policy.decoder import LOGIT_BOUND, LOGIT_MASK

_PRIME: Final = tl.constexpr(PRIME)
_CLOSED: Final = tl.constexpr(float("inf"))  # more than any vehicle holds
_FAR, _GRACE = tl.constexpr(0.5 * FAR), tl.constexpr(1.2 * SLACK)
_BOUND, _MASKED = tl.constexpr(LOGIT_BOUND), tl.constexpr(LOGIT_MASK)


@triton.jit
def construct_kernel(
    query_ptr, key_ptr, value_ptr, pointer_ptr, distance_ptr, room_ptr,
    demand_ptr, capacity_ptr, customer_ptr, first_ptr, stream_ptr, tour_ptr,
    home_ptr, away_ptr, reach_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr, counted_ptr,
    limit_ptr, flags_ptr, depots_ptr, weight_ptr,
    B, M, S, T, temperature,
    H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BS: tl.constexpr,
    VARIANTS: tl.constexpr, SAMPLED: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Constructs BS tours of one instance."""
    b = tl.program_id(0).to(tl.int64)
    s = tl.program_id(1) * BS + tl.arange(0, BS)
    m = tl.arange(0, BM)
    row, node = s < S, m < M
    start, base = b * S + s, b * M
    capacity = tl.load(capacity_ptr + b)
    demand = tl.load(demand_ptr + base + m, mask=node, other=0.0)
    customer = tl.load(customer_ptr + base + m, mask=node, other=0) != 0
    need = tl.zeros([BS, BM], tl.float32) + tl.where(customer, demand, _CLOSED)[None, :]
    left = tl.where(row, tl.sum(customer.to(tl.int32), 0), 0)
    none = tl.zeros([BS], tl.float32)
    wanted = none + tl.sum(demand, 0)
    first = tl.load(first_ptr + start, mask=row, other=0).to(tl.int32)
    stream = tl.load(stream_ptr + start, mask=row, other=0)
    if VARIANTS:
        num_depots = tl.load(depots_ptr + b).to(tl.int32)
        choice = tl.load(home_ptr + start, mask=row, other=0).to(tl.int32)
    else:
        num_depots = 1
        choice = first
    depot = m < num_depots
    # Triton carries a name through a loop only where its value is not another name's already.
    last, home = choice + 0, choice + 0
    peak, picked, delivered, time, length = none, none, none, none, none
    t = 0
    while (t < T) & (tl.max(left, 0) > 0):
        serves = choice >= num_depots
        at = base + choice
        tour = tour_ptr + start * T + t
        tl.store(tour, choice.to(tl.int16), mask=row & serves)
        load = tl.load(demand_ptr + at)
        wanted -= load
        left -= (serves & row).to(tl.int32)
        need = tl.where((m[None, :] == choice[:, None]) & serves[:, None], _CLOSED, need)
        peak = tl.where(serves, peak + load, 0.0)
        if VARIANTS:
            begins = row & serves & (last < num_depots)
            tl.store(tour - 1, home.to(tl.int16), mask=begins)
            leg = tl.load(away_ptr + (base + last) * M + choice)
            opening = tl.load(opening_ptr + at)
            picked = tl.where(serves, picked + tl.load(pickup_ptr + at), 0.0)
            peak = tl.maximum(peak, picked)
            delivered = tl.where(serves, delivered + load, 0.0)
            done = tl.maximum(time + leg, opening) + tl.load(service_ptr + at)
            time = tl.where(serves, done, opening)
            length = tl.where(serves, length + leg + tl.load(counted_ptr + at), 0.0)
            home = tl.where(serves, home, choice)
            last = choice
        remaining = capacity - peak
        query = query_ptr + at[:, None] * (H * D)
        further = tl.ceil(tl.div_rn(tl.maximum(wanted - remaining, 0.0), capacity))
        unused = tl.maximum(further * capacity + remaining - wanted, 0.0)
        shares = (
            tl.div_rn(remaining, capacity),
            tl.div_rn(tl.minimum(unused, capacity), capacity),
        )
        if VARIANTS:
            limit = tl.load(limit_ptr + b)
            mask, ways = _outlook(
                need, demand, capacity, remaining, picked, delivered, time, length, home, last,
                limit, left, serves, num_depots, at, b, B, m, M,
                away_ptr, reach_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr,
                counted_ptr, flags_ptr, weight_ptr,
            )  # fmt: skip
            horizon = tl.load(closing_ptr + base)
            passed = tl.where(horizon < _FAR, tl.div_rn(time, tl.maximum(horizon, 1e-3)), 0.0)
            driven = tl.div_rn(length, tl.maximum(limit, 1e-3))
            undriven = tl.where(limit < _FAR, 1.0 - driven, 0.0)
            shares += (_share(passed), _share(undriven), tl.div_rn(picked, capacity))
        else:
            mask = need <= remaining[:, None]
            mask |= depot[None, :] & (serves | (left <= 0))[:, None]
        logit = _BOUND * _pointer(
            query, room_ptr, key_ptr, value_ptr, pointer_ptr, shares, mask, b, m, M,
            H, D, BM, BS, VARIANTS, PRECISION,
        )  # fmt: skip
        logit -= _rows(distance_ptr, at, m, M).to(tl.float32)
        if VARIANTS:
            logit -= ways
        logit = tl.where(mask, logit, _MASKED)
        t += 1
        if SAMPLED:
            number = t
            if VARIANTS:
                number = t - 1
            choice = _drawn(logit, stream, number, temperature, m, M)
        else:
            choice = tl.argmax(logit, 1).to(tl.int32)
        if VARIANTS:
            choice = tl.where((first > 0) & (t == 1), first, choice)


@triton.jit
def _outlook(
    need, demand, capacity, remaining, picked, delivered, time, length, home, last,
    limit, left, serves, num_depots, at, b, B, m, M,
    away_ptr, reach_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr,
    counted_ptr, flags_ptr, weight_ptr,
):  # fmt: skip
    """Finds where each vehicle may go, and what the ways there take from the scores."""
    base, node = b * M, m < M
    open_end = tl.load(flags_ptr + b) != 0
    backhauls_last = tl.load(flags_ptr + B + b) != 0
    pickup_only = tl.load(flags_ptr + 2 * B + b) != 0
    away, back = _rows(away_ptr, at, m, M), _rows(away_ptr, base + home, m, M)
    back = tl.where(open_end, 0.0, back)
    arrival = time[:, None] + away
    closing = tl.load(closing_ptr + base + m, mask=node, other=0.0)[None, :]
    slack = closing - arrival
    waiting = tl.load(opening_ptr + base + m, mask=node, other=0.0)[None, :] - arrival
    waiting = tl.maximum(waiting, 0.0)
    grace = tl.where(last == home, _GRACE, 0.0)[:, None]
    end = arrival + waiting + tl.load(service_ptr + base + m, mask=node, other=0.0)[None, :] + back
    is_open = need < _CLOSED
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
    returns = serves | (tl.max(free.to(tl.int32), 1) == 0)
    mask = free | ((m < num_depots)[None, :] & (left <= 0)[:, None])
    depot = 0
    while depot < num_depots:
        reach = tl.load(reach_ptr + (base + m) * M + depot, mask=node, other=0.0) > 0.0
        worth = tl.max((is_open & reach[None, :]).to(tl.int32), 1) > 0
        mask |= (m == depot)[None, :] & (returns & worth)[:, None]
        depot += 1
    return mask, ways


@triton.jit
def _pointer(
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
        query += shares[0][:, None] * tl.load(room_ptr + part)[None, :]
        query += shares[1][:, None] * tl.load(room_ptr + H * D + part)[None, :]
        if VARIANTS:
            query += shares[2][:, None] * tl.load(room_ptr + 2 * H * D + part)[None, :]
            query += shares[3][:, None] * tl.load(room_ptr + 3 * H * D + part)[None, :]
            query += shares[4][:, None] * tl.load(room_ptr + 4 * H * D + part)[None, :]
        cells = (b * H * D + part)[:, None] * M + m[None, :]
        keys = tl.load(key_ptr + cells, mask=node[None, :], other=0.0)
        score = tl.where(mask, _dot(query, keys, PRECISION), _MASKED)
        weight = tl.exp(score - tl.max(score, 1)[:, None])
        weight = weight / tl.sum(weight, 1)[:, None]
        of_head = ((b * H + h) * M + m)[:, None] * D + d[None, :]
        values = tl.load(value_ptr + of_head, mask=node[:, None], other=0.0)
        glimpse = _dot(weight, values, PRECISION)
        pointers = tl.load(pointer_ptr + cells, mask=node[None, :], other=0.0)
        pointer += _dot(glimpse, pointers, PRECISION)
    return 2.0 * tl.sigmoid(2.0 * pointer) - 1.0


@triton.jit
def _dot(left, right, PRECISION: tl.constexpr):
    """Multiplies with float32 sums: bfloat16 operands, or float32 ones at a precision."""
    if PRECISION == "bf16":
        product = tl.dot(left.to(tl.bfloat16), right.to(tl.bfloat16))
    else:
        product = tl.dot(left.to(tl.float32), right.to(tl.float32), input_precision=PRECISION)
    return product


@triton.jit
def _rows(table_ptr, at, m, M):
    """Loads rows of a table with a column for each node."""
    return tl.load(table_ptr + at[:, None] * M + m[None, :], mask=(m < M)[None, :], other=0.0)


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
def _drawn(logit, stream, number, temperature, m, M):
    """Draws nodes as `select.sample` does, with the `number`-th number of each stream."""
    weight = tl.exp((logit - tl.max(logit, 1)[:, None]) / temperature)
    cumulative = tl.where(weight > 0, tl.cumsum(weight, 1), 0.0)
    bits = _scramble(stream + _scramble(tl.zeros_like(stream) + number)) // 128
    bound = bits.to(tl.float32) * (1.0 / 16777216.0) * tl.max(cumulative, 1)
    reached = (weight > 0) & (cumulative > bound[:, None])
    return tl.min(tl.where(reached, m[None, :], M - 1), 1).to(tl.int32)
