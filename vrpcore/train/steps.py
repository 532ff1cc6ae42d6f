"""The parts of a decoder step and of its gradient, compiled into `kernel`.

Features stand in groups of `LANES`, one of each head, so that a head's weight times its
values is one instruction for all heads. `feature` counts numbers, `LANES` at a time.
"""

from typing import Any

import numba
import numpy as np

from vrpcore.train.arrays import LANES
from vrpcore.train.lanes import (
    exponential,
    largest,
    load,
    minus,
    over,
    plus_product,
    spread,
    store,
    times,
    total,
)

OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}
part = numba.njit(inline="always", **OPTIONS)
_ONE, _ZERO = np.float32(1.0), np.float32(0.0)
_BOUND = np.float32(10.0)  # of the logits
_FAR = np.float32(1.0e4)  # of a logit that is none: nothing beside any other


@part
def list_nodes(scratch, remaining, last, num_nodes):
    """Lists the nodes that may be chosen, in order; returns how many."""
    count = 0
    scratch.node[0] = 0
    if last != 0:
        count = 1
    for node in range(1, num_nodes):
        scratch.node[count] = node
        if scratch.need[node] <= remaining:
            count += 1
    return count


@part
def attend(memory, place, shares, count):
    """Weights of the listed nodes, without norm, and one over their sums."""
    tables, scratch = memory.tables, memory.scratch
    num_nodes, heads, _ = memory.shape
    near, room = place.near, place.room
    one = spread(_ONE)
    first, second = spread(shares[0]), spread(shares[1])
    for head in range(0, heads, LANES):
        summed = spread(_ZERO)
        for index in range(count):
            at = scratch.node[index] * heads + head
            score = plus_product(load(tables.near, near + at), first, load(tables.room, room + at))
            score = plus_product(score, second, load(tables.room, room + num_nodes * heads + at))
            weight = exponential(score)
            store(scratch.weight, index * heads + head, weight)
            summed = plus_product(summed, weight, one)
        store(scratch.inverse, head, over(one, summed))


@part
def mix(memory, place, count):
    """Records the glimpse: the listed nodes' values by their weights."""
    tables, scratch, glimpse = memory.tables, memory.scratch, memory.record.glimpse
    _, heads, features = memory.shape
    block, width = 8 * LANES, features // (heads // LANES)
    for feature in range(0, features, block):
        head = feature // width * LANES
        a = b = c = d = e = f = g = h = spread(_ZERO)
        for index in range(count):
            weight = load(scratch.weight, index * heads + head)
            at = place.feature + scratch.node[index] * features + feature
            a = plus_product(a, weight, load(tables.value, at))
            b = plus_product(b, weight, load(tables.value, at + LANES))
            c = plus_product(c, weight, load(tables.value, at + 2 * LANES))
            d = plus_product(d, weight, load(tables.value, at + 3 * LANES))
            e = plus_product(e, weight, load(tables.value, at + 4 * LANES))
            f = plus_product(f, weight, load(tables.value, at + 5 * LANES))
            g = plus_product(g, weight, load(tables.value, at + 6 * LANES))
            h = plus_product(h, weight, load(tables.value, at + 7 * LANES))
        inverse = load(scratch.inverse, head)
        at = place.glimpse + feature
        store(glimpse, at, times(a, inverse))
        store(glimpse, at + LANES, times(b, inverse))
        store(glimpse, at + 2 * LANES, times(c, inverse))
        store(glimpse, at + 3 * LANES, times(d, inverse))
        store(glimpse, at + 4 * LANES, times(e, inverse))
        store(glimpse, at + 5 * LANES, times(f, inverse))
        store(glimpse, at + 6 * LANES, times(g, inverse))
        store(glimpse, at + 7 * LANES, times(h, inverse))


@part
def point(memory, place, count):
    """The pointer's scores of the listed nodes, to `Scratch.logit`."""
    tables, scratch, glimpse = memory.tables, memory.scratch, memory.record.glimpse
    features = memory.shape[2]
    for index in range(count):
        a = b = c = d = spread(_ZERO)
        first = place.feature + scratch.node[index] * features
        for feature in range(0, features, 4 * LANES):
            at, own = place.glimpse + feature, first + feature
            a = plus_product(a, load(glimpse, at), load(tables.pointer, own))
            b = plus_product(b, load(glimpse, at + LANES), load(tables.pointer, own + LANES))
            c = plus_product(
                c, load(glimpse, at + 2 * LANES), load(tables.pointer, own + 2 * LANES)
            )
            d = plus_product(
                d, load(glimpse, at + 3 * LANES), load(tables.pointer, own + 3 * LANES)
            )
        one = spread(_ONE)
        summed = plus_product(plus_product(a, b, one), plus_product(c, d, one), one)
        scratch.logit[index] = total(summed)


@part
def weigh(memory, place, count):
    """Probabilities of the listed nodes, and what the tanh's gradient needs.

    10 tanh(u) = 10 - 20 q with q = 1 / (1 + e^2u); the constant cancels in the softmax.
    """
    tables, scratch, row = memory.tables, memory.scratch, place.node
    squash, probability = memory.record.squash, memory.record.probability
    one, two = spread(_ONE), spread(np.float32(2.0))
    for index in range(count, (count + LANES - 1) // LANES * LANES):
        scratch.logit[index] = _ZERO
        scratch.node[index] = 0
    most = spread(-_FAR)
    for index in range(0, count, LANES):
        q = over(one, plus_product(one, one, exponential(times(two, load(scratch.logit, index)))))
        store(squash, row + index, q)
        for lane in range(LANES):
            scratch.lanes[lane] = tables.distance[place.distance + scratch.node[index + lane]]
        logit = minus(times(spread(np.float32(-2.0) * _BOUND), q), load(scratch.lanes, 0))
        store(scratch.logit, index, logit)
    for index in range(count, (count + LANES - 1) // LANES * LANES):
        scratch.logit[index] = -_FAR
    for index in range(0, count, LANES):
        most = largest(most, load(scratch.logit, index))
    store(scratch.lanes, 0, most)
    top = scratch.lanes[0]
    for lane in range(1, LANES):
        top = max(top, scratch.lanes[lane])
    summed = spread(_ZERO)
    for index in range(0, count, LANES):
        weight = exponential(minus(load(scratch.logit, index), spread(top)))
        store(probability, row + index, weight)
        summed = plus_product(summed, weight, one)
    inverse = spread(_ONE / total(summed))
    for index in range(0, count, LANES):
        store(probability, row + index, times(load(probability, row + index), inverse))


@part
def draw(memory, place, count, threshold):
    """Which of the listed nodes: where the running sum passes the threshold."""
    summed = _ZERO
    for index in range(count):
        summed += memory.record.probability[place.node + index]
        if summed > threshold:
            return index
    return count - 1


@part
def unweigh(memory, place, chosen, factor, count):
    """The gradient of -factor * log-probability by the pointer's scores.

    Leaves that by the logits in `Scratch.logit`, and that by the scores in place of the
    squashed scores.
    """
    scratch, row = memory.scratch, place.node
    squash, probability = memory.record.squash, memory.record.probability
    scale, one = spread(factor), spread(_ONE)
    for index in range(0, count, LANES):
        store(scratch.logit, index, times(load(probability, row + index), scale))
    scratch.logit[chosen] -= factor
    for index in range(0, count, LANES):
        q = load(squash, row + index)
        slope = times(times(spread(np.float32(4.0) * _BOUND), q), minus(one, q))
        store(squash, row + index, times(slope, load(scratch.logit, index)))


@part
def unpoint(memory, place, count):
    """The glimpse's gradient to `Scratch.glimpse`, and the pointers'."""
    tables, gradient, scratch = memory.tables, memory.gradient, memory.scratch
    glimpse, slope, features = memory.record.glimpse, memory.record.squash, memory.shape[2]
    for feature in range(0, features, 4 * LANES):
        a = b = c = d = spread(_ZERO)
        own = place.glimpse + feature
        ga, gb = load(glimpse, own), load(glimpse, own + LANES)
        gc, gd = load(glimpse, own + 2 * LANES), load(glimpse, own + 3 * LANES)
        for index in range(count):
            at = place.feature + scratch.node[index] * features + feature
            by = spread(slope[place.node + index])
            a = plus_product(a, by, load(tables.pointer, at))
            b = plus_product(b, by, load(tables.pointer, at + LANES))
            c = plus_product(c, by, load(tables.pointer, at + 2 * LANES))
            d = plus_product(d, by, load(tables.pointer, at + 3 * LANES))
            store(gradient.pointer, at, plus_product(load(gradient.pointer, at), by, ga))
            at += LANES
            store(gradient.pointer, at, plus_product(load(gradient.pointer, at), by, gb))
            at += LANES
            store(gradient.pointer, at, plus_product(load(gradient.pointer, at), by, gc))
            at += LANES
            store(gradient.pointer, at, plus_product(load(gradient.pointer, at), by, gd))
        store(scratch.glimpse, feature, a)
        store(scratch.glimpse, feature + LANES, b)
        store(scratch.glimpse, feature + 2 * LANES, c)
        store(scratch.glimpse, feature + 3 * LANES, d)


@part
def unmix(memory, place, shares, count):
    """The gradients of values and attention scores.

    With w a weight over its sum and g the glimpse, a score's gradient is
    w (dg . v - dg . g).
    """
    tables, gradient, scratch = memory.tables, memory.gradient, memory.scratch
    num_nodes, heads, features = memory.shape
    width = features // (heads // LANES)
    first, second = spread(shares[0]), spread(shares[1])
    for head in range(0, heads, LANES):
        begin = head // LANES * width
        along = spread(_ZERO)
        for feature in range(begin, begin + width, LANES):
            along = plus_product(
                along,
                load(scratch.glimpse, feature),
                load(memory.record.glimpse, place.glimpse + feature),
            )
        inverse = load(scratch.inverse, head)
        for index in range(count):
            node = scratch.node[index]
            weight = times(load(scratch.weight, index * heads + head), inverse)
            a = b = spread(_ZERO)
            for feature in range(begin, begin + width, 2 * LANES):
                at = place.feature + node * features + feature
                ga = load(scratch.glimpse, feature)
                gb = load(scratch.glimpse, feature + LANES)
                a = plus_product(a, ga, load(tables.value, at))
                b = plus_product(b, gb, load(tables.value, at + LANES))
                store(gradient.value, at, plus_product(load(gradient.value, at), weight, ga))
                at += LANES
                store(gradient.value, at, plus_product(load(gradient.value, at), weight, gb))
            by = times(weight, minus(plus_product(a, b, spread(_ONE)), along))
            at = node * heads + head
            store(
                gradient.near,
                place.near + at,
                plus_product(load(gradient.near, place.near + at), by, spread(_ONE)),
            )
            at += place.room
            store(gradient.room, at, plus_product(load(gradient.room, at), by, first))
            at += num_nodes * heads
            store(gradient.room, at, plus_product(load(gradient.room, at), by, second))
