"""Ruin and recreate: one iteration on a solution, compiled.

The parts that `kernel` puts together. No Python object, no memory of their own.

Source:
    Christiaens and Vanden Berghe 2020, "Slack Induction by String Removals for Vehicle
    Routing Problems", Transportation Science 54(2). Random numbers: Marsaglia 2003,
    "Xorshift RNGs".
"""

from typing import Any

import numba
import numpy as np

from vrpcore.improve.arrays import STAMP

# Customers that one ruin takes out on average, and the most that it takes from one route.
MEAN_REMOVED = 10.0
LONGEST_STRING = 10.0
# How often a ruined string leaves some customers in its middle, and each one more of them.
SPLIT = 0.5
# How often a place for a customer is overlooked.
BLINK = 0.01
# With more nodes, only places beside this many nearest customers are looked at first.
MANY_NODES = 250
NEAR_PLACES = 30
FAR = 2**62

# Without references counted on arrays: they belong to the caller, and counting them took
# two thirds of the time.
OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}
# Inlined, so that no array is handed from function to function.
part = numba.njit(inline="always", **OPTIONS)


@part
def draw(random):
    """A number in [0, 1)."""
    state = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    return (state >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@part
def below(random, count):
    """A whole number from 0 to below `count`, which may be a fraction."""
    return int(draw(random) * count)


@part
def _save(line, scratch, vehicle, num_saved):
    """Keeps a route before its first change in an iteration."""
    stamp = line.status[STAMP]
    if scratch.changed[vehicle] != stamp:
        scratch.changed[vehicle] = stamp
        scratch.saved[num_saved] = vehicle
        num_saved += 1
        scratch.length[vehicle] = line.length[vehicle]
        scratch.load[vehicle] = line.load[vehicle]
        for place in range(line.length[vehicle]):
            scratch.route[vehicle, place] = line.route[vehicle, place]
    return num_saved


@part
def append(problem, line, vehicle, customer):
    """Puts a customer at the end of a route."""
    place = line.length[vehicle]
    line.route[vehicle, place] = customer
    line.where[customer] = vehicle
    line.place[customer] = place
    line.length[vehicle] = place + 1
    line.load[vehicle] += problem.demand[customer]


@part
def _take_string(problem, line, scratch, string, num_removed):
    """Takes neighbours in a route out of it; `string`: customer, how many, how many kept."""
    customer, size, num_kept = string
    vehicle, place = line.where[customer], line.place[customer]
    length = line.length[vehicle]
    total = size + num_kept
    low, high = max(0, place - total + 1), min(place, length - total)
    first = low + below(line.random, high - low + 1)
    last = first + total
    kept = last
    if num_kept > 0:
        kept = first + 1 + below(line.random, size - 1)
    before = line.route[vehicle, first - 1] if first > 0 else 0
    joined = before
    free = first
    delta = 0
    for index in range(first, length):
        node = line.route[vehicle, index]
        if index < last:
            delta -= problem.distance[before, node]
            before = node
        if index < last and not kept <= index < kept + num_kept:
            scratch.removed[num_removed] = node
            num_removed += 1
            line.where[node] = -1
            line.load[vehicle] -= problem.demand[node]
        else:
            if index < last:
                delta += problem.distance[joined, node]
                joined = node
            elif index == last:
                delta += problem.distance[joined, node] - problem.distance[before, node]
            line.route[vehicle, free] = node
            line.place[node] = free
            free += 1
    if last == length:
        delta += problem.distance[joined, 0] - problem.distance[before, 0]
    line.length[vehicle] = free
    return num_removed, delta


@part
def ruin(problem, line, scratch):
    """Takes strings out of routes that are near each other."""
    num_customers = len(problem.demand) - 1
    num_routes = 0
    for vehicle in range(len(line.length)):
        num_routes += line.length[vehicle] > 0
    longest = min(LONGEST_STRING, num_customers / max(1, num_routes))
    strings = below(line.random, 4.0 * MEAN_REMOVED / (1.0 + longest) - 1.0) + 1
    seed = 1 + below(line.random, num_customers)
    num_removed = num_saved = delta = 0
    for rank in range(-1, problem.near.shape[1]):
        customer = seed if rank < 0 else problem.near[seed, rank]
        vehicle = line.where[customer]
        if vehicle < 0 or scratch.ruined[vehicle] == line.status[STAMP]:
            continue
        length = line.length[vehicle]
        size = min(length, 1 + below(line.random, min(float(length), longest)))
        num_kept = 0
        if 1 < size < length and draw(line.random) < SPLIT:
            num_kept = 1
            while size + num_kept < length and draw(line.random) < SPLIT:
                num_kept += 1
        scratch.ruined[vehicle] = line.status[STAMP]
        num_saved = _save(line, scratch, vehicle, num_saved)
        string = (customer, size, num_kept)
        num_removed, change = _take_string(problem, line, scratch, string, num_removed)
        delta += change
        strings -= 1
        if strings <= 0:
            break
    return num_removed, num_saved, delta


@part
def _order(problem, line, scratch, num_removed):
    """Sorts the removed customers: by chance, largest, farthest or nearest first."""
    way = below(line.random, 11)
    for index in range(num_removed):
        customer = scratch.removed[index]
        key = draw(line.random)
        if 4 <= way < 8:
            key = -float(problem.demand[customer])
        elif 8 <= way < 10:
            key = -float(problem.distance[0, customer])
        elif way == 10:
            key = float(problem.distance[0, customer])
        place = index - 1
        while place >= 0 and scratch.key[place] > key:
            scratch.key[place + 1] = scratch.key[place]
            scratch.removed[place + 1] = scratch.removed[place]
            place -= 1
        scratch.key[place + 1] = key
        scratch.removed[place + 1] = customer


@part
def _any_place(problem, line, customer):
    """The cheapest place in all routes with room: cost, vehicle (-1: none), place."""
    room = problem.limit[0] - problem.demand[customer]
    cheapest, best_vehicle, best_place = FAR, -1, 0
    for vehicle in range(len(line.length)):
        length = line.length[vehicle]
        if length > 0 and line.load[vehicle] <= room:
            before = 0
            for place in range(length + 1):
                node = line.route[vehicle, place] if place < length else 0
                cost = (
                    problem.distance[before, customer]
                    + problem.distance[customer, node]
                    - problem.distance[before, node]
                )
                if cost < cheapest and draw(line.random) >= BLINK:
                    cheapest, best_vehicle, best_place = cost, vehicle, place
                before = node
    return cheapest, best_vehicle, best_place


@part
def _near_place(problem, line, customer):
    """The cheapest place beside a near customer; as `_any_place`."""
    room = problem.limit[0] - problem.demand[customer]
    cheapest, best_vehicle, best_place = FAR, -1, 0
    for rank in range(min(NEAR_PLACES, problem.near.shape[1])):
        node = problem.near[customer, rank]
        vehicle = line.where[node]
        if vehicle >= 0 and line.load[vehicle] <= room:
            place = line.place[node]
            before = line.route[vehicle, place - 1] if place > 0 else 0
            after = line.route[vehicle, place + 1] if place + 1 < line.length[vehicle] else 0
            there = problem.distance[node, customer]
            back = problem.distance[customer, node]
            cost = problem.distance[before, customer] + back - problem.distance[before, node]
            if cost < cheapest and draw(line.random) >= BLINK:
                cheapest, best_vehicle, best_place = cost, vehicle, place
            cost = there + problem.distance[customer, after] - problem.distance[node, after]
            if cost < cheapest and draw(line.random) >= BLINK:
                cheapest, best_vehicle, best_place = cost, vehicle, place + 1
    return cheapest, best_vehicle, best_place


@part
def _insert(problem, line, scratch, customer, num_saved):
    """Puts a customer where it costs least; it stays without a vehicle if it fits nowhere."""
    vehicle = -1
    if len(problem.demand) > MANY_NODES:
        cost, vehicle, best_place = _near_place(problem, line, customer)
    if vehicle < 0:
        cost, vehicle, best_place = _any_place(problem, line, customer)
    if vehicle < 0:
        cost = problem.distance[0, customer] + problem.distance[customer, 0]
        for empty in range(len(line.length)):
            if line.length[empty] == 0:
                vehicle = empty
                break
    if vehicle >= 0:
        num_saved = _save(line, scratch, vehicle, num_saved)
        for place in range(line.length[vehicle], best_place, -1):
            node = line.route[vehicle, place - 1]
            line.route[vehicle, place] = node
            line.place[node] = place
        line.route[vehicle, best_place] = customer
        line.place[customer] = best_place
        line.where[customer] = vehicle
        line.length[vehicle] += 1
        line.load[vehicle] += problem.demand[customer]
    return cost, num_saved


@part
def recreate(problem, line, scratch, num_removed, num_saved):
    """Inserts the removed customers; who fits nowhere is absent, at a price."""
    _order(problem, line, scratch, num_removed)
    num_absent = delta = 0
    for index in range(num_removed):
        customer = scratch.removed[index]
        cost, num_saved = _insert(problem, line, scratch, customer, num_saved)
        # Triangle inequality does not hold in every matrix: an insertion may gain.
        if line.where[customer] < 0:
            line.absent[num_absent] = customer
            num_absent += 1
            delta += problem.price[customer]
        else:
            delta += cost
    return num_absent, num_saved, delta


@part
def restore(line, scratch, num_saved, num_absent):
    """Takes an iteration back."""
    for index in range(num_saved):
        vehicle = scratch.saved[index]
        line.length[vehicle] = scratch.length[vehicle]
        line.load[vehicle] = scratch.load[vehicle]
        for place in range(scratch.length[vehicle]):
            node = scratch.route[vehicle, place]
            line.route[vehicle, place] = node
            line.where[node] = vehicle
            line.place[node] = place
    for index in range(num_absent):
        line.absent[index] = scratch.absent[index]
        line.where[scratch.absent[index]] = -1
