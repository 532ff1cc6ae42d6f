"""The Triton program behind `persistent`: some starts of an instance, from depot to last visit.

Rows of its tiles are starts, columns all nodes.
"""

import triton
import triton.language as tl

from vrpcore.learn.decode.kernel_parts import (
    BOUND,
    CLOSED,
    MASKED,
    arrived,
    drawn_numbers,
    pointed,
    reachable,
    rows,
    vehicle_shares,
)


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
    need = tl.zeros([BS, BM], tl.float32) + tl.where(customer, demand, CLOSED)[None, :]
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
        need = tl.where((m[None, :] == choice[:, None]) & serves[:, None], CLOSED, need)
        peak = tl.where(serves, peak + load, 0.0)
        if VARIANTS:
            peak, picked, delivered, time, length = arrived(
                choice, last, serves, load, peak, picked, delivered, time, length, base, at, M,
                away_ptr, pickup_ptr, opening_ptr, service_ptr, counted_ptr,
            )  # fmt: skip
            begins = row & serves & (last < num_depots)
            tl.store(tour - 1, home.to(tl.int16), mask=begins)
            home = tl.where(serves, home, choice)
            last = choice
        remaining = capacity - peak
        query = query_ptr + at[:, None] * (H * D)
        shares = vehicle_shares(
            capacity, peak, picked, wanted, time, length, b, M, closing_ptr, limit_ptr, VARIANTS
        )
        if VARIANTS:
            mask, ways = _outlook(
                need, demand, capacity, remaining, picked, delivered, time, length, home, last,
                left, serves, num_depots, at, b, B, m, M,
                away_ptr, reach_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr,
                counted_ptr, limit_ptr, flags_ptr, weight_ptr,
            )  # fmt: skip
        else:
            mask = need <= remaining[:, None]
            mask |= depot[None, :] & (serves | (left <= 0))[:, None]
        logit = BOUND * pointed(
            query, room_ptr, key_ptr, value_ptr, pointer_ptr, shares, mask, b, m, M,
            H, D, BM, BS, VARIANTS, PRECISION,
        )  # fmt: skip
        logit -= rows(distance_ptr, at, m, M).to(tl.float32)
        if VARIANTS:
            logit -= ways
        logit = tl.where(mask, logit, MASKED)
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
    left, serves, num_depots, at, b, B, m, M,
    away_ptr, reach_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr,
    counted_ptr, limit_ptr, flags_ptr, weight_ptr,
):  # fmt: skip
    """Finds where each vehicle may go, and what the ways there take from the scores."""
    free, ways = reachable(
        need, demand, capacity, remaining, picked, delivered, time, length, home, last,
        at, b, B, m, M,
        away_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr, counted_ptr, limit_ptr,
        flags_ptr, weight_ptr,
    )  # fmt: skip
    base, node, is_open = b * M, m < M, need < CLOSED
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
def _drawn(logit, stream, number, temperature, m, M):
    """Draws nodes as `select.sample` does, with the `number`-th number of each stream."""
    weight = tl.exp((logit - tl.max(logit, 1)[:, None]) / temperature)
    cumulative = tl.where(weight > 0, tl.cumsum(weight, 1), 0.0)
    bound = drawn_numbers(stream, number) * tl.max(cumulative, 1)
    reached = (weight > 0) & (cumulative > bound[:, None])
    return tl.min(tl.where(reached, m[None, :], M - 1), 1).to(tl.int32)
