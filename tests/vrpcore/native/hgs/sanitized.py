"""Searches of all kinds by a library that checks its addresses: what test_sanitizers.py runs.

python -m tests.vrpcore.native.hgs.sanitized LIBRARY [--overrun | --constrained | --working-day]
"""

import ctypes
import dataclasses
import random
import sys
import time
from pathlib import Path

from tests.build import detailed_instance, mixed_instance, random_instance
from tests.vrpcore.native.hgs.instances import KINDS, draw, starts
from tests.vrpcore.search.cases import check, full_fleet, known_problems, rounded_up
from tests.vrpcore.search.random_day import random_day
from tests.vrpcore.small_days import small_day
from vrpcore.cost import route_times
from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.timeline import Timeline
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import ANY_VEHICLE, Reload, Route
from vrpcore.search import hgs_library, regions, rich_library
from vrpcore.search.effort import Effort
from vrpcore.search.evolution import Evolution
from vrpcore.search.known_tours import improve_tours
from vrpcore.search.regions import RegionSearch
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem


def search(instance, iterations=None, seconds=None, start=0, cores=1):
    """A whole search; its answer is whole, or there is none."""
    problem = hgs_library.Problem(instance, distance_matrix(instance))
    routes = [start_routes for start_routes in (starts(problem, start),) if start_routes]
    evolution = Evolution(instance, problem, routes or [[[1]]], seed=1)
    if seconds is None:
        evolution.run(iterations, cores)
    else:
        evolution.run_until(time.perf_counter() + seconds)
    found = evolution.best()
    if found is not None:
        check(instance, found)


def exact(instance):
    """The cheapest routes of all, where customers are few."""
    if instance.num_customers <= hgs_library.MOST_EXACT:
        matrix = distance_matrix(instance)
        found = hgs_library.Problem(instance, matrix).exact(matrix, instance.max_vehicles)
        if found is not None:
            check(instance, found)


def all_kinds():
    """Small ones with children, with and without a clock; large ones for a while."""
    for kind in KINDS:
        for seed, size in enumerate((2, 3, 7, 25)):
            instance, vehicles = draw(kind, seed, size)
            limited = dataclasses.replace(instance, max_vehicles=vehicles)
            search(instance, 200 * size, start=0)
            search(limited, 200 * size, start=1)  # more routes than vehicles
            search(limited, 20 * size, start=2)
            search(limited, seconds=0.03)
            exact(limited)
        for size in (150, 151, 255, 300):
            search(draw(kind, 1, size)[0], 400)
    search(draw("plain", 1, 300)[0], 150 * 300, cores=3)
    search(draw("one way", 1, 1000)[0], 300)
    search(draw("plain", 1, 400)[0], seconds=0.5)


def constrained():
    """All constraints together; small and large, with and without a clock."""
    for size in (1, 2, 3, 8, 20, 45):
        for seed in range(40):
            explore((mixed_instance, detailed_instance)[seed % 2](100 * size + seed, size), seed)
    for seed in range(4):
        large = RichSearch(RichProblem(mixed_instance(seed, 300)))
        large.begin(seed)
        large.construct()
        large.start(_any_routes(seed, 300, 1))
        large.anneal(300, (0.5, 0.05))
        large.cross(large.found(), large.found())


def working_days():
    """Trips, prices of lateness, alternatives, relations; few stops and many."""
    for seed in range(200):
        (instance,) = read_instances(small_day(seed))
        if isinstance(instance, Instance):
            follow(instance, explore(instance, seed))
    for seed in range(30):
        instance = random_day(seed, 25)
        follow(instance, explore(instance, seed))


def follow(instance, routes):
    """The times of routes, in time or not, with breaks or without."""
    timeline = Timeline(instance)
    for route in routes:
        timeline.schedule(route)


def explore(instance, seed):
    """Whatever a search can be asked for, one after the other."""
    size = instance.num_customers
    search = RichSearch(RichProblem(instance))
    search.begin(seed)
    search.construct()
    search.find_exact()
    constraints = instance.own_constraints
    search.start(_any_routes(seed, size, len(constraints.vehicles), constraints.num_depots))
    search.anneal(300, (0.5, 0.05))
    search.start(search.found().plan().routes)
    search.anneal(10**9, (0.5, 0.05), 0.005)
    first = search.found()
    search.begin(seed + 1)
    search.construct()
    search.cross(first, search.found())
    search.anneal(100, (0.5, 0.05))
    search.begin(seed, 0.0, 1e-4)  # ends in the middle of the first plan
    search.construct()
    search.anneal(50, (0.5, 0.05))
    return search.found().plan().routes


def _any_routes(seed, size, types, depots=1):
    """Routes of any stops, vehicles and reloads; nobody has to be in them, or once."""
    draw = random.Random(seed)
    lengths = [draw.choice([0, 1, 3, 2 * size]) for _ in range(draw.choice([0, 1, 3, size + 2]))]
    return [
        Route(
            draw.choice([ANY_VEHICLE, *range(types)]),
            tuple(draw.choices(range(1, size + 1), k=length)),
            tuple(Reload(draw.randrange(depots), after) for after in range(1, length, 2)),
        )
        for length in lengths
    ]


def fleets():
    """One vehicle; none too many; one customer a vehicle; exactly full."""
    for size in (2, 12, 260):
        search(random_instance(size, size, 1e5, max_vehicles=1), 40 * size)
        lonely = random_instance(size, size, 9.0)
        lonely.demand[1:] = 9.0
        search(lonely, 40 * size)
        search(dataclasses.replace(lonely, max_vehicles=max(1, size // 2)), 40 * size, start=1)
    for seed in range(6):
        search(full_fleet(seed)[0], 6000)
    instance, routes = rounded_up()
    problem = hgs_library.Problem(instance, distance_matrix(instance))
    Evolution(instance, problem, [routes], seed=1).run(6000)


def many():
    """Large ones in regions: all kinds, with enough vehicles and with too few."""
    for kind in KINDS:
        for size in (2, 3, 30, 200):
            instance, _ = draw(kind, size, size)
            problem = hgs_library.Problem(instance, instance.distances)
            start = problem.savings()
            for vehicles in (max(1, len(start) // 2), len(start), len(start) + 3):
                found = RegionSearch(problem, start, vehicles, seed=1)
                found.run(20)
                found.best()
    instance = random_instance(1, 900, 30.0)
    problem = hgs_library.Problem(instance, None)
    regions.REGION_SIZE, regions.REGION_ROUTES = 100, 2
    found = RegionSearch(problem, problem.savings(), 400, seed=1)
    found.run(5, cores=3)
    found.run_until(Effort(end=time.perf_counter() + 0.2, cores=2))
    check(instance, found.best())


def known():
    """Tours of many in one call: with and without padding, few customers and many."""
    for seed, sizes in enumerate(
        ((1, 2, 3, 15), (16, 5, 40, 99), (9,) * 5, (100, 150, 20), (260,))
    ):
        given, coords, tours = known_problems(sizes, seed)
        for length in (tours.shape[1], max(sizes) + len(sizes) // 2):
            found = improve_tours(given, coords, tours[:, :length], 20)
            assert found.shape == (len(sizes), length)


def main():
    file = Path(sys.argv[1])
    if {"--constrained", "--working-day"} & set(sys.argv):
        searching = rich_library.load_library(file)
        rich_library.load_library = lambda *_: searching
        if "--constrained" in sys.argv:
            constrained()
            return
        timing = route_times.load_library(file)
        route_times.load_library = lambda: timing
        working_days()
        return
    library = hgs_library.load_library(file)
    hgs_library.load_library = lambda: library
    if "--overrun" in sys.argv:
        instance, vehicles = draw("plain", 0, 16)
        problem = hgs_library.Problem(instance, distance_matrix(instance))
        annealer = hgs_library.Annealer(problem, vehicles)
        library.inside_overrun(ctypes.c_void_p(annealer.address))
        return
    all_kinds()
    fleets()
    many()
    known()


if __name__ == "__main__":
    main()
