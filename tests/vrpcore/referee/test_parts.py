"""Parts of split customers, and what may be wrong with them."""

import dataclasses

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import changed, cost, day, problems, report
from vrpcore.instance.solution import Unserved

KEYS = {
    "customers": on_a_line(3, 7, demand=[6, 2], split=[True, False]),
    "vehicles": [{"id": "van", "capacity": 4}],
}


def answer(first, last, *, amounts=True):
    """A route to both customers, and one to the first."""
    one = report(1, 2, amounts=(first, 2.0) if amounts else None)
    other = report(1, amounts=(last,) if amounts else None)
    return one, other


def test_parts_are_visits_of_their_own():
    assert cost(day(KEYS), *answer(2.0, 4.0)) == 14 + 6
    times = {"departure": 0.0, "begins": (3.0, 7.0), "arrivals": (3.0, 7.0)}
    one, other = answer(2.0, 4.0)
    assert cost(day(KEYS), changed(one, load=4.0, cost=14.0, **times), other) == 20


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (2.0, 3.0, ["routes: the parts of customer 1 are 5.0, expected 6.0"]),
        (1.5, 4.5, [
            "routes[0].amounts[0]: 1.5 is no multiple of split_step 1",
            "routes[1].amounts[0]: 4.5 is no multiple of split_step 1",
            "routes[1]: a load of 4.5 at the start exceeds capacity 4.0",
        ]),
        (3.0, 3.0, ["routes[0]: a load of 5.0 at the start exceeds capacity 4.0"]),
        (0.0, 6.0, [
            "routes[0].amounts[0]: [0.0], expected more than 0",
            "routes[1]: a load of 6.0 at the start exceeds capacity 4.0",
        ]),
        ((2.0, 1.0), 4.0, ["routes[0]: a load of 8.0 at the start exceeds capacity 4.0",
                           "routes[0].amounts[0]: (2.0, 1.0), expected 6.0"]),
    ],
)  # fmt: skip
def test_parts_that_are_wrong(first, last, said):
    found = problems(day(KEYS), *answer(first, last))
    assert sorted(found) == sorted(said)


def test_amounts_that_are_missing():
    found = problems(day(KEYS), *answer(0, 0, amounts=False))
    assert found[0] == "routes[0].amounts[0]: missing, customer 1 is visited several times"
    one, other = answer(2.0, 4.0)
    assert problems(day(KEYS), changed(one, amounts=(2.0,)), other) == [
        "routes[0].amounts: 1, expected one for each of 2 stops"
    ]
    small = day(KEYS | {"vehicles": [{"id": "van", "capacity": 8}]})
    assert cost(small, report(1, 2)) == 14.0


def test_who_may_not_be_split_is_visited_once():
    twice = report(2, amounts=(1.0,)), report(2, amounts=(1.0,)), report(1, amounts=(6.0,))
    assert "routes[1].customers[0]: customer 2 is visited twice" in problems(day(KEYS), *twice)
    wrong = problems(day(KEYS), report(1, 2, amounts=(3.0, 1.0)), report(1, amounts=(3.0,)))
    assert "routes[0].amounts[1]: 1.0, expected 2.0" in wrong
    assert problems(day(KEYS), report("x")) == [
        "routes[0].customers[0]: 'x' is not a customer of the instance",
        "routes: customer 1 is required and not served",
        "routes: customer 2 is required and not served",
    ]


def test_one_visit_in_each_trip():
    keys = KEYS | {"vehicles": [{"id": "van", "capacity": 4, "reloads": ["d"]}]}
    one = report(1, 2, 1, amounts=(2.0, 2.0, 4.0))
    assert problems(day(keys), one) == [
        "routes[0].customers[2]: customer 1 is visited twice",
        "routes[0]: a load of 8.0 at the start exceeds capacity 4.0",
    ]
    from vrpcore.instance.solution import RouteReload

    call = RouteReload(depot="d", after=2, arrival=14.0, begin=14.0)
    assert cost(day(keys), changed(one, reloads=(call,))) == 20.0


def test_pickups_state_what_is_taken_and_lists_each_dimension():
    customers = on_a_line(3, 7, split=[True, True])
    customers[0]["pickup"], customers[1]["demand"] = [6, 0.5], [2, 1]
    keys = {"customers": customers, "vehicles": [{"id": "van", "capacity": [5, 9]}]}
    own = report(1, 2, amounts=((2.0, 0.25), (2.0, 1.0))), report(1, amounts=((4.0, 0.25),))
    assert cost(day(keys), *own) == 20.0
    wrong = report(1, 2, amounts=((2.5, 0.25), (2.0, 1.0))), report(1, amounts=((3.5, 0.5),))
    assert problems(day(keys), *wrong) == [
        "routes[0].amounts[0]: 2.5 is no multiple of split_step 1",
        "routes[1].amounts[0]: 3.5 is no multiple of split_step 1",
        "routes: the parts of customer 1 are 0.75 in dimension 1, expected 0.5",
    ]


def test_who_is_left_out_could_have_been_served_in_parts():
    customers = on_a_line(3, 7, demand=[6, 2], split=[True, False], prize=[1, 50])
    found = day(KEYS | {"customers": customers})
    left = (Unserved(1, "PRIZE"),)
    assert cost(found, report(2, amounts=(2.0,)), unserved=left) == 15.0
    small = dataclasses.replace(left[0], reason="CAPACITY")
    assert problems(found, report(2), unserved=(small,)) == [
        "unserved[0].reason: CAPACITY, expected PRIZE"
    ]


def test_each_visit_counts():
    vehicles = [{"id": "van", "capacity": 4, "max_customers": 1}]
    keys = KEYS | {"vehicles": vehicles}
    keys["customers"] = [
        {**row, "vehicle_cost": {"van": 5}} for row in on_a_line(3, demand=[6], split=[True])
    ]
    own = report(1, amounts=(2.0,)), report(1, amounts=(4.0,))
    assert cost(day(keys), *own) == 6 + 6 + 2 * 5


def test_too_little_room_is_proved_by_all_amounts():
    keys = KEYS | {"vehicles": [{"id": "van", "capacity": 4, "count": 1}]}
    left = {"unserved": (Unserved(1, "FLEET"),), "status": "infeasible", "code": "TOO_FEW_VEHICLES"}
    assert problems(day(keys), report(2, amounts=(2.0,)), **left) == []
