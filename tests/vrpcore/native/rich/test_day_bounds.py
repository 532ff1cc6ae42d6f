"""Bounds of what a change costs, where routes are judged as a whole, against what it does cost."""

import ctypes
import random

import numpy as np

from tests.build import constrained, on_a_line
from tests.vrpcore.search.mixed import constructed

MOST = 40_000


def compared(library, instance):
    """The least that changes of a plan may cost, and what they do cost."""
    search = constructed(instance, 1)
    least, cost = np.empty(MOST), np.empty(MOST)
    addresses = [ctypes.c_void_p(array.ctypes.data) for array in (least, cost)]
    found = library.inside_bounds(ctypes.c_void_p(search.address), *addresses, MOST)
    return least[:found], cost[:found]


def priced_day(seed, size=20):
    """Five vehicles, and some of all that a time may cost."""
    draw = random.Random(seed)
    keys = {
        "max_duration": 30, "overtime_cost": 2, "late_cost": 1, "duration_cost": 0.5,
        "service_cost": 0.3, "travel_cost": 0.2, "reloads": ["0"],
        "breaks": [{"duration": 4, "window": [5, 30]}],
    }  # fmt: skip
    vehicle = {"count": 5, "capacity": 8, "window": [0, 60]}
    vehicle |= {key: keys[key] for key in draw.sample(sorted(keys), draw.randint(1, 4))}
    if "overtime_cost" in vehicle:
        vehicle["max_duration"] = keys["max_duration"]
    customers = []
    for _ in range(size):
        opens = draw.randint(0, 30)
        each = {"x": draw.randint(0, 9), "y": draw.randint(0, 9), "demand": 1}
        each |= {"window": [opens, opens + draw.randint(2, 20)], "late_cost": draw.randint(1, 3)}
        each |= {"service": draw.randint(0, 2), "setup": draw.randint(0, 1)}
        each |= {"release": 9} if seed % 2 and draw.random() < 0.3 else {}
        customers.append(each)
    return constrained(customers=customers, vehicles=[vehicle])


def test_no_change_costs_less_than_its_bound(inside):
    every = 0
    for seed in range(60):
        least, cost = compared(inside, priced_day(seed))
        assert np.all(least <= cost + 1e-9 * (1 + abs(cost)))
        every += len(cost)
    assert every > 10_000


def test_where_only_lateness_has_a_price_the_bound_is_what_a_change_costs(inside):
    due = [[place % 7, place % 11 + 5] for place in range(24)]
    customers = on_a_line(
        *range(1, 25), window=due, late_cost=[2] * 24, service=[1, 3] * 12, demand=[1] * 24
    )
    least, cost = compared(
        inside,
        constrained(
            customers=customers,
            vehicles=[{"count": 8, "capacity": 5, "window": [0, 30], "late_cost": 3}],
        ),
    )
    assert len(cost) > 100
    assert np.allclose(least, cost)
