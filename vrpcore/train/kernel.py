"""Whole constructions and their gradient, compiled.

A step looks only at the nodes that it may choose, about half of all, and what it reads
lies in the processor's nearest memory. Arrays in, arrays out (`arrays`); no Python object,
no interpreter lock. What numba compiles is kept on disk; it looks at this file's date only,
so `PARTS` names the content of `lanes` and `steps` (a test compares).
"""

import math

import numba
import numpy as np

from vrpcore.train.steps import (
    OPTIONS,
    attend,
    draw,
    list_nodes,
    mix,
    part,
    point,
    unmix,
    unpoint,
    unweigh,
    weigh,
)

PARTS = "4fee4706"

_whole = numba.njit(**OPTIONS)
_entry = numba.njit(nogil=True, cache=True, **OPTIONS)
_PRIME = 2147483647


@part
def scramble(value):
    """As `vrpcore.decode.select.scramble`."""
    residue = (value + 374761393) % _PRIME
    square = residue * residue % _PRIME
    fifth = square * square % _PRIME * residue % _PRIME
    return (fifth * 48271 + 11) % _PRIME


@part
def uniform(stream, step):
    """As `vrpcore.decode.select.uniform`."""
    return np.float32(scramble(stream + scramble(step)) // 128) * np.float32(1.0 / 16777216.0)


@part
def begin(cases, scratch, instance):
    """No customer is visited; returns how many there are, and their demand."""
    num_open, demand = 0, 0.0
    for node in range(1, cases.need.shape[1]):
        need = cases.need[instance, node]
        scratch.need[node] = need
        if need < math.inf:
            num_open += 1
            demand += need
    return num_open, demand


@part
def room_shares(remaining, demand, capacity):
    """As `vrpcore.env.step.rooms`, over the capacity."""
    further = math.ceil(max(demand - remaining, 0.0) / capacity)
    unused = min(max(further * capacity + remaining - demand, 0.0), capacity)
    return np.float32(remaining / capacity), np.float32(unused / capacity)


@_whole
def _construct(tables, cases, record, scratch, which, shape):
    first, instance, start = which
    num_nodes, heads, features = shape
    stride = len(scratch.node)
    num_open, demand = begin(cases, scratch, instance)
    capacity = cases.capacity[instance]
    remaining, last = capacity, 0
    choices = record.choice[instance - first, start]
    length = len(choices)
    given = cases.start[instance, start] < 0
    for time in range(length):
        if num_open == 0:
            break
        row = ((instance - first) * record.choice.shape[1] + start) * length + time
        count = list_nodes(scratch, remaining, last, num_nodes)
        shares = room_shares(remaining, demand, capacity)
        here = instance * num_nodes + last
        near, room = here * num_nodes * heads, instance * 2 * num_nodes * heads
        values, glimpse = instance * num_nodes * features, row * features
        attend(tables, scratch, near, room, shares, count, shape)
        mix(tables, scratch, record.glimpse, values, glimpse, count, shape)
        point(tables, scratch, record.glimpse, values, glimpse, count, shape)
        both = (record.squash, record.probability)
        weigh(tables, scratch, both, row * stride, here * num_nodes, count)
        if not given:
            if time == 0:
                choices[time] = cases.start[instance, start]
            else:
                number = uniform(cases.stream[instance, start], time)
                index = draw(record.probability, row * stride, count, number)
                choices[time] = scratch.node[index]
        last = choices[time]
        if last == 0:
            remaining = capacity
        else:
            load = cases.need[instance, last]
            remaining -= load
            demand -= load
            scratch.need[last] = math.inf
            num_open -= 1


@_whole
def _gradient(tables, gradient, cases, record, scratch, which, factors, shape):
    first, instance, start = which
    num_nodes, heads, features = shape
    stride = len(scratch.node)
    num_open, demand = begin(cases, scratch, instance)
    capacity = cases.capacity[instance]
    remaining, last, loss = capacity, 0, 0.0
    choices = record.choice[instance - first, start]
    length = len(choices)
    factor = np.float32(factors[instance - first, start])
    both = (record.squash, record.probability)
    for time in range(length):
        if num_open == 0:
            break
        row = ((instance - first) * record.choice.shape[1] + start) * length + time
        count = list_nodes(scratch, remaining, last, num_nodes)
        shares = room_shares(remaining, demand, capacity)
        here = instance * num_nodes + last
        near, room = here * num_nodes * heads, instance * 2 * num_nodes * heads
        values, glimpse, slopes = instance * num_nodes * features, row * features, row * stride
        chosen = 0
        while chosen < count and scratch.node[chosen] != choices[time]:
            chosen += 1
        if chosen == count:
            return math.inf  # what the policy may not choose
        loss -= factor * math.log(record.probability[slopes + chosen])
        attend(tables, scratch, near, room, shares, count, shape)
        unweigh(scratch, both, slopes, chosen, factor, count)
        for index in range(count):
            place = here * num_nodes + scratch.node[index]
            gradient.distance[place] -= scratch.logit[index]
        pair = (record.glimpse, record.squash)
        unpoint(tables, gradient, scratch, pair, (glimpse, slopes, values), count, shape)
        at = (glimpse, values, near, room)
        unmix(tables, gradient, scratch, record.glimpse, at, shares, count, shape)
        last = choices[time]
        if last == 0:
            remaining = capacity
        else:
            load = cases.need[instance, last]
            remaining -= load
            demand -= load
            scratch.need[last] = math.inf
            num_open -= 1
    return loss


@_entry
def construct(tables, cases, record, scratch, rows, shape):
    """Constructs S tours of each of some instances and records them.

    Args:
        tables: `Arrays` of all instances.
        cases: `Cases` of all instances.
        record: `Record` of these; its choices are 0, or given.
        scratch: `Scratch`.
        rows: The first instance, and the first behind them.
        shape: M, K and D.
    """
    for instance in range(rows[0], rows[1]):
        for start in range(record.choice.shape[1]):
            _construct(tables, cases, record, scratch, (rows[0], instance, start), shape)


@_entry
def gradient(tables, gradient, cases, record, scratch, rows, factors, shape):
    """Adds the gradient of -sum(factor * log-likelihood) by the tables.

    Args:
        tables: As in `construct`, like the following.
        gradient: `Arrays` that are added to.
        cases: The instances.
        record: From `construct`; used up.
        scratch: Memory.
        rows: Which instances.
        factors: [b, S] float64.
        shape: M, K and D.

    Returns:
        The sum; infinite where a given tour cannot be.
    """
    loss = 0.0
    for instance in range(rows[0], rows[1]):
        for start in range(record.choice.shape[1]):
            which = (rows[0], instance, start)
            loss += _gradient(tables, gradient, cases, record, scratch, which, factors, shape)
    return loss
