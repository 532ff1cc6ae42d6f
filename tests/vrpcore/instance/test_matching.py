"""Routes and vehicles with most stops in common, against all assignments."""

import itertools
import random

from vrpcore.instance.matching import match_routes


def test_a_route_stays_with_the_vehicle_that_had_most_of_it():
    assert match_routes([{1, 2}, {3, 4, 5}], [{3, 4}, {5, 1, 2}]) == [1, 0]
    # One stop for the first, rather than two that cost the second three.
    assert match_routes([{1, 2, 9}, {3, 4, 5}], [{1, 2, 3, 4, 5}, {9}]) == [1, 0]
    assert match_routes([{1}], [set(), {2}, {1}]) == [2]


def test_without_anything_in_common_the_order_stays():
    assert match_routes([{1}, {2}], [{3}, set(), {4}]) == [0, 1]
    assert match_routes([{1}, {2}, {3}], [set(), {2}, set(), set()]) == [0, 1, 2]
    assert match_routes([], [{1}]) == []


def test_no_assignment_has_more_in_common():
    for seed in range(200):
        draw = random.Random(seed)
        vehicles = [set(draw.sample(range(12), draw.randint(0, 6))) for _ in range(5)]
        routes = [
            set(draw.sample(range(12), draw.randint(1, 6))) for _ in range(draw.randint(1, 5))
        ]

        def kept(places, routes=routes, vehicles=vehicles):
            pairs = zip(routes, places, strict=True)
            return sum(len(route & vehicles[place]) for route, place in pairs)

        found = match_routes(routes, vehicles)
        assert len(set(found)) == len(found)
        assert kept(found) == max(map(kept, itertools.permutations(range(5), len(routes))))
