import pytest

from tests.build import constrained
from vrpcore.errors import InstanceError
from vrpcore.formats.text.write_pyvrp import instance_to_vrp


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"speed": 2}, "a speed, which a .vrp cannot say; write .json"),
        ({"metric": "haversine", "vehicles": [{}]}, "lengths of haversine"),
        ({"vehicles": [{"end": None}]}, "an end of vehicle type 0 that is not its start"),
        ({"vehicles": [{"max_customers": 2}]}, "max_customers of vehicle type 0"),
        ({"vehicles": [{"duration_cost": 2}]}, "duration_cost of vehicle type 0"),
        ({"vehicles": [{"breaks": [{"duration": 1}]}]}, "breaks of vehicle type 0"),
        ({"vehicles": [{"count": 0}]}, "a fleet without a vehicle"),
        ({"vehicles": [{"id": "a"}, {"id": "b", "window": [0, 9]}]}, "vehicles of different shift"),
        ({"pickup_only_routes": False}, "mixed backhauls, but no routes of only pickups"),
        ({"backhauls": "last"}, "backhauls that are last, and routes of only pickups"),
        ({"of": {"priority": 3}}, "priority of stops"),
        ({"of": {"setup": 3}}, "setup of stops"),
        ({"of": {"prize": 0}}, "a prize of 0"),
        ({"of": {"windows": [[0, 1], [4, 5]]}}, "several windows of a stop"),
        ({"of": {"service_by_vehicle": {"0": 1}}, "vehicles": [{}]}, "service_by_vehicle of stops"),
        ({"of": {"demand": 9}, "vehicles": [{"capacity": 5}]}, "an amount that fits into no vehic"),
        (
            {"of": {"release": 3}, "vehicles": [{"window": [-5, None]}], "window": [-9, 9]},
            "release before 0, or of only some",
        ),
        (
            {"vehicles": [{"window": [0, 4]}], "depots": [{"x": 0, "y": 0, "window": [5, 9]}]},
            "vehicles that are out while depot 0 is closed",
        ),
        ({"shipments": True}, "customers together with shipments"),
    ],
)
def test_each_refusal_by_its_message(keys, message):
    own, times = keys.pop("of", {}), keys.pop("window", None)
    others = {"window": times} if times else {}
    customers = [{"x": 1, "y": 0, **own}, {"x": 2, "y": 0, **others}]
    if keys.pop("shipments", False):
        ends = {"pickup": {"x": 1, "y": 1}, "delivery": {"x": 2, "y": 1}}
        keys["shipments"] = [{"id": "s", "amount": 1, **ends}]
    if "vehicles" not in keys:
        keys["capacity"] = 9
    with pytest.raises(InstanceError, match=message) as caught:
        instance_to_vrp(constrained(customers=customers, **keys))
    assert caught.value.code == "NOT_WRITABLE"
