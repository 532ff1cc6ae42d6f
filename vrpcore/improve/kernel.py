"""The search's compiled loops: annealing by ruin and recreate, and the exchange of routes.

Arrays in, arrays out (`arrays`); no Python object, no memory of its own, no interpreter
lock, so that different instances run on different cores. Lengths and demands are whole
numbers (`scaling`): sums of differences stay exact, however many iterations add to them.

What numba compiles is kept on disk; it looks at this file's date only, so `RUIN` names the
content of `ruin`, too (a test compares).

Source:
    Exchange of routes: after Nagata and Kobayashi 2010, "A Memetic Algorithm for the Pickup
    and Delivery Problem with Time Windows Using Selective Route Exchange Crossover".
"""

import math

import numba

from vrpcore.improve.arrays import BEST, COST, END, NUM_ABSENT, STAMP
from vrpcore.improve.ruin import OPTIONS, append, below, draw, part, recreate, restore, ruin

RUIN = "d259ee95"

_whole = numba.njit(**OPTIONS)
_entry = numba.njit(nogil=True, cache=True, **OPTIONS)


@part
def _keep_best(line):
    line.status[BEST] = line.status[COST]
    index = 0
    for vehicle in range(len(line.length)):
        if line.length[vehicle] > 0:
            for place in range(line.length[vehicle]):
                line.best[index] = line.route[vehicle, place]
                index += 1
            line.best[index] = 0
            index += 1
    line.best[index] = END


@_whole
def _anneal(problem, line, scratch, schedule):
    iterations, warmth, end_warmth = schedule
    cooling = (end_warmth / warmth) ** (1.0 / max(1, iterations))
    status = line.status
    for _ in range(iterations):
        status[STAMP] += 1
        num_removed, num_saved, delta = ruin(problem, line, scratch)
        old_absent = status[NUM_ABSENT]
        for index in range(old_absent):
            customer = line.absent[index]
            scratch.absent[index] = customer
            scratch.removed[num_removed] = customer
            num_removed += 1
            delta -= problem.price[customer]
        num_absent, num_saved, change = recreate(problem, line, scratch, num_removed, num_saved)
        delta += change
        # 1 - draw is never 0.
        if delta < -warmth * math.log(1.0 - draw(line.random)):
            status[COST] += delta
            status[NUM_ABSENT] = num_absent
            if status[COST] < status[BEST]:
                _keep_best(line)
        else:
            restore(line, scratch, num_saved, old_absent)
        warmth *= cooling


@part
def _load_tour(problem, line, scratch, tour):
    """Lays out the routes of a tour; `scratch.mark` is 1 for customers that it leaves out."""
    for vehicle in range(len(line.length)):
        line.length[vehicle] = 0
        line.load[vehicle] = 0
    for customer in range(len(problem.demand)):
        line.where[customer] = -1
        scratch.mark[customer] = 1
    vehicle = index = 0
    while tour[index] != END:
        if tour[index] == 0:
            vehicle += 1
        else:
            scratch.mark[tour[index]] = 0
            append(problem, line, vehicle, tour[index])
        index += 1
    return vehicle


@_whole
def _complete(problem, line, scratch):
    """Inserts the marked customers and counts the cost anew."""
    num_removed = 0
    for customer in range(1, len(problem.demand)):
        if scratch.mark[customer] == 1:
            scratch.removed[num_removed] = customer
            num_removed += 1
    line.status[STAMP] += 1
    num_absent, _, _ = recreate(problem, line, scratch, num_removed, 0)
    cost = 0
    for index in range(num_absent):
        cost += problem.price[line.absent[index]]
    for vehicle in range(len(line.length)):
        before = 0
        for place in range(line.length[vehicle]):
            cost += problem.distance[before, line.route[vehicle, place]]
            before = line.route[vehicle, place]
        cost += problem.distance[before, 0] if before > 0 else 0
    line.status[COST] = cost
    line.status[NUM_ABSENT] = num_absent
    _keep_best(line)


@part
def _admit(population, line):
    """Takes a line's best solution in, unless it is there or dearer than all that are."""
    count = population.size[0]
    place = count
    if count == len(population.cost):
        place = 0
        for index in range(1, count):
            if population.cost[index] > population.cost[place]:
                place = index
        if line.status[BEST] >= population.cost[place]:
            return
    for index in range(count):
        if population.cost[index] == line.status[BEST]:
            return
    population.cost[place] = line.status[BEST]
    population.size[0] = max(count, place + 1)
    index = 0
    while line.best[index] != END:
        population.tour[place, index] = line.best[index]
        index += 1
    population.tour[place, index] = END


@part
def _drop_region(problem, line, scratch, num_routes):
    """Empties up to half of the routes, those around a random customer; marks theirs."""
    wanted = max(1, min(num_routes - 1, 1 + below(line.random, max(1, num_routes // 2))))
    seed = 1 + below(line.random, len(problem.demand) - 1)
    dropped = 0
    for rank in range(-1, problem.near.shape[1]):
        vehicle = line.where[seed if rank < 0 else problem.near[seed, rank]]
        if vehicle >= 0 and dropped < wanted:
            for place in range(line.length[vehicle]):
                scratch.mark[line.route[vehicle, place]] = 1
                line.where[line.route[vehicle, place]] = -1
            line.length[vehicle] = 0
            line.load[vehicle] = 0
            dropped += 1
    return dropped


@part
def _overlaps(scratch, father):
    """Each of the father's routes: where it is, and how much of it is marked."""
    count = start = index = marked = 0
    while father[index] != END:
        if father[index] == 0:
            scratch.span[count, 0] = start
            scratch.span[count, 1] = index
            scratch.span[count, 2] = 1000 * marked // max(1, index - start)
            count += 1
            start = index + 1
            marked = 0
        else:
            marked += scratch.mark[father[index]]
        index += 1
    return count


@part
def _cross(problem, line, scratch, mother, father):
    """The mother's routes with a region of them replaced by the father's."""
    num_routes = _load_tour(problem, line, scratch, mother)
    dropped = _drop_region(problem, line, scratch, num_routes)
    count = _overlaps(scratch, father)
    vehicle = 0
    for _ in range(dropped):
        chosen = 0
        for index in range(1, count):
            if scratch.span[index, 2] > scratch.span[chosen, 2]:
                chosen = index
        while vehicle < len(line.length) and line.length[vehicle] > 0:
            vehicle += 1
        if vehicle == len(line.length) or scratch.span[chosen, 2] == 0:
            break
        scratch.span[chosen, 2] = 0
        for index in range(scratch.span[chosen, 0], scratch.span[chosen, 1]):
            if scratch.mark[father[index]] == 1:
                scratch.mark[father[index]] = 0
                append(problem, line, vehicle, father[index])
    _complete(problem, line, scratch)


@_entry
def begin(problem, line, scratch):
    """Lays out `line.best`; customers that it leaves out are inserted where they cost least."""
    _load_tour(problem, line, scratch, line.best)
    _complete(problem, line, scratch)


@_entry
def anneal(problem, line, scratch, schedule):
    """Moves a line on.

    Args:
        problem: The problem.
        line: Changed in place.
        scratch: Memory.
        schedule: [3] float64: iterations, warmth at their start and end, as a length: a
            dearer solution is accepted with probability exp(-difference / warmth).
    """
    _anneal(problem, line, scratch, (int(schedule[0]), schedule[1], schedule[2]))


@_entry
def admit(population, line):
    """Takes a line's best solution into a population."""
    _admit(population, line)


@_entry
def breed(problem, line, scratch, population, schedule):
    """Crosses random pairs of a population of at least two, anneals and admits the children.

    Args:
        problem: The problem.
        line: Where children grow.
        scratch: Memory.
        population: Changed in place.
        schedule: [4] float64: children, iterations of each, warmth at start and end.
    """
    for _ in range(int(schedule[0])):
        mother = below(line.random, population.size[0])
        father = below(line.random, population.size[0] - 1)
        father += father >= mother
        _cross(problem, line, scratch, population.tour[mother], population.tour[father])
        _anneal(problem, line, scratch, (int(schedule[1]), schedule[2], schedule[3]))
        _admit(population, line)
