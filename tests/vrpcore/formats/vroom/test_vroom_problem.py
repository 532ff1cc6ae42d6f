"""VROOM's problems as instances."""

import json
import math

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.read import read_instances
from vrpcore.formats.vroom.vroom_instance import Source
from vrpcore.formats.vroom.vroom_problem import read_vroom
from vrpcore.formats.write import instance_to_line
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.vehicle_types import ALWAYS

TIMES = [[0, 10, 20, 30], [11, 0, 21, 31], [12, 22, 0, 32], [13, 23, 33, 0]]
PROBLEM = {
    "vehicles": [{"id": 5, "start_index": 0, "end_index": 0, "capacity": [9, 9], "skills": [3]}],
    "jobs": [
        {
            "id": 7, "location_index": 1, "service": 60, "delivery": [1, 2], "pickup": [3, 0],
            "skills": [3], "priority": 10, "time_windows": [[0, 50], [70, 90]],
            "description": "first",
        },
        {"id": 8, "location_index": 2, "amount": [2, 1]},
    ],
    "shipments": [
        {
            "amount": [1, 1], "priority": 4,
            "pickup": {"id": 7, "location_index": 2, "service": 5},
            "delivery": {"id": 9, "location_index": 3, "time_windows": [[5, 6]]},
        }
    ],
    "matrices": {"car": {"durations": TIMES}},
}  # fmt: skip


def with_(**changes):
    return json.loads(json.dumps(PROBLEM)) | changes


def job(**changes):
    return with_(jobs=[{"id": 1, "location_index": 1, **changes}])


def read(document):
    return read_vroom(document, "problem", "name")


def test_all_that_tasks_say():
    instance = read(PROBLEM)
    constraints = instance.own_constraints
    assert instance.ids == (7, 8, "7-9:pickup", "7-9:delivery")
    assert constraints.delivery.tolist() == [[1, 2], [2, 1], [0, 0], [0, 0]]
    assert constraints.pickup.tolist() == [[3, 0], [0, 0], [0, 0], [0, 0]]
    assert constraints.shipment.tolist() == [[0, 0], [0, 0], [1, 1], [-1, -1]]
    assert constraints.service.tolist() == [60, 0, 5, 0]
    assert constraints.priority.tolist() == [10, 0, 4, 0]
    assert constraints.skills == (frozenset({"3"}), *[frozenset()] * 3)
    assert constraints.windows[0].tolist() == [[0, 50], [70, 90]]
    assert constraints.windows[1, 0].tolist() == [*ALWAYS]
    assert np.isinf(constraints.prize).all()
    assert constraints.counts_stops
    assert constraints.listed_amounts
    assert instance.origin.tasks[0].description == "first"
    assert (instance.origin.tells_loads, instance.origin.tells_lengths) == (True, False)
    durations = constraints.matrices["car"].durations
    assert durations[0].tolist() == [0, 10, 20, 20, 30]  # depot, two jobs, pickup, delivery
    assert durations[2, 3] == 0  # of one location


def test_locations_of_a_plane_do_where_there_are_matrices():
    document = job(location=[1000, 2000], id=2**60 + 1)
    document["vehicles"][0] |= {"start": [0, 0], "end": [0, 0]}
    found = read(document | {"shipments": []})
    assert (found.ids, found.coords) == ((2**60 + 1,), None)
    assert found.own_constraints.matrices["car"].durations[0, 1] == 10


def test_without_amounts_there_is_no_capacity():
    document = with_(jobs=[{"id": 1, "location_index": 1}], shipments=[])
    document["vehicles"] = [{"id": 1, "start_index": 0}]
    instance = read(document)
    assert not instance.origin.tells_loads
    assert instance.own_constraints.vehicles[0].capacity == (math.inf,)


def test_steps_are_known_routes():
    document = with_()
    document["vehicles"][0]["steps"] = [
        {"type": "pickup", "id": 7}, {"type": "job", "id": 7}, {"type": "delivery", "id": 9},
    ]  # fmt: skip
    instance = read(document)
    assert instance.plan == Plan([Route(0, (3, 1, 4), van=5)])
    assert read(PROBLEM).plan is None


def test_steps_of_what_is_gone_are_named():
    document = with_()
    document["vehicles"][0]["steps"] = [
        {"type": "job", "id": 70}, {"type": "job", "id": 7}, {"type": "break", "id": 99},
    ]  # fmt: skip
    instance = read(document)
    assert instance.plan == Plan([Route(0, (1,), van=5)], unknown=("job 70", "break 99"))


def test_costs_of_legs_leave_nothing_to_pay_for_time():
    document = with_()
    document["matrices"]["car"]["costs"] = TIMES
    constraints = read(document).own_constraints
    assert constraints.vehicles[0].travel_cost == 0
    assert constraints.matrices["car"].costs[0, 1] == 10


def test_locations_place_everybody_on_the_map():
    document = with_(jobs=[{"id": 1, "location_index": 1, "location": [2.5, 48.5]}], shipments=[])
    document["vehicles"] = [{"id": 1, "start_index": 0, "start": [2.0, 48.0]}]
    assert read(document).coords.tolist() == [[2.0, 48.0], [2.5, 48.5]]
    assert read(PROBLEM).coords is None


def test_a_part_of_it_is_an_instance_still():
    part = read(PROBLEM).take([2, 3, 4])
    assert isinstance(part.origin, Source)
    assert part.num_customers == 3
    assert part.plan is None


def test_told_by_content_in_all_shapes_of_json():
    text = json.dumps(PROBLEM)
    own = {"capacity": 1, "depot": [0, 0], "coords": [], "demands": []}
    for source in (
        PROBLEM, [PROBLEM], text.encode(), json.dumps([PROBLEM, PROBLEM]).encode(),
        f"{text}\n{text}\n".encode(), json.dumps(PROBLEM, indent=1).encode(),
    ):  # fmt: skip
        assert all(isinstance(item.origin, Source) for item in read_instances(source))
    kinds = [(type(item), item.kind) for item in read_instances([PROBLEM, own, with_(jobs=5)])]
    assert kinds == [(Instance, "vroom"), (Instance, None), (InvalidInstance, "vroom")]
    (shipments,) = read_instances({key: PROBLEM[key] for key in PROBLEM if key != "jobs"})
    assert isinstance(shipments.origin, Source)


def test_one_without_vehicles_is_told_so():
    for key in ("jobs", "shipments"):
        (item,) = read_instances({key: PROBLEM[key]})
        assert (item.kind, type(item)) == ("vroom", InvalidInstance)
        assert item.error == "instances[0].vehicles: missing"


def test_our_own_instances_with_vehicles_and_shipments_stay_ours():
    end = {"x": 0, "y": 0}
    own = {
        "depot": [0, 0],
        "vehicles": [{}],
        "shipments": [{"id": 1, "pickup": end, "delivery": end}],
    }
    (item,) = read_instances(own)
    assert type(item) is Instance


def test_an_invalid_one_says_where():
    (item,) = read_instances(job(time_windows=[[5, 3]]))
    assert (item.kind, type(item)) == ("vroom", InvalidInstance)
    place = "instances[0].jobs[0].time_windows[0]"
    assert (item.code, item.error) == (
        "WINDOW",
        f"{place}: opens at 5, after it closes at 3",
    )


def test_our_format_has_no_place_for_shipments_that_count_twice():
    with pytest.raises(InstanceError, match="shipments of VROOM's, which count twice") as raised:
        instance_to_line(read(PROBLEM))
    assert raised.value.code == "NOT_WRITABLE"
    (again,) = read_instances(instance_to_line(read(with_(shipments=[]))).encode())
    assert again.ids == (7, 8)


def test_a_problem_without_tasks():
    assert read(with_(jobs=[], shipments=[])).num_customers == 0


@pytest.mark.parametrize(
    ("document", "code", "message"),
    [
        (with_(jobs=5), "WRONG_TYPE", "problem.jobs: 5, expected a list of jobs"),
        (
            with_(matrix=[[0, 1], [1, 0]]),
            "UNSUPPORTED",
            "problem.matrix: the old form of durations; give matrices:",
        ),
        (
            with_(options={"g": True, "c": True}),
            "MISSING",
            "problem.options.c: asks for the times of given routes, but no vehicle has steps",
        ),
    ],
)
def test_faults(document, code, message):
    with pytest.raises(InstanceError) as raised:
        read(document)
    assert raised.value.code == code
    assert str(raised.value).startswith(message)


def test_keys_that_are_not_vrooms_are_named_once():
    assert read(PROBLEM).origin.notes == ()
    van, job, pair = (PROBLEM[key][0] for key in ("vehicles", "jobs", "shipments"))
    vehicle = van | {
        "colour": "red", "costs": {"fixd": 1}, "breaks": [{"id": 1, "e": 1}],
        "steps": [{"type": "start", "f": 1}],
    }  # fmt: skip
    ends = {key: pair[key] | {each: 1} for key, each in (("pickup", "a"), ("delivery", "b"))}
    document = {
        "jobs": [job | {"h": 1}, PROBLEM["jobs"][1] | {"h": 2}],
        "shipments": [pair | ends | {"c": 1}],
        "vehicles": [vehicle],
        "matrices": {"car": {"durations": TIMES, "i": 1}},
        "cost": 1,
    }
    (note,) = read(document).origin.notes
    assert note == (
        "keys that are not VROOM's are ignored: jobs.h, shipments.pickup.a, "
        "shipments.delivery.b, shipments.c, vehicles.colour, vehicles.costs.fixd (did you mean "
        "fixed?), vehicles.breaks.e, vehicles.steps.f and 2 more"
    )


def test_keys_given_twice_are_still_refused():
    text = b'{"vehicles": [{"id": 1, "id": 2, "colour": 3}], "jobs": []}'
    (item,) = read_instances(text)
    assert (item.code, item.error) == (
        "DUPLICATE",
        "instances[0].vehicles[0]: duplicate key 'id'; keep only one",
    )


@pytest.mark.parametrize("extra", [{"g": True}, None, ":"])
def test_an_instance_keeps_the_note_on_keys(extra):
    document = {**PROBLEM, "extra": extra}
    for source in (document, json.dumps(document).encode()):
        (item,) = read_instances(source)
        assert item.origin.notes == ("keys that are not VROOM's are ignored: extra",)
    text = json.dumps({**PROBLEM, "options": None}).encode()
    assert [item.origin.notes for item in read_instances(text)] == [()]
