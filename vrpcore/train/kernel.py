"""Whole constructions and their gradient, compiled.

A step looks only at the nodes that it may choose, about half of all, and what it reads
lies in the processor's nearest memory. Arrays in, arrays out (`arrays`); no Python object,
no interpreter lock. What numba compiles is kept on disk; it looks at this file's date only,
so `PARTS` names the content of `lanes` and `steps` (a test compares).
"""

import math

import numba
import numpy as np

from vrpcore.train.arrays import Place
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

PARTS = "c2c4ee4a"

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


@part
def place_of(memory, which, time, last):
    """`Place` of a choice: which record, instance and start, which step, from which node."""
    first, instance, start = which
    num_nodes, heads, features = memory.shape
    _, starts, length = memory.record.choice.shape
    row = ((instance - first) * starts + start) * length + time
    here = instance * num_nodes + last
    return Place(
        here * num_nodes * heads,
        here * num_nodes,
        instance * 2 * num_nodes * heads,
        instance * num_nodes * features,
        row * features,
        row * len(memory.scratch.node),
    )


@_whole
def _construct(memory, which):
    cases, scratch = memory.cases, memory.scratch
    first, instance, start = which
    num_open, demand = begin(cases, scratch, instance)
    capacity = cases.capacity[instance]
    remaining, last = capacity, 0
    choices = memory.record.choice[instance - first, start]
    given = cases.start[instance, start] < 0
    for time in range(len(choices)):
        if num_open == 0:
            break
        place = place_of(memory, which, time, last)
        count = list_nodes(scratch, remaining, last, memory.shape[0])
        attend(memory, place, room_shares(remaining, demand, capacity), count)
        mix(memory, place, count)
        point(memory, place, count)
        weigh(memory, place, count)
        if not given and time == 0:
            choices[time] = cases.start[instance, start]
        elif not given:
            number = uniform(cases.stream[instance, start], time)
            choices[time] = scratch.node[draw(memory, place, count, number)]
        last = choices[time]
        if last == 0:
            remaining = capacity
        else:
            remaining -= cases.need[instance, last]
            demand -= cases.need[instance, last]
            scratch.need[last] = math.inf
            num_open -= 1


@_whole
def _gradient(memory, which, factor):
    cases, scratch = memory.cases, memory.scratch
    first, instance, start = which
    num_open, demand = begin(cases, scratch, instance)
    capacity = cases.capacity[instance]
    remaining, last, loss = capacity, 0, 0.0
    choices = memory.record.choice[instance - first, start]
    for time in range(len(choices)):
        if num_open == 0:
            break
        place = place_of(memory, which, time, last)
        count = list_nodes(scratch, remaining, last, memory.shape[0])
        shares = room_shares(remaining, demand, capacity)
        chosen = 0
        while chosen < count and scratch.node[chosen] != choices[time]:
            chosen += 1
        if chosen == count:
            return math.inf  # what the policy may not choose
        loss -= factor * math.log(memory.record.probability[place.node + chosen])
        attend(memory, place, shares, count)
        unweigh(memory, place, chosen, factor, count)
        for index in range(count):
            memory.gradient.distance[place.distance + scratch.node[index]] -= scratch.logit[index]
        unpoint(memory, place, count)
        unmix(memory, place, shares, count)
        last = choices[time]
        if last == 0:
            remaining = capacity
        else:
            remaining -= cases.need[instance, last]
            demand -= cases.need[instance, last]
            scratch.need[last] = math.inf
            num_open -= 1
    return loss


@_entry
def construct(memory, rows):
    """Constructs S tours of each of some instances and records them.

    Args:
        memory: `Memory`; its choices are 0, or given.
        rows: The first instance, and the first behind them.
    """
    for instance in range(rows[0], rows[1]):
        for start in range(memory.record.choice.shape[1]):
            _construct(memory, (rows[0], instance, start))


@_entry
def gradient(memory, rows, factors):
    """Adds the gradient of -sum(factor * log-likelihood) by the tables.

    Args:
        memory: From `construct`; its record is used up.
        rows: Which instances.
        factors: [b, S] float64.

    Returns:
        The sum; infinite where a given tour cannot be.
    """
    loss = 0.0
    for instance in range(rows[0], rows[1]):
        for start in range(memory.record.choice.shape[1]):
            factor = np.float32(factors[instance - rows[0], start])
            loss += _gradient(memory, (rows[0], instance, start), factor)
    return loss
