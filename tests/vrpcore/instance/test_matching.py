"""Routes and vehicles with most stops in common, against all assignments."""

import itertools
import random

from vrpcore.instance.matching import kept_stops, match_routes
from vrpcore.instance.plan import ANY_VEHICLE, Route
from vrpcore.referee.visits import kept_and_moved


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


def test_stops_that_stay_by_hand():
    known = [Route(0, (1, 2, 3)), Route(1, (4, 5)), Route(ANY_VEHICLE, (6, 1))]
    assert kept_stops([], known) == (0, 0)
    assert kept_stops([Route(0, (3, 2, 9)), Route(1, (4,))], known) == (3, 0)
    # Type 1 had 4 and 5; of those that type 0 has now, 1 and 2 stay. 7 is new.
    assert kept_stops([Route(0, (1, 2, 4, 5)), Route(1, (3, 6, 7))], known) == (3, 3)
    # One vehicle keeps 1, 2 and 3, or the other 6: 1 belongs to the first route that has it.
    assert kept_stops([Route(0, (1, 2, 3, 6))], known) == (3, 1)
    assert kept_stops([Route(1, (1, 2, 3)), Route(1, (4,))], known) == (1, 3)


def test_as_many_stay_as_the_referee_finds():
    for seed in range(200):
        draw = random.Random(seed)

        def plan(types, draw=draw):
            stops = draw.sample(range(1, 13), draw.randint(1, 12))
            cuts = sorted({0, len(stops), *draw.choices(range(1, len(stops) + 1), k=3)})
            return [
                Route(draw.choice(types), tuple(stops[first:last]))
                for first, last in itertools.pairwise(cuts)
            ]

        routes, known = plan([0, 1]), plan([0, 1, ANY_VEHICLE])
        assert kept_stops(routes, known) == kept_and_moved(known, routes)
