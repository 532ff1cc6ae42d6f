import dataclasses
import json
import math

import numpy as np
import pytest

from tests.vrpcore.formats.json.cases import drawn
from tests.vrpcore.formats.json.working_day import DAY
from vrpcore.errors import InstanceError
from vrpcore.formats.json.documents import (
    BalanceRow,
    BreakRow,
    CustomerRow,
    DepotRow,
    GroupRow,
    InstanceDocument,
    MatricesRow,
    RelationRow,
    ShipmentRow,
    VehicleRow,
    VisitRow,
)
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.json.write_constraints import constrained_to_dict
from vrpcore.formats.read import read_instances, read_sources
from vrpcore.formats.write import instance_to_dict, instance_to_line
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import SHIPMENT_NUMBERS, VISIT_NUMBERS, Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.relations import Balance, Group

# Written as it is read: each key once, and no neutral value.
WHOLE = {
    "name": "monday",
    "depots": [
        {"id": "north", "x": 0.4, "y": 0.5, "window": [0, 600]},
        {"id": "south", "x": 0.6, "y": 0.1},
    ],
    "vehicles": [
        {
            "id": "van", "count": 4, "capacity": [40, 12], "end": "south", "window": [0, 480],
            "max_duration": 420, "max_travel_time": 400, "max_distance": 120.5,
            "max_customers": 30, "latest_start": -7.5, "speed": 2, "matrix": "truck",
            "fixed_cost": 100, "distance_cost": 3, "duration_cost": 0.2, "travel_cost": 7,
            "service_cost": 0.5,
            "breaks": [
                {"id": "lunch", "windows": [[1, 2], [3, 4]], "duration": 30, "max_load": [3, 4]},
                {"id": "1", "window": [5, 6]},
            ],
            "skills": ["cold", "wide"], "loading": "lifo",
        },
        {"id": "courier", "capacity": [8, 2], "start": "south", "end": None},
        {"id": "free", "start": None},
    ],
    "customers": [
        {
            "id": 7, "x": 0.1, "y": 0.9, "demand": [3, 0], "pickup": [1, 0], "window": [60, 120],
            "service": 10, "release": 5, "prize": 0, "priority": 9, "skills": ["cold"],
        },
        {"id": "8", "x": 0.3, "y": 0.8, "demand": [0, 0], "windows": [[0, 60], [200, 260]]},
        {
            "id": "c", "x": 0.3, "y": 0.7, "place": 4, "pickup": [0, 1], "setup": 2,
            "service_by_vehicle": {"van": 3, "free": 4.5}, "setup_by_vehicle": {"courier": 0},
        },
    ],
    "shipments": [
        {
            "id": "s1", "amount": [2, 0],
            "pickup": {"x": 0.2, "y": 0.2, "place": 4, "window": [0, 200], "service": 5},
            "delivery": {"x": 0.9, "y": 0.4, "windows": [[100, 300], [400, 500]]},
            "release": 3, "prize": 12.5, "priority": 1, "skills": ["wide"],
        }
    ],
    "metric": "ceil_2d",
    "speed": 0.5,
    "distances": [[abs(7 * a - 5 * b) * (a != b) for b in range(7)] for a in range(7)],
    "durations": [[(a + 3 * b) * (a != b) for b in range(7)] for a in range(7)],
    "costs": [[(a + 7 * b) * (a != b) for b in range(7)] for a in range(7)],
    "matrices": {
        "truck": {
            "distances": [[(2 * a + b) * (a != b) for b in range(7)] for a in range(7)],
            "durations": [[(a + b) / 8 * (a != b) for b in range(7)] for a in range(7)],
            "costs": [[(a + b) / 4 * (a != b) for b in range(7)] for a in range(7)],
        }
    },
    "pickup_only_routes": False,
    "routes": [[7, "s1:pickup", "s1:delivery"], ["8", "c"]],
}  # fmt: skip
SHORT = {
    "name": "short",
    "depots": [[0, 0.5]],
    "capacity": 9,
    "max_vehicles": 3,
    "return_to_depot": False,
    "customers": [
        {"x": 1, "y": 1, "demand": 2, "service": 1},
        {"x": 2, "y": 2, "pickup": 3},
        {"x": 3, "y": 2, "demand": 0},
    ],
    "backhauls": "last",
}
ONE = {"depot": [0, 0], "customers": [{"x": 1, "y": 1, "demand": 2}]}
# Other ways to say what is always written in the form of objects.
OTHER_FORMS = {"depot", "coords", "demands", "windows", "services", "pickups", "prizes", "split"}


def build(value):
    return build_instance(value, "i", "name")


def same(ours, theirs):
    """Whether two values are equal in all their parts."""
    if isinstance(ours, np.ndarray):
        return ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if dataclasses.is_dataclass(ours):
        names = [item.name for item in dataclasses.fields(ours)]
        return all(same(getattr(ours, name), getattr(theirs, name)) for name in names)
    return ours is theirs or (type(ours) is type(theirs) and ours == theirs)


def again(instance):
    """What is read from what is written."""
    (found,) = read_instances(instance_to_line(instance).encode())
    assert isinstance(found, Instance), found
    return found


@pytest.mark.parametrize("written", [WHOLE, SHORT, DAY])
def test_by_hand(written):
    assert instance_to_dict(build(written)) == written
    assert list(instance_to_dict(build(written))) == list(written)


def test_equality_of_instances_looks_at_every_part():
    found = build(WHOLE)
    constraints = found.own_constraints
    other = dataclasses.replace(constraints, service=constraints.service + 1)
    assert same(found, build(WHOLE))
    assert not same(found, dataclasses.replace(found, constraints=other))
    vehicles = (
        dataclasses.replace(constraints.vehicles[0], max_stops=3.0),
        *constraints.vehicles[1:],
    )
    other = dataclasses.replace(constraints, vehicles=vehicles)
    assert not same(found, dataclasses.replace(found, constraints=other))
    other = dataclasses.replace(constraints, matrices={})
    assert not same(found, dataclasses.replace(found, constraints=other))


def test_reading_gives_back_what_was_written():
    keys = {"": set()}
    for seed in range(160):
        instance = build(drawn(seed))
        found = again(instance)
        assert same(instance, found), seed
        assert instance_to_line(found) == instance_to_line(instance)
        written = instance_to_dict(instance)
        keys[""] |= written.keys()
        for part in ("customers", "vehicles", "shipments", "depots", "groups", "relations"):
            rows = [row for row in written.get(part, []) if isinstance(row, dict)]
            keys.setdefault(part, set()).update(*rows)
            keys.setdefault("breaks", set()).update(
                *(each for row in rows for each in row.get("breaks", ()))
            )
            for end in ("pickup", "delivery") if part == "shipments" else ():
                keys.setdefault("visit", set()).update(*(row[end] for row in rows if end in row))
        keys.setdefault("matrices", set()).update(*written.get("matrices", {}).values())
        keys.setdefault("balance", set()).update(written.get("balance", ()))
    tables = {
        "customers": CustomerRow,
        "vehicles": VehicleRow,
        "shipments": ShipmentRow,
        "depots": DepotRow,
    }
    tables |= {
        "visit": VisitRow,
        "matrices": MatricesRow,
        "breaks": BreakRow,
        "balance": BalanceRow,
    }
    tables |= {"groups": GroupRow, "relations": RelationRow}
    assert {part: keys[part] for part in tables} == {
        part: {*own.__struct_fields__} - {"ridden"}  # which ends a window
        for part, own in tables.items()
    }
    assert keys[""] == {*InstanceDocument.__struct_fields__} - OTHER_FORMS


@pytest.mark.parametrize("each", attributes_of(Constraints), ids=lambda each: each.name)
def test_each_number_of_a_stop_comes_back(each):
    ends = [{each.key: 3}, {each.key: 4}] if each in VISIT_NUMBERS else [{}, {}]
    whole = {} if each in VISIT_NUMBERS else {each.key: 3}
    others = {} if each in SHIPMENT_NUMBERS else {each.key: 2}
    closed = {"window": [0, 9]}
    shipment = {"id": "s", "amount": 0, **whole}
    shipment["pickup"] = {"x": 1, "y": 1, **closed, **ends[0]}
    shipment["delivery"] = {"x": 2, "y": 2, **closed, **ends[1]}
    document = {
        "name": "i",
        "depots": [[0, 0]],
        "capacity": 1,
        "customers": [
            {"x": 3, "y": 3, "demand": 0},
            {"x": 4, "y": 4, "demand": 0, **closed, **others},
        ],
        "shipments": [shipment],
    }
    found = build_instance(document, "i", "i")
    own = {"each_end": [3, 4], "both_ends": [3, 3], "pickup": [3, 0]}
    own["delivery"] = [each.default, 3]
    second = others.get(each.key, each.default)
    expected = [each.default, second, *own[each.of_shipment]]
    assert getattr(found.own_constraints, each.name).tolist() == expected
    assert constrained_to_dict(found) == document


@pytest.mark.parametrize("most", [2, pytest.param(10_000, marks=pytest.mark.slow)])
def test_public_files(test_data, most):
    """Files of the public sets that can be read are written, and read as the same.

    Of each set so many instances; the slow test takes all.
    """
    counts = {}
    for folder in sorted((test_data / "variants").iterdir()):
        for file in sorted(folder.iterdir()):
            if file.suffix not in (".vrp", ".txt") or counts.get(folder.name, 0) >= most:
                continue
            for instance in read_sources(file).items:
                if isinstance(instance, Instance) and instance.constraints is not None:
                    assert same(instance, again(instance)), file
                    counts[folder.name] = counts.get(folder.name, 0) + 1
    assert min(counts.values()) >= min(most, 6)
    assert counts.keys() > {"solomon", "cordeau_mdvrp", "li_lim_pdptw", "pyvrp_hfvrp"}


def changed(**changes):
    found = build(WHOLE)
    return dataclasses.replace(
        found, constraints=dataclasses.replace(found.own_constraints, **changes)
    )


def test_ends_of_a_shipment_that_differ_ask_for_both():
    skills = (*[frozenset()] * 3, frozenset("a"), frozenset("b"))
    written = instance_to_dict(changed(skills=skills, release=np.array([0, 0, 0, 4, 6.0])))
    assert written["shipments"][0]["skills"] == ["a", "b"]
    assert written["shipments"][0]["release"] == 6


def test_amounts_in_several_dimensions_are_lists():
    assert instance_to_dict(changed(listed_amounts=False)) == WHOLE


@pytest.mark.parametrize(
    "changes",
    [
        {"window": (1.0, 2.0)},
        {"count": 0},
        {"capacity": (0.0,)},
        {"capacity": (math.inf,)},
        {"max_stops": 4.0},
        {"end": 1},
        {"start": None},
        {"id": "own"},
    ],
)
def test_a_short_form_that_says_too_little_is_not_used(changes):
    depots = [[0, 0], [1, 1]]
    found = build({"depots": depots, "capacity": 9, "customers": ONE["customers"]})
    vehicle = dataclasses.replace(found.own_constraints.vehicles[0], **changes)
    constraints = dataclasses.replace(found.own_constraints, vehicles=(vehicle,))
    assert instance_to_dict(found)["capacity"] == 9
    written = again(dataclasses.replace(found, constraints=constraints))
    assert written.own_constraints.vehicles == (vehicle,)


@pytest.mark.parametrize(
    ("window", "written"),
    [((-math.inf, 3.0), [None, 3]), ((3.0, math.inf), [3, None])],
)
def test_windows_that_are_open_at_one_end(window, written):
    found = changed(windows=np.full((5, 1, 2), window))
    customer = instance_to_dict(found)["customers"][0]
    assert customer["window"] == written
    assert again(found).own_constraints.windows[0].tolist() == [list(window)]


def test_shifts_without_an_end():
    vehicles = build(WHOLE).own_constraints.vehicles
    late = dataclasses.replace(vehicles[0], window=(-5.0, math.inf))
    written = again(changed(vehicles=(late, *vehicles[1:])))
    assert written.own_constraints.vehicles[0].window == (-5.0, math.inf)


def test_a_capacity_that_no_key_can_say_is_refused():
    vehicles = build(WHOLE).own_constraints.vehicles
    half = dataclasses.replace(vehicles[0], capacity=(math.inf, 4.0))
    with pytest.raises(
        InstanceError, match=r"monday: vehicles\[0\]\.capacity: unlimited"
    ) as caught:
        instance_to_dict(changed(vehicles=(half, *vehicles[1:])))
    assert caught.value.code == "NOT_WRITABLE"


def test_no_road_is_null():
    distances = [row[:] for row in WHOLE["distances"]]
    truck = {key: [row[:] for row in matrix] for key, matrix in WHOLE["matrices"]["truck"].items()}
    distances[1][0] = truck["durations"][3][4] = None
    document = WHOLE | {"distances": distances, "matrices": {"truck": truck}}
    found = build(document)
    assert (
        found.distances[1, 0] == found.own_constraints.matrices["truck"].durations[3, 4] == math.inf
    )
    assert instance_to_dict(found) == document
    plain = {"capacity": 2, "demands": [1, 2], "distances": [[0, 1, 3], [1, 0, None], [3, 1, 0]]}
    found = build(plain | {"max_vehicles": 2})
    written = json.loads(instance_to_line(found))
    assert (written["distances"], written["max_vehicles"]) == (plain["distances"], 2)
    assert again(found).own_constraints.vehicles == found.own_constraints.vehicles


def ties(**changes):
    """What stands between the stops of a day with some changes."""
    found = build(DAY)
    own = dataclasses.replace(found.own_constraints, **changes)
    written = constrained_to_dict(dataclasses.replace(found, constraints=own))
    return {key: written[key] for key in ("groups", "relations", "balance") if key in written}


def test_ties_that_are_not_there_are_left_out():
    assert ties(groups=(), relations=(), balance=None) == {}
    assert ties(groups=(), relations=(), balance=Balance()) == {"balance": {"duration": 0}}


def test_ids_of_groups_are_all_written_or_none():
    groups = (Group("group-0", (4,)), Group("g", (5,), prize=0.0))
    assert ties(groups=groups)["groups"] == [
        {"id": "group-0", "members": ["d"]},
        {"id": "g", "members": ["box"], "prize": 0},
    ]
