"""VROOM's jobs and shipments as columns of stops."""

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.vroom.vroom_problem import read_vroom

VAN = {"id": 5, "start_index": 0, "capacity": [9, 9]}


def problem(jobs=(), shipments=(), vehicles=(VAN,)):
    matrices = {"car": {"durations": [[0, 10], [20, 0]]}}
    return {"vehicles": [*vehicles], "jobs": [*jobs], "shipments": [*shipments]} | {
        "matrices": matrices
    }


def job(identifier=1, **changes):
    return {"id": identifier, "location_index": 1, **changes}


def read(document):
    return read_vroom(document, "p", "name")


def test_times_of_types_and_setups():
    document = problem(
        [
            {"id": 1, "location_index": 1, "service": 9, "service_per_type": {"van": 5}},
            {"id": 2, "location_index": 1, "setup": 4, "setup_per_type": {"bus": 7}},
        ],
    )
    own = document["vehicles"][0]
    document["vehicles"] = [own | {"id": each, "type": each_type} for each, each_type in (
        (1, "van"), (2, "bus"), (3, "car"),
    )]  # fmt: skip
    constraints = read(document).own_constraints
    assert [constraints.services(kind).tolist() for kind in range(3)] == [[5, 0], [9, 0], [9, 0]]
    assert [constraints.setups(kind).tolist() for kind in range(3)] == [[0, 4], [0, 7], [0, 4]]
    assert constraints.places == (0, 1, 1)
    assert not read(problem([job()])).own_constraints.has_setups


def test_a_shipment_is_two_stops():
    pair = {"pickup": job(3, service=4), "delivery": job(4), "amount": [1, 0], "priority": 2}
    found = read(problem([job(skills=[7])], [pair | {"skills": [2]}]))
    constraints = found.own_constraints
    assert found.ids == (1, "3-4:pickup", "3-4:delivery")
    assert constraints.shipment.tolist() == [[0, 0], [1, 0], [-1, 0]]
    assert constraints.priority.tolist() == [0, 2, 0]
    assert constraints.skills == (frozenset("7"), frozenset("2"), frozenset("2"))
    assert [task.priority for task in found.origin.tasks] == [0, 2, 2]
    assert np.array_equal(constraints.service, [0, 4, 0])


@pytest.mark.parametrize(
    ("jobs", "code", "message"),
    [
        (
            [job(location_index=None)],
            "MISSING",
            "p.jobs[0]: has neither location nor location_index",
        ),
        (
            [job(service_per_type={"van": "x"})],
            "WRONG_TYPE",
            "p.jobs[0].service_per_type.van: 'x', expected an integer",
        ),
        (
            [job(amount=[1, 1], pickup=[1, 1])],
            "CONFLICT",
            "p.jobs[0].amount: the old name of 'delivery', given with 'delivery' or 'pickup'; "
            "leave it out",
        ),
        (
            [job(delivery=[1])],
            "SHAPE",
            "p.jobs[0].delivery: a list of 1, but p.vehicles[0].capacity is a list of 2; give all "
            "amounts alike; a list has a number for each load dimension",
        ),
        ([job(priority=101)], "OUT_OF_RANGE", "p.jobs[0].priority: 101, expected 0 to 100"),
        ([job(), job()], "DUPLICATE", "p.jobs[1].id: duplicate id 1, also at p.jobs[0].id"),
        (
            [job(each, skills=[each]) for each in range(257)],
            "TOO_LARGE",
            "p: 257 different skills, the limit is 256",
        ),
        (
            [job(each) for each in range(10_001)],
            "TOO_LARGE",
            "p: 10001 tasks, the limit is 10000; split the problem",
        ),
    ],
)
def test_faults(jobs, code, message):
    with pytest.raises(InstanceError) as raised:
        read(problem(jobs))
    assert (raised.value.code, str(raised.value)) == (code, message)


def test_who_carries_something_needs_a_capacity():
    vans = [VAN, {"id": 1, "start_index": 0}]
    with pytest.raises(InstanceError, match=r"^p\.vehicles\[1\]\.capacity: missing, but p\.v"):
        read(problem(vehicles=vans))
