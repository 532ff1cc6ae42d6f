"""The Triton program behind `persistent` for many nodes: it goes through them tile by tile.

A tile has `BN` columns. Which nodes are open, and which may be chosen, are bits of a word for each
tile, so that all of them stay in registers.
"""

import triton
import triton.language as tl

from vrpcore.learn.decode.kernel_parts import (
    BOUND,
    CLOSED,
    MASKED,
    arrived,
    asked,
    dot,
    drawn_numbers,
    reachable,
    rows,
    vehicle_shares,
)


@triton.jit
def tiled_kernel(
    query_ptr, key_ptr, value_ptr, pointer_ptr, distance_ptr, room_ptr,
    demand_ptr, capacity_ptr, customer_ptr, first_ptr, stream_ptr, tour_ptr,
    home_ptr, away_ptr, reach_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr, counted_ptr,
    limit_ptr, flags_ptr, depots_ptr, weight_ptr,
    B, M, S, T, temperature,
    H: tl.constexpr, D: tl.constexpr, BN: tl.constexpr, NW: tl.constexpr, BS: tl.constexpr,
    VARIANTS: tl.constexpr, SAMPLED: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Constructs BS tours of one instance of at most NW * BN nodes."""
    b = tl.program_id(0).to(tl.int64)
    s = tl.program_id(1) * BS + tl.arange(0, BS)
    w = tl.arange(0, NW)[None, :]
    row = s < S
    start, base = b * S + s, b * M
    capacity = tl.load(capacity_ptr + b)
    is_open = tl.zeros([BS, NW], tl.int64) + tl.load(customer_ptr + b * NW + w)
    none = tl.zeros([BS], tl.float32)
    wanted, left = none, tl.zeros([BS], tl.int32)
    for tile in range(NW):
        m = tile * BN + tl.arange(0, BN)
        wanted += tl.sum(tl.load(demand_ptr + base + m, mask=m < M, other=0.0), 0)
        left += tl.sum(_bits(is_open, tile, BN, NW).to(tl.int32), 1)
    left = tl.where(row, left, 0)
    first = tl.load(first_ptr + start, mask=row, other=0).to(tl.int32)
    stream = tl.load(stream_ptr + start, mask=row, other=0)
    if VARIANTS:
        num_depots = tl.load(depots_ptr + b).to(tl.int32)
        choice = tl.load(home_ptr + start, mask=row, other=0).to(tl.int32)
    else:
        num_depots = 1
        choice = first
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
        is_open = tl.where(serves[:, None], is_open & ~_word(choice, BN, NW), is_open)
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
        shares = vehicle_shares(
            capacity, peak, picked, wanted, time, length, b, M, closing_ptr, limit_ptr, VARIANTS
        )
        vehicle = (capacity - peak, picked, delivered, time, length, home, last)
        constraints = (
            away_ptr, pickup_ptr, opening_ptr, closing_ptr, service_ptr, counted_ptr, limit_ptr,
            flags_ptr, weight_ptr,
        )  # fmt: skip
        place = (at, b, B, M, demand_ptr, capacity)
        allowed = tl.zeros_like(is_open)
        for tile in range(NW):
            free, _ways = _free(is_open, tile, vehicle, place, constraints, BN, NW, VARIANTS)
            bit = tl.full([1, BN], 1, tl.int64) << tl.arange(0, BN)[None, :].to(tl.int64)
            word = tl.sum(tl.where(free, bit, 0), 1)
            allowed = tl.where(w == tile, word[:, None], allowed)
        if VARIANTS:
            returns = serves | (tl.max((allowed != 0).to(tl.int32), 1) == 0)
            depot = 0
            while depot < num_depots:
                reach = tl.load(reach_ptr + (base + depot) * NW + w)
                worth = tl.max(((is_open & reach) != 0).to(tl.int32), 1) > 0
                home_again = (returns & worth) | (left <= 0)
                allowed |= tl.where(home_again[:, None], _word(depot + choice * 0, BN, NW), 0)
                depot += 1
        else:
            allowed |= tl.where((serves | (left <= 0))[:, None] & (w == 0), 1, 0)
        glimpse = _attend(
            query_ptr, room_ptr, key_ptr, value_ptr, shares, allowed, at, b, M,
            H, D, BN, NW, BS, VARIANTS, PRECISION,
        )  # fmt: skip
        scores = (glimpse, allowed, pointer_ptr, distance_ptr)
        t += 1
        # The likeliest node of the tiles so far, and the sum of all weights relative to its.
        best, total = tl.full([BS], float("-inf"), tl.float32), none
        choice = choice * 0
        for tile in range(NW):
            logit = _logits(
                scores, tile, vehicle, place, constraints, is_open, H, D, BN, NW, VARIANTS,
                PRECISION,
            )  # fmt: skip
            here = tl.max(logit, 1)
            if SAMPLED:
                highest = tl.maximum(best, here)
                weight = tl.sum(tl.exp((logit - highest[:, None]) / temperature), 1)
                total = total * tl.exp((best - highest) / temperature) + weight
            better = here > best
            choice = tl.where(better, tile * BN + tl.argmax(logit, 1).to(tl.int32), choice)
            best = tl.maximum(best, here)
        if SAMPLED:
            number = t
            if VARIANTS:
                number = t - 1
            bound, passed = drawn_numbers(stream, number) * total, none
            # The first node whose weights up to it exceed the bound; by rounding there may be none.
            for tile in range(NW):
                logit = _logits(
                    scores, tile, vehicle, place, constraints, is_open, H, D, BN, NW, VARIANTS,
                    PRECISION,
                )  # fmt: skip
                m = tile * BN + tl.arange(0, BN)[None, :]
                weight = tl.exp((logit - best[:, None]) / temperature)
                cumulative = passed[:, None] + tl.cumsum(weight, 1)
                reached = (weight > 0) & (cumulative > bound[:, None])
                found = tl.min(tl.where(reached, m, NW * BN), 1)
                choice = tl.where((found < NW * BN) & (passed <= bound), found, choice)
                passed = tl.maximum(passed, tl.max(cumulative, 1))
        if VARIANTS:
            choice = tl.where((first > 0) & (t == 1), first, choice)


@triton.jit
def _bits(words, tile, BN: tl.constexpr, NW: tl.constexpr):
    """The bits of a tile's words, [BS, BN]."""
    word = tl.sum(tl.where(tl.arange(0, NW)[None, :] == tile, words, 0), 1)
    return ((word[:, None] >> tl.arange(0, BN)[None, :].to(tl.int64)) & 1) != 0


@triton.jit
def _word(node, BN: tl.constexpr, NW: tl.constexpr):
    """Words in which only the bit of one node is set, [BS, NW]."""
    bit = tl.full([1, 1], 1, tl.int64) << (node % BN)[:, None].to(tl.int64)
    return tl.where(tl.arange(0, NW)[None, :] == (node // BN)[:, None], bit, 0)


@triton.jit
def _free(
    is_open, tile, vehicle, place, constraints,
    BN: tl.constexpr, NW: tl.constexpr, VARIANTS: tl.constexpr,
):  # fmt: skip
    """Finds the customers of a tile that vehicles may go to, and what the ways take."""
    at, b, B, M, demand_ptr, capacity = place
    remaining, picked, delivered, time, length, home, last = vehicle
    m = tile * BN + tl.arange(0, BN)
    demand = tl.load(demand_ptr + b * M + m, mask=m < M, other=0.0)
    need = tl.where(_bits(is_open, tile, BN, NW), demand[None, :], CLOSED)
    if VARIANTS:
        free, ways = reachable(
            need, demand, capacity, remaining, picked, delivered, time, length, home, last,
            at, b, B, m, M, *constraints,
        )  # fmt: skip
    else:
        free, ways = need <= remaining[:, None], tl.zeros_like(need)
    return free, ways


@triton.jit
def _attend(
    query_ptr, room_ptr, key_ptr, value_ptr, shares, allowed, at, b, M,
    H: tl.constexpr, D: tl.constexpr, BN: tl.constexpr, NW: tl.constexpr, BS: tl.constexpr,
    VARIANTS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Attends to the nodes that may be chosen, all heads at once; [BS, H * D].

    The softmax is summed up from tile to tile: Dao et al. 2022, arXiv:2205.14135.
    """
    part = tl.arange(0, H * D)
    query = tl.load(query_ptr + at[:, None] * (H * D) + part[None, :]).to(tl.float32)
    query = asked(query, room_ptr, shares, part, H * D, VARIANTS)
    query = tl.permute(tl.reshape(query, [BS, H, D]), [1, 0, 2])
    h, d = tl.arange(0, H)[:, None, None], tl.arange(0, D)
    highest = tl.full([H, BS], MASKED, tl.float32)
    total, glimpse = tl.zeros([H, BS], tl.float32), tl.zeros([H, BS, D], tl.float32)
    for tile in range(NW):
        m = tile * BN + tl.arange(0, BN)
        node, of_head = m < M, b * H + h
        cells = (of_head * D + d[None, :, None]) * M + m[None, None, :]
        keys = tl.load(key_ptr + cells, mask=node[None, None, :], other=0.0)
        score = dot(query, keys, PRECISION)
        score = tl.where(_bits(allowed, tile, BN, NW)[None, :, :], score, MASKED)
        higher = tl.maximum(highest, tl.max(score, 2))
        weight, kept = tl.exp(score - higher[:, :, None]), tl.exp(highest - higher)
        cells = (of_head * M + m[None, :, None]) * D + d[None, None, :]
        values = tl.load(value_ptr + cells, mask=node[None, :, None], other=0.0)
        total = total * kept + tl.sum(weight, 2)
        glimpse = glimpse * kept[:, :, None] + dot(weight, values, PRECISION)
        highest = higher
    glimpse = glimpse / total[:, :, None]
    return tl.reshape(tl.permute(glimpse, [1, 0, 2]), [BS, H * D])


@triton.jit
def _logits(
    scores, tile, vehicle, place, constraints, is_open,
    H: tl.constexpr, D: tl.constexpr, BN: tl.constexpr, NW: tl.constexpr,
    VARIANTS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The logits of a tile's nodes."""
    glimpse, allowed, pointer_ptr, distance_ptr = scores
    at, b, M = place[0], place[1], place[3]
    m = tile * BN + tl.arange(0, BN)
    cells = (b * H * D + tl.arange(0, H * D))[:, None] * M + m[None, :]
    pointers = tl.load(pointer_ptr + cells, mask=(m < M)[None, :], other=0.0)
    logit = BOUND * (2.0 * tl.sigmoid(2.0 * dot(glimpse, pointers, PRECISION)) - 1.0)
    logit -= rows(distance_ptr, at, m, M).to(tl.float32)
    if VARIANTS:
        _customers, ways = _free(is_open, tile, vehicle, place, constraints, BN, NW, VARIANTS)
        logit -= ways
    return tl.where(_bits(allowed, tile, BN, NW), logit, MASKED)
