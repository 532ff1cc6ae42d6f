import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import InstanceDocument
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.fleet_json import read_depots, read_vehicles
from vrpcore.instance.vehicle_types import ALWAYS, DEFAULT_SHIFT, Break


def document(**keys):
    return read_as(InstanceDocument, keys, "i")


def vehicles(depots=("a",), **keys):
    return read_vehicles(document(**keys), "i", depots)


def kinds(*rows, depots=("a",)):
    return [each.kind for each in vehicles(depots, vehicles=rows)]


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
    found = kinds(*rows, {"start": None}, depots=["a", "b"])
    ends = [(each.id, each.start, each.end, each.count) for each in found]
    assert ends == [
        ("0", 0, 0, None),
        ("x", 1, 1, 0),
        ("2", None, 1, None),
        ("3", None, None, None),
    ]
    (short,) = vehicles(capacity=3, return_to_depot=False, max_vehicles=4)
    assert (short.kind.id, short.kind.start, short.kind.end, short.kind.count) == ("0", 0, None, 4)
    assert short.amounts() == [(3, "i.capacity"), (None, "i.initial_load")]


def test_shifts_begin_at_0():
    found = kinds({"window": None}, {"window": [None, 7]}, {"window": [-3, None]})
    assert [each.window for each in found] == [DEFAULT_SHIFT, (0, 7), (-3, math.inf)]


def test_breaks():
    rest = {"window": [1, 2], "duration": 3, "max_load": 4}
    first, second = kinds({"breaks": [rest, {"id": 7}]}, {"breaks": []})
    assert first.breaks == (Break(id="0", windows=((1, 2),), duration=3), Break(id="7"))
    assert second.breaks == ()


def test_trips_and_prices():
    rows = [{"reloads": ["b", "a", "b"], "max_reloads": 2}, {"reloads": []}]
    rows += [{"window": [0, 9], "late_cost": 3}, {"window": [0, 9], "max_late": 3}]
    rows += [{"max_duration": 9, "overtime_cost": 0}, {"max_duration": 9, "max_overtime": 2}, {}]
    found = kinds(*rows, depots=["a", "b"])
    assert [each.reloads for each in found[:3]] == [(1, 0), (), None]
    assert [each.max_reloads for each in found[:2]] == [2, math.inf]
    late = [(each.max_late, each.late_cost) for each in found[2:]]
    assert late == [(math.inf, 3), (3, 0), (0, 0), (0, 0), (0, 0)]
    overtime = [(each.max_overtime, each.overtime_cost) for each in found[4:]]
    assert overtime == [(math.inf, 0), (2, 0), (0, 0)]


def test_loads_in_full():
    breaks = [{"max_load": [1, 2]}, {}]
    (given,) = vehicles(vehicles=[{"breaks": breaks, "initial_load": [0, 3]}])
    assert [each for each, _ in given.amounts()] == [None, [1, 2], None, [0, 3]]
    found = given.complete(2)
    assert (found.capacity, found.initial_load) == ((math.inf, math.inf), (0, 3))
    assert [each.max_load for each in found.breaks] == [(1, 2), None]


@pytest.mark.parametrize(("initial", "expected"), [(0, None), (4, (4,))])
def test_an_initial_load_fits_its_vehicle(initial, expected):
    (given,) = vehicles(vehicles=[{"capacity": 4, "initial_load": initial}])
    assert given.complete(1).initial_load == expected
    (full,) = vehicles(vehicles=[{"capacity": 4, "initial_load": 4.5}])
    with pytest.raises(
        InstanceError, match=r"^i.vehicles\[0\].initial_load: 4.5 exceeds capacity 4"
    ):
        full.complete(1)
