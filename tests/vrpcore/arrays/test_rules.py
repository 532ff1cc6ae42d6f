"""Constraints as a policy sees them."""

import dataclasses
import math

import numpy as np
import pytest

from tests.vrpcore.cost.cases import constrained, on_a_line
from tests.vrpcore.variants import NAMES, drawn
from vrpcore.arrays.rules import (
    FAR,
    MAX_DEPOTS,
    SLACK,
    instance_of,
    make_rule_batch,
    policy_nodes,
    why_not_covered,
)
from vrpcore.instance.variants import VARIANTS

CUSTOMERS = on_a_line(0, 10, 20)


def test_the_variants_are_covered_and_nothing_else():
    assert [why_not_covered(drawn(name, 1, 6)[0]) for name in NAMES] == [None] * 48
    for name in VARIANTS.keys() - set(NAMES):
        assert why_not_covered(drawn(name, 1, 6)[0]) is not None


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("several load dimensions", {"vehicles": [{"capacity": [1, 2]}]}),
        ("skills", {"customers": on_a_line(1, skills=[["a"]]), "vehicles": [{"skills": ["a"]}]}),
        ("optional customers", {"customers": on_a_line(1, prize=[3])}),
        ("release times", {"customers": on_a_line(1, release=[3])}),
        ("several windows of a customer", {"customers": on_a_line(1, windows=[[[0, 1], [2, 3]]])}),
        ("a largest number of customers", {"vehicles": [{"max_customers": 3}]}),
        ("a longest travel time", {"vehicles": [{"max_travel_time": 30}]}),
        ("limits of distance and duration", {"vehicles": [{"max_distance": 9, "max_duration": 9}]}),
        ("costs of time", {"vehicles": [{"duration_cost": 1}]}),
        ("costs of service", {"vehicles": [{"service_cost": 1}]}),
        ("given costs of legs", {"costs": [[0, 1], [1, 0]]}),
        ("breaks", {"vehicles": [{"breaks": [{}]}]}),
        ("setups", {"customers": on_a_line(1, setup=[1])}),
        (
            "services that differ by vehicle",
            {"customers": on_a_line(1, service_by_vehicle=[{"0": 1}])},
        ),
        ("several vehicle types", {"vehicles": [{}, {"capacity": 3}]}),
        ("several types at a depot", {"vehicles": [{}, {}]}),
        ("routes without a start", {"vehicles": [{"start": None}]}),
        ("matrices of durations", {"distances": [[0, 1], [1, 0]], "durations": [[0, 1], [1, 0]]}),
        (
            "a longest duration beside windows",
            {"customers": on_a_line(1, window=[[0, 9]]), "vehicles": [{"max_duration": 9}]},
        ),
        (
            "more than a vehicle holds",
            {"customers": on_a_line(1, demand=[9]), "vehicles": [{"capacity": 3}]},
        ),
    ],
)
def test_why_something_is_not_covered(words, keys):
    keys = {"customers": on_a_line(1), "vehicles": [{}]} | keys
    if "distances" in keys:
        keys |= {"depot": {}, "customers": [{}]}
        assert why_not_covered(constrained(**keys)) in (words, "no coordinates")
        return
    assert why_not_covered(constrained(**keys)) == words


def test_routes_that_end_elsewhere_and_too_many_depots_are_not_covered():
    depots = [{"id": str(n), "x": n, "y": 0} for n in range(MAX_DEPOTS + 1)]
    far = [{"start": "0", "end": "1"}]
    instance = constrained(depots=depots, customers=on_a_line(1), vehicles=far)
    assert why_not_covered(instance) == "routes that end elsewhere"
    many = [{"start": depot["id"], "end": depot["id"]} for depot in depots]
    instance = constrained(depots=depots, customers=on_a_line(1), vehicles=many)
    assert why_not_covered(instance) == f"more than {MAX_DEPOTS} depots"


def test_numbers_by_hand():
    """Places from -10 to 30: a side is 40, times are halved by the speed."""
    customers = on_a_line(
        -10, 10, 30, demand=[4, 0, 2], pickup=[0, 3, 0], service=[2, 4, 6],
        window=[[10, 30], [0, 1000], [20, 60]],
    )  # fmt: skip
    vehicles = [{"capacity": 10, "window": [5, 105], "max_distance": 160, "speed": 2}]
    instance = constrained(customers=customers, vehicles=vehicles, backhauls="last")
    batch = make_rule_batch([instance, drawn("cvrp", 1, 2)[0]], 6)
    assert batch.coords_unit[0, :4].tolist() == [[0.25, 0.5], [0.0, 0.5], [0.5, 0.5], [1.0, 0.5]]
    assert batch.valid[0].tolist() == [True] * 4 + [False] * 2
    assert batch.demand[0].tolist() == [0, 4, 0, 2, 0, 0]
    assert batch.pickup[0].tolist() == [0, 0, 3, 0, 0, 0]
    assert batch.service[0, :4] == pytest.approx([0, 0.1, 0.2, 0.3])
    assert batch.opening[0, :4] == pytest.approx([0, 0.25, 0, 0.75])
    assert batch.closing[0, :4] == pytest.approx(np.array([5, 1.25, 49.75, 2.75]) - SLACK)
    assert batch.limit[0] == pytest.approx(4 - SLACK)
    flags = (batch.limit_has_service, batch.backhauls_last, batch.open_end, batch.pickup_only)
    assert [flag[0] for flag in flags] == [False, True, False, True]
    assert batch.limit[1] == FAR
    assert (batch.closing[1] == FAR).all()


def test_depots_are_those_of_types_in_their_order():
    depots = [{"id": name, "x": x, "y": 0} for name, x in (("a", 0), ("b", 10), ("c", 20))]
    vehicles = [{"start": "c", "end": "c"}, {"start": "a", "end": "a"}]
    instance = constrained(depots=depots, customers=on_a_line(5, 20), vehicles=vehicles)
    batch = make_rule_batch([instance], 4)
    assert batch.num_depots.tolist() == [2]
    assert batch.coords_unit[0, :, 0].tolist() == [1.0, 0.0, 0.25, 1.0]


def test_metres_of_a_map():
    customers = [{"x": 1, "y": 0}, {"x": 2, "y": 0}]
    instance = constrained(
        metric="haversine",
        depots=[{"id": "d", "x": 0, "y": 0}],
        customers=customers,
        vehicles=[{"max_distance": 222_390.0, "start": "d", "end": "d"}],
    )
    limit = float(make_rule_batch([instance], 3).limit[0])
    assert limit == pytest.approx(222_390 / (math.radians(2) * 6_371_008.8), rel=1e-3)


def test_a_window_that_never_opens_again_stays_finite():
    rules = constrained(customers=CUSTOMERS, vehicles=[{}])
    wide = dataclasses.replace(rules.rules.vehicles[0], window=(0.0, math.inf))
    constraints = dataclasses.replace(rules.rules, vehicles=(wide,))
    batch = make_rule_batch([dataclasses.replace(rules, constraints=constraints)], 5)
    assert all(np.isfinite(array).all() for array in batch)


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_of_a_batch_is_an_instance_again(name):
    """Drawn in the unit square, but not reaching all of its sides."""
    (instance,) = drawn(name, 1, 9)
    first = make_rule_batch([instance], 14)
    again = instance_of(first, 0)
    second = make_rule_batch([again], 14)
    side = np.ptp(again.coords, axis=0).max()
    for field in ("demand", "capacity", "valid", "pickup", "limit_has_service", "open_end"):
        assert (getattr(first, field) == getattr(second, field)).all()
    for field in ("backhauls_last", "pickup_only", "num_depots"):
        assert (getattr(first, field) == getattr(second, field)).all()
    assert len(policy_nodes(again)) == len(policy_nodes(instance))
    assert second.service * side == pytest.approx(first.service, abs=1e-5)
    for field in ("opening", "closing", "limit"):
        one, other = getattr(first, field), getattr(second, field)
        bound = one < FAR
        assert ((other < FAR) == bound).all()
        assert other[bound] * side == pytest.approx(one[bound], abs=5e-5)
        assert field == "opening" or (other[bound] * side < one[bound]).all()


def test_times_of_routes_stay_limited_by_times():
    customers = on_a_line(10, 20, service=[5, 5])
    vehicles = [{"capacity": 10, "max_duration": 100}]
    batch = make_rule_batch([constrained(customers=customers, vehicles=vehicles)], 3)
    vehicle = instance_of(batch, 0).rules.vehicles[0]
    assert vehicle.max_duration == pytest.approx(5, abs=1e-4)
    assert vehicle.max_distance == math.inf
