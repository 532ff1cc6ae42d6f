import math

import numpy as np
import pytest

from benchmarks.whole import (
    UNLIMITED,
    CannotExpressError,
    Whole,
    closing,
    fewest_first,
    opening,
    passes_backhauls,
    vehicle_number,
)
from tests.benchmarks.rich_cases import CASES, corners
from tests.vrpcore.variants import drawn
from vrpcore.formats.read import read_instances


def read(document):
    (instance,) = read_instances([document])
    return instance


def test_tenths_are_whole_when_ten_times_as_large():
    whole = Whole(read(corners({"service": 0.5}, {"x": 4.5}, distances=[[0, 3, 4.5]] * 3)))
    lengths, times = whole.matrices(whole.instance.own_constraints.vehicles[0])
    assert (whole.exact, whole.scale) == (True, 10)
    assert lengths[0].tolist() == times[0].tolist() == [0, 30, 45]
    assert (whole.up(0.5), whole.down(0.5), whole.cost(2.5)) == (5, 5, 25)
    assert whole.down(math.inf) == UNLIMITED


def test_other_numbers_get_five_digits_and_are_rounded_on_the_safe_side():
    instance = read(corners({"x": 1}))
    strict, lenient = Whole(instance), Whole(instance, lenient=True)
    assert (strict.exact, strict.scale) == (False, 10_000)
    assert (strict.up(0.00001), strict.down(0.00001)) == (1, 0)
    assert lenient.scale == 1e8
    assert (lenient.up(0.1e-8), lenient.down(0.1e-8)) == (0, 1)
    limited = Whole(read(corners({"x": 1}, vehicle={"max_distance": 20})))
    exact = 10**0.5 * 10_000
    for whole, expected in ((strict, round(exact)), (limited, math.ceil(exact))):
        lengths, times = whole.matrices(whole.instance.own_constraints.vehicles[0])
        assert (lengths[0, 1], times[0, 1]) == (expected, math.ceil(exact))


def test_costs_of_units_and_amounts_have_scales_of_their_own():
    whole = Whole(read(corners({"demand": 0.25}, vehicle={"distance_cost": 1.1})))
    assert (whole.scale, whole.unit_scale, whole.cost_scale) == (1, 10, 10)
    assert (whole.load([0.25]), whole.load([9.0], 2.0)) == ([25], [1800])
    assert whole.load([math.inf]) == [UNLIMITED]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (corners({"demand": 1 / 3}), "amounts with many digits"),
        (corners(vehicle={"duration_cost": 1 / 3}), "costs of a unit with many digits"),
        (corners(vehicle={"breaks": [{"duration": 5}]}), "breaks"),
        (corners(vehicle={"latest_start": 5}), "latest_start"),
        (corners(vehicle={"loading": "lifo"}), "loading"),
        (corners(vehicle={"service_cost": 1}), "service_cost"),
        (corners(vehicle={"reloads": ["0"]}), "reloads"),
        (corners(vehicle={"window": [0, 9], "late_cost": 1}), "max_late"),
        (corners(vehicle={"max_duration": 9, "overtime_cost": 1}), "max_overtime"),
        (corners(vehicle={"max_wait_loaded": 9}), "max_wait_loaded"),
        (corners(depots=[{"x": 0, "y": 0, "service": 1}]), "service"),
        (corners({"setup": 1}), "setup"),
        (corners({"service_by_vehicle": {"0": 1}}), "service_by_type"),
        (corners({"window": [0, 1], "late_cost": 1}), "max_late"),
        (corners({"max_wait": 9}), "max_wait"),
        (corners({"vehicle_cost": {"0": 1}}), "vehicle_cost"),
        (corners({"demand": 9, "split": True}), "split"),
        (corners({"id": "a"}, {"id": "b"}) | {"groups": [{"members": ["a", "b"]}]}, "groups"),
        (corners() | {"balance": {"distance": 1}}, "balance"),
        (corners() | {"costs": [[1] * 3] * 3}, "costs"),
        (corners() | {"distances": [[0, 1, None], [1, 0, 1], [1, 1, 0]]}, "missing roads"),
    ],
)
def test_what_no_model_has_is_refused(document, reason):
    with pytest.raises(CannotExpressError, match=reason):
        Whole(read(document))


def test_the_number_of_vehicles_leaves_room():
    def number(name, size=60):
        (instance,) = drawn(name, 1, size)
        constraints = instance.own_constraints
        least = math.ceil(
            max(constraints.delivery.sum(), constraints.pickup.sum()) / instance.capacity
        )
        return vehicle_number(constraints, constraints.vehicles[0]), least

    given, least = number("ovrp")
    assert 2 * least < given < 60
    assert number("mdcvrp")[0] < given  # of each of three types
    assert number("vrptw", 300)[0] == number("vrpl", 300)[0] == 100
    assert number("vrptw", 5)[0] == 5
    limited = read(CASES["limited fleet"][0]).own_constraints
    assert vehicle_number(limited, limited.vehicles[0]) == 1
    pairs = read(CASES["shipments"][0]).own_constraints
    assert vehicle_number(pairs, pairs.vehicles[0]) == 2


def hours(document):
    constraints = read(document).own_constraints
    vehicle = constraints.vehicles[0]
    return opening(constraints, vehicle), closing(constraints, vehicle)


def test_shifts_and_hours_of_depots():
    depots = [{"x": 0, "y": 0, "window": [1, 8]}]
    assert hours(corners(vehicle={"window": [2, 9]}, depots=depots)) == (2, 8)
    assert hours(CASES["open at both ends"][0]) == (0, math.inf)


def test_a_vehicle_costs_more_than_any_route_saves():
    instance = read(corners({"prize": 5}, vehicle={"fixed_cost": 1}))
    (vehicle,) = fewest_first(instance).own_constraints.vehicles
    assert vehicle.fixed_cost == 1 + 30  # (5 + 3) + (5 + 4) and the prize: 22
    assert fewest_first(instance).own_constraints.windows is instance.own_constraints.windows


def test_stops_without_amounts_beside_backhauls():
    found = {
        name: passes_backhauls(read(document).own_constraints)
        for name, (document, _) in CASES.items()
    }
    assert {name for name, passes in found.items() if passes} == {"backhauls last beside nothing"}


def test_the_horizon_is_the_largest_number():
    whole = Whole(read(CASES["windows"][0]))
    assert whole.horizon == 5
    assert np.array_equal(whole.types, [0])
