import math

from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.vehicle_types import MOST_FREE, Break, Depot, VehicleType, are_in_order


def test_a_vehicle_without_numbers_has_no_limits_and_costs_its_distance():
    vehicle = VehicleType(id="a", capacity=(1.0,))
    used = {each.name: getattr(vehicle, each.name) for each in attributes_of(VehicleType)}
    neutral = {"speed": 1.0, "distance_cost": 1.0}
    assert {name for name, value in used.items() if value not in (0.0, math.inf)} == set(neutral)
    assert (vehicle.reloads, vehicle.initial_load, vehicle.window) == (None, None, (0.0, math.inf))
    assert Depot(id="d").service == 0.0


def test_many_breaks_are_taken_in_order():
    one = Break(id="a", windows=((0.0, 1.0), (2.0, 3.0)))
    most = next(count for count in range(1, 30) if 2 * count << count > MOST_FREE)
    assert not are_in_order([one] * (most - 1))
    assert are_in_order([one] * most)
