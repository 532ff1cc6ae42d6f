import math

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.text.pyvrp_fleet import read_fleet, served_by, single
from vrpcore.formats.text.vrptext import split_vrp


def fleet(text, size=4, depots=(1,)):
    return read_fleet(split_vrp(text), size, list(depots))


def test_vehicles_that_are_alike_are_one_type():
    found = fleet("VEHICLES : 4\nCAPACITY_SECTION\n1 5\n2 6\n3 5\n4 6\n")
    assert [(each.id, each.count, each.capacity) for each in found.types] == [
        ("0", 2, (5,)),
        ("1", 2, (6,)),
    ]
    assert (found.capacity, found.allowed) == ((6,), (None, None))
    assert not single(found.types)


def test_without_vehicles_there_are_as_many_as_needed_or_as_clients():
    (alike,) = fleet("CAPACITY : 5\n").types
    assert (alike.count, single([alike])) == (None, True)
    assert fleet("CAPACITY_SECTION\n1 5\n2 5\n3 5\n").types[0].count == 3
    assert fleet("DEMAND_SECTION\n1 0\n").types[0].capacity == (math.inf,)


@pytest.mark.parametrize(
    "name", ["MAX_DISTANCE", "MAX_DURATION", "FIXED_COST", "UNIT_DISTANCE_COST"]
)
def test_a_number_for_all_or_for_each(name):
    field = name.lower().replace("unit_", "")
    (found,) = fleet(f"VEHICLES_{name} : 3\n").types
    assert (getattr(found, field), single([found])) == (3, False)
    found = fleet(f"VEHICLES : 2\nVEHICLES_{name}_SECTION\n1 3\n2 4\n").types
    assert [getattr(each, field) for each in found] == [3, 4]


def test_depots_to_reload_at_and_how_often():
    text = "VEHICLES : 4\nVEHICLES_RELOAD_DEPOT_SECTION\n1 2\n2\n3 2\n4 1 2\n"
    found = fleet(text + "VEHICLES_MAX_RELOADS_SECTION\n1 1\n2 3\n3 1\n4 0\n", depots=(1, 2))
    assert [(each.count, each.reloads, each.max_reloads) for each in found.types] == [
        (2, (1,), 1),
        (1, None, math.inf),
        (1, (0, 1), 0),
    ]
    assert not single(found.types[:1])
    assert fleet("VEHICLES : 2\nVEHICLES_MAX_RELOADS : 0\n").types[0].count == 2
    (same,) = fleet("VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n2 1\n3 1\n").types
    assert (same.count, same.reloads, same.max_reloads) == (3, (0,), math.inf)


def test_skills_say_who_may_serve_whom():
    allowed = "1 2 3\n2 3 4\n3 2 3 4\n4 2 3\n"
    found = fleet(f"VEHICLES : 4\nVEHICLES_ALLOWED_CLIENTS_SECTION\n{allowed}")
    types, skills = served_by(found, [2, 3, 4], (1, 9))
    assert [each.count for each in types] == [2, 1, 1]
    may = [[own <= each.skills for own in skills] for each in types]
    assert may == [[True, True, False], [False, True, True], [True, True, True]]
    assert skills[1] == frozenset()
    assert types[0].window == (1, 9)


def test_a_client_of_nobody_has_a_skill_that_nobody_has():
    found = fleet("VEHICLES : 2\nVEHICLES_ALLOWED_CLIENTS_SECTION\n1 2\n2 3\n")
    types, skills = served_by(found, [2, 3, 4], (0, 9))
    assert not any(skills[2] <= each.skills for each in types)


def test_too_many_groups():
    size = 300
    rows = "".join(f"{i} {i + 1}\n" for i in range(1, size))
    found = fleet(f"VEHICLES : {size - 1}\nVEHICLES_ALLOWED_CLIENTS_SECTION\n{rows}", size)
    with pytest.raises(InstanceError, match=r"299 groups of vehicles .* limit is 256"):
        served_by(found, list(range(2, size + 1)), (0, 9))


SECTION = "VEHICLES : 2\nVEHICLES_{}_SECTION\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("VEHICLES : 0\n", "line 1: VEHICLES: '0', expected at least 1"),
        ("CAPACITY : 0\n", "line 1: CAPACITY: 0 is not a positive number"),
        ("CAPACITY : x\n", "line 1: CAPACITY: 'x' is not a finite number"),
        ("VEHICLES_MAX_DISTANCE : -1\n", "line 1: VEHICLES_MAX_DISTANCE: -1 is negative"),
        ("VEHICLES : 2\nCAPACITY_SECTION\n1 5\n", "line 2: CAPACITY_SECTION: 1 vehicles, VEHICLES"),
        ("VEHICLES : 1\nCAPACITY_SECTION\n1 -5\n", "line 3: CAPACITY_SECTION: -5 is negative"),
        ("VEHICLES : 1\nCAPACITY_SECTION\n1\n", "line 3: CAPACITY_SECTION: 1 columns, expected 2"),
        ("VEHICLES : 1\nCAPACITY_SECTION\n1" + " 1" * 9, "line 2: CAPACITY_SECTION: 9 load dimens"),
        ("VEHICLES : 2\nCAPACITY_SECTION\n1 5\n2 5 6", "line 4: CAPACITY_SECTION: 3 columns, expe"),
        (
            SECTION.format("FIXED_COST") + "1 1\n2 -1\n",
            "line 4: VEHICLES_FIXED_COST_SECTION: -1 is",
        ),
        (
            SECTION.format("FIXED_COST") + "1 1\n3 1\n",
            "line 4: .*vehicle id 3 is out of range, VEH",
        ),
        (SECTION.format("FIXED_COST") + "1 1\n1 1\n", "line 4: .*duplicate vehicle id 1, also on "),
        (
            SECTION.format("DEPOT") + "1 1\n2 2\n",
            "line 4: .*: 2 is no depot, expected one of the 1",
        ),
        (SECTION.format("ALLOWED_CLIENTS") + "1 2\n", "line 2: .*: 1 vehicles, VEHICLES says 2"),
        (SECTION.format("ALLOWED_CLIENTS") + "1 2\n2 1\n", "line 4: .*node 1 is a depot, expected"),
        (SECTION.format("ALLOWED_CLIENTS") + "1 2\n2 5\n", "line 4: .*node id 5 is out of range"),
        (SECTION.format("ALLOWED_CLIENTS") + "1 2\n1 2\n", "line 4: .*duplicate vehicle id 1"),
        (SECTION.format("RELOAD_DEPOT") + "1 1\n2 2\n", "line 4: .*: 2 is no depot, expected one"),
        (SECTION.format("RELOAD_DEPOT") + "1\n2 1 1\n", "line 4: .*: a depot is there twice"),
        (SECTION.format("RELOAD_DEPOT") + "1 1\n", "line 2: .*: 1 vehicles, VEHICLES says 2"),
        (
            SECTION.format("MAX_RELOADS") + "1 1.5\n2 1\n",
            "line 3: VEHICLES_MAX_RELOADS_SECTION: 1.5, expected a whole number of at least 0",
        ),
        (
            SECTION.format("MAX_RELOADS") + "1 0\n2 1\n",
            "line 4: VEHICLES_MAX_RELOADS_SECTION: vehicles may reload, but no VEHICLES_RELOAD_DE",
        ),
        ("VEHICLES_MAX_RELOADS : -1\n", "line 1: VEHICLES_MAX_RELOADS: -1 is negative"),
        ("VEHICLES : 99999\nCAPACITY_SECTION\n1 1\n", "VEHICLES: 99999 vehicles of their own, the"),
    ],
)
def test_each_error_by_its_message(text, message):
    with pytest.raises(InstanceError, match=message):
        fleet(text)


def test_without_clients_there_is_a_vehicle():
    assert fleet("CAPACITY_SECTION\n1 5\n", size=1).types[0].count == 1
    with pytest.raises(InstanceError, match="CAPACITY_SECTION: 0 vehicles, VEHICLES says 1"):
        fleet("CAPACITY_SECTION\n", size=1)


def test_too_many_types():
    rows = "".join(f"{i} {i}\n" for i in range(1, 1002))
    with pytest.raises(InstanceError, match="VEHICLES: 1001 different vehicles, the limit is 1000"):
        fleet(f"VEHICLES : 1001\nCAPACITY_SECTION\n{rows}")
