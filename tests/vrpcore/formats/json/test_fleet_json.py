from vrpcore.formats.json.fleet_json import read_vehicles
from vrpcore.formats.json.key_schema import Fields
from vrpcore.formats.json.keys import INSTANCE
from vrpcore.instance.vehicle_types import Break


def fields(**keys):
    return Fields(keys, "i", INSTANCE)


def test_vehicles():
    rows = [{"capacity": 3}, {"id": "x", "start": "b", "count": 0}, {"start": None, "end": "b"}]
    rows.append({"start": None})
    found, capacities = read_vehicles(fields(vehicles=rows), "i", ["a", "b"])
    ends = [(each.id, each.start, each.end, each.count) for each in found]
    assert ends == [
        ("0", 0, 0, None),
        ("x", 1, 1, 0),
        ("2", None, 1, None),
        ("3", None, None, None),
    ]
    assert [each.most[0] for each in capacities] == [3, None, None, None]
    (short,), _ = read_vehicles(fields(capacity=3, return_to_depot=False), "i", ["a"])
    assert (short.start, short.end) == (0, None)


def test_breaks():
    rest = {"window": [1, 2], "duration": 3, "max_load": 4}
    rows = [{"breaks": [rest, {"id": 7}]}, {"breaks": []}]
    found, capacities = read_vehicles(fields(vehicles=rows), "i", ["a"])
    assert found[0].breaks == (Break(id="0", windows=((1, 2),), duration=3), Break(id="7"))
    assert found[1].breaks == ()
    assert [load for load, _ in capacities[0].in_breaks] == [4, None]
