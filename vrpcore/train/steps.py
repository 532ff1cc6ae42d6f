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
def attend(tables, scratch, near, room, shares, count, shape):
    """Weights of the listed nodes, without norm, and one over their sums.

    `near` and `room` are where the rows of the vehicle's node and of the instance begin.
    """
    num_nodes, heads, _ = shape
    one = spread(_ONE)
    first, second = spread(shares[0]), spread(shares[1])
    for head in range(0, heads, LANES):
        summed = spread(_ZERO)
        for index in range(count):
            place = scratch.node[index] * heads + head
            score = plus_product(
                load(tables.near, near + place), first, load(tables.room, room + place)
            )
            score = plus_product(score, second, load(tables.room, room + num_nodes * heads + place))
            weight = exponential(score)
            store(scratch.weight, index * heads + head, weight)
            summed = plus_product(summed, weight, one)
        store(scratch.inverse, head, over(one, summed))


@part
def mix(tables, scratch, glimpse, values, row, count, shape):
    """Writes the glimpse to a row: the listed nodes' values by their weights."""
    _, heads, features = shape
    block, width = 8 * LANES, features // (heads // LANES)
    for feature in range(0, features, block):
        head = feature // width * LANES
        a = b = c = d = e = f = g = h = spread(_ZERO)
        for index in range(count):
            weight = load(scratch.weight, index * heads + head)
            place = values + scratch.node[index] * features + feature
            a = plus_product(a, weight, load(tables.value, place))
            b = plus_product(b, weight, load(tables.value, place + LANES))
            c = plus_product(c, weight, load(tables.value, place + 2 * LANES))
            d = plus_product(d, weight, load(tables.value, place + 3 * LANES))
            e = plus_product(e, weight, load(tables.value, place + 4 * LANES))
            f = plus_product(f, weight, load(tables.value, place + 5 * LANES))
            g = plus_product(g, weight, load(tables.value, place + 6 * LANES))
            h = plus_product(h, weight, load(tables.value, place + 7 * LANES))
        inverse = load(scratch.inverse, head)
        place = row + feature
        store(glimpse, place, times(a, inverse))
        store(glimpse, place + LANES, times(b, inverse))
        store(glimpse, place + 2 * LANES, times(c, inverse))
        store(glimpse, place + 3 * LANES, times(d, inverse))
        store(glimpse, place + 4 * LANES, times(e, inverse))
        store(glimpse, place + 5 * LANES, times(f, inverse))
        store(glimpse, place + 6 * LANES, times(g, inverse))
        store(glimpse, place + 7 * LANES, times(h, inverse))


@part
def point(tables, scratch, glimpse, values, row, count, shape):
    """The pointer's scores of the listed nodes, to `scratch.logit`."""
    features = shape[2]
    for index in range(count):
        a = b = c = d = spread(_ZERO)
        place = values + scratch.node[index] * features
        for feature in range(0, features, 4 * LANES):
            at, own = row + feature, place + feature
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
def weigh(tables, scratch, record, row, distances, count):
    """Probabilities of the listed nodes, and what the tanh's gradient needs.

    10 tanh(u) = 10 - 20 q with q = 1 / (1 + e^2u); the constant cancels in the softmax.
    """
    squash, probability = record
    one, two = spread(_ONE), spread(np.float32(2.0))
    for index in range(count, (count + LANES - 1) // LANES * LANES):
        scratch.logit[index] = _ZERO
        scratch.node[index] = 0
    most = spread(-_FAR)
    for index in range(0, count, LANES):
        q = over(one, plus_product(one, one, exponential(times(two, load(scratch.logit, index)))))
        store(squash, row + index, q)
        for lane in range(LANES):
            scratch.lanes[lane] = tables.distance[distances + scratch.node[index + lane]]
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
def draw(probability, row, count, threshold):
    """Which of the listed nodes: where the running sum passes the threshold."""
    summed = _ZERO
    for index in range(count):
        summed += probability[row + index]
        if summed > threshold:
            return index
    return count - 1


@part
def unweigh(scratch, record, row, chosen, factor, count):
    """The gradient of -factor * log-probability by the pointer's scores.

    Leaves that by the logits in `scratch.logit`, and that by the scores in place of the
    squashed scores.
    """
    squash, probability = record
    scale, one = spread(factor), spread(_ONE)
    for index in range(0, count, LANES):
        store(scratch.logit, index, times(load(probability, row + index), scale))
    scratch.logit[chosen] -= factor
    for index in range(0, count, LANES):
        q = load(squash, row + index)
        slope = times(times(spread(np.float32(4.0) * _BOUND), q), minus(one, q))
        store(squash, row + index, times(slope, load(scratch.logit, index)))


@part
def unpoint(tables, gradient, scratch, record, at, count, shape):
    """The glimpse's gradient to `scratch.glimpse`, and the pointers'.

    `at` is where the glimpse, the scores' gradient and the instance's pointers begin.
    """
    glimpse, slope = record
    row, slopes, values = at
    features = shape[2]
    for feature in range(0, features, 4 * LANES):
        a = b = c = d = spread(_ZERO)
        own = row + feature
        ga, gb = load(glimpse, own), load(glimpse, own + LANES)
        gc, gd = load(glimpse, own + 2 * LANES), load(glimpse, own + 3 * LANES)
        for index in range(count):
            place = values + scratch.node[index] * features + feature
            by = spread(slope[slopes + index])
            a = plus_product(a, by, load(tables.pointer, place))
            b = plus_product(b, by, load(tables.pointer, place + LANES))
            c = plus_product(c, by, load(tables.pointer, place + 2 * LANES))
            d = plus_product(d, by, load(tables.pointer, place + 3 * LANES))
            store(gradient.pointer, place, plus_product(load(gradient.pointer, place), by, ga))
            place += LANES
            store(gradient.pointer, place, plus_product(load(gradient.pointer, place), by, gb))
            place += LANES
            store(gradient.pointer, place, plus_product(load(gradient.pointer, place), by, gc))
            place += LANES
            store(gradient.pointer, place, plus_product(load(gradient.pointer, place), by, gd))
        store(scratch.glimpse, feature, a)
        store(scratch.glimpse, feature + LANES, b)
        store(scratch.glimpse, feature + 2 * LANES, c)
        store(scratch.glimpse, feature + 3 * LANES, d)


@part
def unmix(tables, gradient, scratch, glimpse, at, shares, count, shape):
    """The gradients of values and attention scores.

    With w a weight over its sum and g the glimpse, a score's gradient is
    w (dg . v - dg . g). `at` is where the glimpse, the instance's values, the row of the
    vehicle's node and the instance's rooms begin.
    """
    row, values, near, room = at
    num_nodes, heads, features = shape
    width = features // (heads // LANES)
    first, second = spread(shares[0]), spread(shares[1])
    for head in range(0, heads, LANES):
        begin = head // LANES * width
        along = spread(_ZERO)
        for feature in range(begin, begin + width, LANES):
            along = plus_product(
                along, load(scratch.glimpse, feature), load(glimpse, row + feature)
            )
        inverse = load(scratch.inverse, head)
        for index in range(count):
            node = scratch.node[index]
            weight = times(load(scratch.weight, index * heads + head), inverse)
            a = b = spread(_ZERO)
            for feature in range(begin, begin + width, 2 * LANES):
                place = values + node * features + feature
                ga = load(scratch.glimpse, feature)
                gb = load(scratch.glimpse, feature + LANES)
                a = plus_product(a, ga, load(tables.value, place))
                b = plus_product(b, gb, load(tables.value, place + LANES))
                store(gradient.value, place, plus_product(load(gradient.value, place), weight, ga))
                place += LANES
                store(gradient.value, place, plus_product(load(gradient.value, place), weight, gb))
            by = times(weight, minus(plus_product(a, b, spread(_ONE)), along))
            place = node * heads + head
            store(
                gradient.near,
                near + place,
                plus_product(load(gradient.near, near + place), by, spread(_ONE)),
            )
            place += room
            store(gradient.room, place, plus_product(load(gradient.room, place), by, first))
            place += num_nodes * heads
            store(gradient.room, place, plus_product(load(gradient.room, place), by, second))
