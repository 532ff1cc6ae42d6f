"""VROOM's vehicles as vehicle types."""

import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.vroom.vroom_documents import Spot, VroomProblem
from vrpcore.formats.vroom.vroom_fleet import read_fleet
from vrpcore.instance.vehicle_types import Break


def fleet(*vehicles, known=()):
    rows = read_as(VroomProblem, {"vehicles": list(vehicles)}, "problem").vehicles
    return read_fleet(rows, "problem.vehicles", known)


def test_all_that_a_vehicle_says():
    found = fleet(
        {
            "id": 4, "profile": "truck", "start_index": 2, "end": [2.5, 48.5], "capacity": [4, 5],
            "costs": {"fixed": 20, "per_hour": 1800, "per_km": 300, "per_task_hour": 360},
            "skills": [1, 14], "type": "van",
            "time_window": [10, 90], "speed_factor": 1.25, "max_tasks": 6,
            "max_travel_time": 50, "max_distance": 7000, "description": "red",
        }
    )  # fmt: skip
    (vehicle,) = found.types
    assert (vehicle.id, vehicle.count, vehicle.matrix) == ("4", 1, "truck")
    assert (vehicle.start, vehicle.end) == (0, 1)
    assert [node.spot for node in found.nodes] == [Spot(None, 2), Spot((2.5, 48.5), None)]
    assert vehicle.capacity == (4.0, 5.0)
    assert (vehicle.fixed_cost, vehicle.travel_cost, vehicle.distance_cost) == (20.0, 0.5, 0.3)
    assert (vehicle.duration_cost, vehicle.service_cost) == (0.0, 0.1)
    assert vehicle.skills == {"1", "14"}
    assert (vehicle.window, vehicle.speed) == ((10.0, 90.0), 1.25)
    assert (vehicle.max_stops, vehicle.max_travel_time, vehicle.max_distance) == (6, 50, 7000)
    assert found.vans[0].description == "red"


def test_defaults():
    (vehicle,) = fleet({"id": 0, "start_index": 0}).types
    assert (vehicle.start, vehicle.end, vehicle.matrix) == (0, None, "car")
    assert (vehicle.travel_cost, vehicle.distance_cost, vehicle.fixed_cost) == (1.0, 0.0, 0.0)
    assert vehicle.window == (0.0, math.inf)
    assert vehicle.capacity == (math.inf,)


def test_speed_factors_count_in_hundredths():
    """As in VROOM: 100 s become 67 s."""
    (vehicle,) = fleet({"id": 0, "start_index": 0, "speed_factor": 1.5}).types
    assert 100 / vehicle.speed == pytest.approx(67.0)


def test_vehicles_that_are_alike_are_one_type():
    one = {"start_index": 0, "end_index": 0, "max_tasks": 3}
    found = fleet(
        {"id": 7, **one}, {"id": 8, **one, "max_tasks": 4}, {"id": 9, **one, "description": "x"}
    )
    assert [(each.id, each.count) for each in found.types] == [("7", 2), ("8", 1)]
    assert [van.kind for van in found.vans] == [0, 1, 0]


def test_types_matter_where_times_depend_on_them():
    one = {"start_index": 0}
    vehicles = ({"id": 1, **one, "type": "a"}, {"id": 2, **one}, {"id": 3, **one, "type": "b"})
    assert len(fleet(*vehicles).types) == 1
    found = fleet(*vehicles, known={"a"})
    assert [van.kind for van in found.vans] == [0, 1, 1]
    assert found.names == ("a", None)


def test_breaks_have_names_of_their_own_where_vehicles_are_alike():
    def van(identifier, rest):
        row = {"id": rest, "service": 30, "time_windows": [[5, 9]], "max_load": [2]}
        return {"id": identifier, "start_index": 0, "capacity": [4], "breaks": [row]}

    found = fleet(van(1, 11), van(2, 22))
    (vehicle,) = found.types
    assert vehicle.breaks == (Break(id="0", windows=((5, 9),), duration=30, max_load=(2,)),)
    assert [each.breaks[0].id for each in found.vans] == [11, 22]


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (
            {"breaks": [{"id": 1}, {"id": 1}]},
            "DUPLICATE",
            ".breaks[1].id: duplicate id 1",
        ),
        (
            {"breaks": [{"id": 1, "max_load": [1]}]},
            "SHAPE",
            ".breaks[0].max_load: 1 load dimensions, but problem.vehicles[0].capacity has 0",
        ),
        ({"costs": []}, "WRONG_TYPE", ".costs: a list of 0, expected an object"),
        ({"costs": 0}, "WRONG_TYPE", ".costs: 0, expected an object"),
        ({"breaks": [{"id": 1}] * 101}, "SHAPE", ".breaks: 101 breaks, the limit is 100"),
        (
            {"steps": [{"type": "start", "service_after": 5}]},
            "UNSUPPORTED",
            ".steps[0].service_after: given for a step of type start; only tasks are pinned, "
            "leave it out",
        ),
        ({"steps": [{"type": "job"}]}, "MISSING", ".steps[0].id: missing"),
        ({"steps": [{"type": "stop"}]}, "UNKNOWN", ".steps[0].type: 'stop', expected one of"),
        ({"start_index": None}, "MISSING", ": has neither a start nor an end"),
        ({"type": [1]}, "WRONG_TYPE", ".type: a list of 1, expected text"),
        (
            {"time_window": [9, 7]},
            "WINDOW",
            ".time_window: opens at 9, after it closes at 7",
        ),
        ({"id": "a"}, "WRONG_TYPE", ".id: 'a', expected an integer"),
    ],
)
def test_refusals(change, code, message):
    with pytest.raises(InstanceError) as raised:
        fleet({"id": 1, "start_index": 0, **change})
    assert raised.value.code == code
    assert str(raised.value).startswith(f"problem.vehicles[0]{message}")


def test_two_vehicles_of_one_id_and_none():
    with pytest.raises(InstanceError, match=r"vehicles\[1\]\.id: duplicate id 1, also at"):
        fleet({"id": 1, "start_index": 0}, {"id": 1, "end_index": 0})
    with pytest.raises(InstanceError, match=r"vehicles: 0 vehicles, expected 1 to 10000"):
        fleet()


def test_too_many_different_ones():
    with pytest.raises(InstanceError, match="1001 different vehicles, the limit is 1000"):
        fleet(*({"id": each, "start_index": 0, "max_tasks": each} for each in range(1001)))
    with pytest.raises(InstanceError, match="1002 different"):
        fleet(*({"id": each, "start_index": each} for each in range(1002)))
