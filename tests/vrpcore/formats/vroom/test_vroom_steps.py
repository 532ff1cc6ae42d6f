"""Steps: known routes, and who serves a task and when."""

import copy
import math

import pytest

from tests.vrpcore.vroom_oracle import check_vroom
from vrpcore.api import Solver
from vrpcore.errors import InstanceError
from vrpcore.formats.read import read_instances
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.formats.vroom.vroom_problem import read_vroom
from vrpcore.instance.plan import Plan, Route

TIMES = [[0, 10, 20, 30], [10, 0, 10, 20], [20, 10, 0, 10], [30, 20, 10, 0]]
VAN = {"start_index": 0, "end_index": 0, "capacity": [9]}
PROBLEM = {
    "vehicles": [{"id": 1, **VAN}, {"id": 2, **VAN}, {"id": 3, **VAN}],
    "jobs": [
        {"id": 7, "location_index": 1, "time_windows": [[0, 50], [70, 90]]},
        {"id": 8, "location_index": 2},
    ],
    "shipments": [
        {"pickup": {"id": 4, "location_index": 2}, "delivery": {"id": 5, "location_index": 3}}
    ],
    "matrices": {"car": {"durations": TIMES}},
}


def read(*steps, vehicle=1):
    document = copy.deepcopy(PROBLEM)
    document["vehicles"][vehicle]["steps"] = list(steps)
    return document, read_vroom(document, "problem", "name")


def step(identifier, kind="job", **times):
    return {"type": kind, "id": identifier, **{f"service_{key}": at for key, at in times.items()}}


def test_a_pinned_vehicle_is_like_no_other():
    _, found = read(step(7, at=40), step(8))
    constraints = found.own_constraints
    assert [(each.id, each.count) for each in constraints.vehicles] == [("1", 2), ("2", 1)]
    assert constraints.allowed.tolist() == [[False, True, True, True], [True] * 4]
    assert constraints.windows[0].tolist() == [[40, 40]]
    assert found.plan == Plan([Route(1, (1, 2), van=2)])  # a warm start as well
    assert read(step(7))[1].own_constraints.allowed is None


@pytest.mark.parametrize(
    ("times", "windows"),
    [
        ({"after": 30}, [[30, 50], [70, 90]]),
        ({"before": 80}, [[0, 50], [70, 80]]),
        ({"after": 60, "before": 75}, [[70, 75]]),
        ({"at": 50}, [[50, 50]]),
        ({"at": 75, "after": 60}, [[75, 75]]),
    ],
)
def test_windows_are_cut(times, windows):
    assert read(step(7, **times))[1].own_constraints.windows[0].tolist()[:2] == windows


def test_a_task_without_time_has_nobody():
    constraints = read(step(7, at=60))[1].own_constraints
    assert constraints.allowed[:, 0].tolist() == [False, False]
    assert constraints.windows[0].tolist() == [[0, 50], [70, 90]]


def test_ends_of_shipments_are_pinned_too():
    constraints = read(step(5, "delivery", before=99))[1].own_constraints
    assert constraints.windows[3, 0].tolist() == [-math.inf, 99]
    assert constraints.permits()[:, 2:].tolist() == [[False, False], [True, True]]


def test_steps_of_tasks_that_are_not_there_say_nothing():
    _, found = read(step(99, at=4))
    assert found.own_constraints.allowed is None
    assert found.plan == Plan([], unknown=("job 99",))


def test_answers_keep_pins():
    document, found = read(step(8, at=45), step(4, "pickup", after=60), vehicle=2)
    (solution,) = Solver(device="cpu").solve([found], improve="none", workers=1, threads=1)
    answer = answer_to_dict(found, solution)
    assert check_vroom(document, answer) == []
    (route,) = [each for each in answer["routes"] if each["vehicle"] == 3]
    begins = {each.get("id"): each["arrival"] + each["waiting_time"] for each in route["steps"]}
    assert begins[8] == 45
    assert begins[4] >= 60


def test_errors():
    with pytest.raises(InstanceError) as raised:
        read({"type": "start", "service_at": 4})
    said = "problem.vehicles[1].steps[0].service_at: given for a step of type start; only tasks"
    assert str(raised.value).startswith(said)
    document, _ = read(step(7, at=40))
    document["vehicles"][0]["steps"] = [step(7, after=1)]
    with pytest.raises(InstanceError) as raised:
        read_vroom(document, "problem", "name")
    said = "problem.vehicles[1].steps[0]: job 7 is pinned to vehicle 1 already"
    assert (str(raised.value), raised.value.code) == (said, "CONFLICT")


def test_steps_become_routes_with_their_types():
    ends = [{"type": "start"}, {"type": "pickup", "id": 4}, {"type": "delivery", "id": 5}]
    _, found = read(*ends, {"type": "end"})
    assert found.plan == Plan([Route(0, (3, 4), van=2)])
    _, found = read()
    assert found.plan is None


def test_what_steps_name_and_is_gone_is_left_out():
    rest = {"type": "break", "id": 3}
    _, found = read(step(9), rest)
    assert found.plan == Plan([], unknown=("job 9", "break 3"))
    _, found = read(step(7), step(9), step(7), rest)
    assert found.plan == Plan([Route(0, (1, 1), van=2)], unknown=("job 9", "break 3"))


ASKS = "instances[0].options.c: asks for the times of given routes, "


@pytest.mark.parametrize(
    ("steps", "code", "message"),
    [
        (None, "MISSING", f"{ASKS}but no vehicle has steps; give them, or leave it out"),
        (
            [{"type": "job", "id": 9}],
            "UNKNOWN",
            f"{ASKS}but steps name job 9, which the problem does not have; leave it out of them",
        ),
        (
            [{"type": "break", "id": 3}, {"type": "job", "id": 7}],
            "UNSUPPORTED",
            "instances[0].vehicles[0].steps[0]: says where a break is, but with 'c' breaks are "
            "placed anew; leave this step out, and keep the break",
        ),
    ],
)
def test_given_steps_must_be_routes_as_they_stand(steps, code, message):
    van = {"id": 1, "start_index": 0, "breaks": [{"id": 3}], "steps": steps}
    (item,) = read_instances(
        {**PROBLEM, "vehicles": [van], "shipments": [], "options": {"c": True}}
    )
    assert (item.code, item.error) == (code, message)
    (item,) = read_instances(
        {**PROBLEM, "vehicles": [van], "shipments": [], "options": {"c": False}}
    )
    assert item.name == "instance-0" and not item.origin.options.given
