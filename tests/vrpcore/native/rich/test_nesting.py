"""Positions in routes of vehicles that unload first what was loaded last."""

import numpy as np
import pytest

from tests.build import constrained
from tests.vrpcore.search.mixed import constructed
from vrpcore.instance.plan import Route
from vrpcore.referee.loads import forbidden_stops

AMOUNTS = ({"demand": 1}, {"pickup": 1}, {}, {"demand": 1, "pickup": 1})
REST = {"windows": [[400, 600]], "duration": 60}
VEHICLES = {
    "arrivals": {},
    "durations": {"window": [0, 9000], "duration_cost": 0.1},
    "breaks": {"window": [0, 9000], "breaks": [REST]},
    "timed breaks": {"max_duration": 3000, "duration_cost": 0.1, "breaks": [REST]},
    "lateness": {"window": [0, 900], "late_cost": 1},
    "trips": {"reloads": ["0"], "max_reloads": 2},
}


def mixed_goods(seed, vehicle, *others):
    """Shipments, customers with all kinds of amounts, and a shipment that is on board."""
    rng = np.random.default_rng(seed)

    def place():
        return dict(zip("xy", rng.integers(0, 100, 2).tolist(), strict=True))

    shipments = [
        {"id": f"s{number}", "amount": number % 3, "pickup": place(), "delivery": place()}
        for number in range(7)
    ]
    aboard = {"id": "b", "amount": 1, "on_board": "van", "delivery": place()}
    customers = [{"id": f"c{row}", **place(), **own} for row, own in enumerate(AMOUNTS)]
    van = {"id": "van", "count": 1, "capacity": 6, "loading": "lifo", **vehicle}
    vehicles = [van, *({**van, "id": f"other {row}", **own} for row, own in enumerate(others))]
    keys = {"depots": [{"id": "0", "x": 50, "y": 50}], "vehicles": vehicles}
    return constrained(customers=customers, shipments=[*shipments, aboard], **keys)


def routes_with(rest, unit, partner):
    """A route with a stop, or both ends of a shipment, at all pairs of positions."""
    for at in range(len(rest) + 1):
        for to in range(at, len(rest) + 1) if partner else [at]:
            ends = [partner] if partner else []
            yield (*rest[:at], unit, *rest[at:to], *ends, *rest[to:])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [name for name in VEHICLES if name != "trips"])
def test_a_unit_comes_where_it_is_cheapest_of_all_positions(name, seed):
    """A known route that keeps all limits stays as it is; the one without the unit gets it."""
    instance = mixed_goods(seed, VEHICLES[name])
    own, search = instance.own_constraints, constructed(instance, seed)
    (route,) = search.found().plan().routes
    assert len(route.stops) == own.num_stops
    refused = 0
    for unit in route.stops:
        partner = own.partner(unit)
        if partner is not None and partner < unit:
            continue
        rest = [stop for stop in route.stops if stop not in (unit, partner)]
        costs = []
        for stops in routes_with(rest, unit, partner):
            refused += 1
            search.begin(0)
            if search.start([Route(0, stops)]) == len(stops):
                costs.append(search.found().cost)
                refused -= 1
        search.begin(0)
        search.start([Route(0, tuple(rest))])
        assert search.found().value == (0, pytest.approx(min(costs)))
    assert refused > 100


@pytest.mark.parametrize("name", VEHICLES)
def test_all_moves_keep_the_order(name):
    class Anyone:
        def obstacle(self, vehicle, stop):
            return None

    for seed in range(12):
        instance = mixed_goods(seed, VEHICLES[name], {"count": 2}, {"loading": "any"})
        search = constructed(instance, seed)
        search.anneal(400, (2.0, 0.1))
        routes = search.found().plan().routes
        assert sum(len(route.stops) for route in routes) == instance.own_constraints.num_stops
        assert [list(forbidden_stops(instance, route, Anyone())) for route in routes] == [
            [] for _ in routes
        ]
