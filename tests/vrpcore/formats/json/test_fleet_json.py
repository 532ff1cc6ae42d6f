import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import InstanceDocument
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.fleet_json import (
    Capacities,
    read_depots,
    read_vehicles,
    with_capacity,
)
from vrpcore.instance.vehicle_types import ALWAYS, DEFAULT_SHIFT, Break, VehicleType


def document(**keys):
    return read_as(InstanceDocument, keys, "i")


def test_depots():
    first, second = read_depots(document(depots=[[1, 2], {"id": 7, "window": [3, 4]}]), "i")
    assert (first.depot.id, first.depot.window, first.point) == ("0", ALWAYS, (1, 2))
    assert (second.depot.id, second.depot.window, second.point) == ("7", (3, 4), None)
    (only,) = read_depots(document(depot={"place": 5}), "i")
    assert (only.depot.id, only.point, only.place, only.number) == ("0", None, "i.depot", 5)
    (only,) = read_depots(document(), "i")
    assert (only.depot.id, only.point) == ("0", None)


def test_vehicles():
    rows = [{"capacity": 3}, {"id": "x", "start": "b", "count": 0}, {"start": None, "end": "b"}]
    rows.append({"start": None})
    found, capacities = read_vehicles(document(vehicles=rows), "i", ["a", "b"])
    ends = [(each.id, each.start, each.end, each.count) for each in found]
    assert ends == [
        ("0", 0, 0, None),
        ("x", 1, 1, 0),
        ("2", None, 1, None),
        ("3", None, None, None),
    ]
    assert [each.most[0] for each in capacities] == [3, None, None, None]
    (short,), _ = read_vehicles(document(capacity=3, return_to_depot=False), "i", ["a"])
    assert (short.start, short.end) == (0, None)


def test_shifts_begin_at_0():
    windows = [None, [None, 7], [-3, None]]
    found, _ = read_vehicles(document(vehicles=[{"window": own} for own in windows]), "i", ["a"])
    assert [each.window for each in found] == [DEFAULT_SHIFT, (0, 7), (-3, math.inf)]


def test_breaks():
    rest = {"window": [1, 2], "duration": 3, "max_load": 4}
    rows = [{"breaks": [rest, {"id": 7}]}, {"breaks": []}]
    found, capacities = read_vehicles(document(vehicles=rows), "i", ["a"])
    assert found[0].breaks == (Break(id="0", windows=((1, 2),), duration=3), Break(id="7"))
    assert found[1].breaks == ()
    assert [load for load, _ in capacities[0].in_breaks] == [4, None]


def test_trips_and_prices():
    rows = [{"reloads": ["b", "a", "b"], "max_reloads": 2, "initial_load": [3, 0]}, {"reloads": []}]
    rows += [{"window": [0, 9], "late_cost": 3}, {"window": [0, 9], "max_late": 3}]
    rows += [{"max_duration": 9, "overtime_cost": 0}, {"max_duration": 9, "max_overtime": 2}, {}]
    found, capacities = read_vehicles(document(vehicles=rows), "i", ["a", "b"])
    assert [each.reloads for each in found[:3]] == [(1, 0), (), None]
    assert [each.max_reloads for each in found[:2]] == [2, math.inf]
    assert capacities[0].initial == ([3, 0], "i.vehicles[0].initial_load")
    late = [(each.max_late, each.late_cost) for each in found[2:]]
    assert late == [(math.inf, 3), (3, 0), (0, 0), (0, 0), (0, 0)]
    overtime = [(each.max_overtime, each.overtime_cost) for each in found[4:]]
    assert overtime == [(math.inf, 0), (2, 0), (0, 0)]


def test_loads_in_full():
    van = VehicleType(id="van", capacity=(), breaks=(Break(id="0"), Break(id="1")))
    loads = [((1.0, 2.0), "l"), (None, "m")]
    found = with_capacity(van, Capacities((None, "c"), loads, ((0.0, 3.0), "i")), 2)
    assert (found.capacity, found.initial_load) == ((math.inf, math.inf), (0, 3))
    assert [each.max_load for each in found.breaks] == [(1, 2), None]
    assert with_capacity(van, Capacities((4.0, "c"), loads, (0.0, "i")), 1).initial_load is None
    assert with_capacity(van, Capacities((4.0, "c"), loads, (4.0, "i")), 1).initial_load == (4,)
    with pytest.raises(InstanceError, match=r"^i: 4.5 exceeds capacity 4"):
        with_capacity(van, Capacities((4.0, "c"), loads, (4.5, "i")), 1)


def test_amounts_are_all_of_a_type():
    given = Capacities((1.0, "c"), [(None, "l")], (2.0, "i"))
    assert given.amounts() == [(1, "c"), (None, "l"), (2, "i")]
