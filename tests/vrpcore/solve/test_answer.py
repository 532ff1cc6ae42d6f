import dataclasses

import numpy as np
import pytest

from tests.build import constrained, on_a_line, plain
from tests.vrpcore.cost.cases import random_times
from vrpcore.api import Solver
from vrpcore.cost.timeline import Timeline
from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.answers.solution_json import solution_to_line
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.plan import Plan, Reload, Route
from vrpcore.instance.solution import RouteReport
from vrpcore.referee.referee import check_solution
from vrpcore.solve.answer import (
    answer_text,
    interrupted,
    is_unfinished,
    not_found,
    planned,
    rank_of,
    refused,
    settled,
    solved,
)

# From the depot: 5, 3 and 4 away; from the first customer to the second 4, from there 5.
PLACES = [[0, 0], [3, 4], [3, 0], [0, 4]]
SQUARE = plain(PLACES, [6, 4, 6], name="square", ids=("a", "b", "c"))
EMPTY = plain([[0, 0]], name="empty")


def test_routes_become_an_answer():
    answer = solved(SQUARE, Plan.of([[1, 2], [3]]), ["CODE"])
    first = RouteReport(customers=("a", "b"), load=10.0, cost=12.0)
    assert answer.routes == (first, RouteReport(customers=("c",), load=6.0, cost=8.0))
    assert (answer.name, answer.status, answer.cost) == ("square", "solved", 20.0)
    assert answer.warnings == ("CODE",)


@pytest.mark.parametrize(("metric", "kind"), [("euclidean", float), ("euc_2d", int)])
def test_costs_are_numbers_of_the_metrics_own_kind(metric, kind):
    answer = solved(dataclasses.replace(SQUARE, metric=metric), Plan.of([[1, 2], [3]]), [])
    nothing = settled(dataclasses.replace(EMPTY, metric=metric))
    assert (answer.cost, nothing.cost, nothing.routes) == (20, 0, ())
    costs = [answer.cost, nothing.cost, *(route.cost for route in answer.routes)]
    assert {type(cost) for cost in costs} == {kind}


@pytest.mark.parametrize("routes", [[[1, 2]], [[1, 2], [3, 1]], [[1, 3], [2]]])
def test_a_wrong_answer_never_leaves(routes):
    with pytest.raises(RuntimeError, match="square: the answer fails its check"):
        solved(SQUARE, Plan.of(routes), [])


def test_what_a_form_has_no_place_for_is_an_answer_that_says_so():
    answer = solved(SQUARE, Plan.of([[1, 2], [3]]), [])
    assert answer_text(lambda found: found.name, answer) == ("square", answer)

    def write(found):
        if found.routes:
            raise InstanceError("square: too wide", code="NOT_WRITABLE")
        return f"{found.status}: {found.error}"

    text, left = answer_text(write, answer)
    assert text == "invalid: square: too wide"
    assert (left.name, left.status, left.code) == ("square", "invalid", "NOT_WRITABLE")


@pytest.mark.parametrize("error", [OutputError("disk full"), MemoryError("all")])
def test_what_concerns_all_answers_is_raised_when_one_is_written(error):
    def write(_):
        raise error

    with pytest.raises(type(error), match=str(error)):
        answer_text(write, solved(SQUARE, Plan.of([[1, 2], [3]]), []))


def test_answers_that_were_not_finished_are_known():
    finished = solved(SQUARE, Plan.of([[1, 2], [3]]), ["CODE"])
    assert not is_unfinished(finished)
    assert is_unfinished(dataclasses.replace(finished, warnings=("CODE", "INTERRUPTED")))
    assert is_unfinished(interrupted(SQUARE))


def test_too_few_vehicles_is_proved():
    assert settled(SQUARE) is None
    assert settled(dataclasses.replace(SQUARE, max_vehicles=2)) is None
    answer = settled(dataclasses.replace(SQUARE, max_vehicles=1))
    assert (answer.status, answer.code) == ("infeasible", "TOO_FEW_VEHICLES")
    assert "max_vehicles: 1, but at least 2 vehicles of capacity 10 are needed" in answer.error


def test_not_found_is_not_called_infeasible():
    limited = dataclasses.replace(SQUARE, max_vehicles=2)
    for searched in (True, False):
        answer = not_found(limited, ["CODE"], searched=searched)
        assert (answer.status, answer.code) == ("partial", "TOO_MANY_ROUTES")
        assert "no solution with at most 2 routes was found" in answer.error
        assert answer.error.endswith("; try --improve fast") is not searched
        assert answer.warnings == ("CODE",)


def test_the_fleet_comes_before_the_cost():
    limited = dataclasses.replace(SQUARE, max_vehicles=2)
    plans = [[1], [2], [3]], [[1, 2], [3]], [[1], [2, 3]]
    alone, joined, dearer = (Plan.of(routes) for routes in plans)
    assert rank_of(limited, alone) == (True, 0, 10.0 + 6.0 + 8.0)
    assert rank_of(limited, joined) == (False, 0, 12.0 + 8.0)
    assert rank_of(limited, dearer) == (False, 0, 10.0 + 12.0)
    assert rank_of(SQUARE, alone) == (False, 0, 24.0)


CUSTOMERS = on_a_line(3, 4, 5, demand=[4, 4, 2], prize=[None, None, 1.5])


def test_routes_with_times_become_an_answer():
    vehicles = [{"id": "van", "count": 2, "capacity": 9, "fixed_cost": 1, "end": None}]
    answer = planned(
        constrained(customers=CUSTOMERS, vehicles=vehicles), Plan([Route(0, (1, 2))]), ["W"]
    )
    assert (answer.status, answer.cost, answer.warnings) == ("solved", 6.5, ("W",))
    (route,) = answer.routes
    assert (route.customers, route.load, route.cost) == ((1, 2), 8.0, 5.0)
    assert (route.schedule.vehicle, route.schedule.start, route.schedule.end) == ("van", "0", None)
    assert (route.schedule.arrivals, route.schedule.return_) == ((3.0, 4.0), 4.0)
    assert [(item.id, item.reason) for item in answer.unserved] == [(3, "PRIZE")]


def test_the_short_form_has_no_vehicle_and_whole_costs_stay_whole():
    short = constrained(
        customers=on_a_line(3, service=[1], demand=[1]), capacity=1, metric="euc_2d"
    )
    answer = planned(short, Plan([Route(0, (1,))]), [])
    assert (answer.cost, answer.routes[0].cost) == (6, 6)
    assert isinstance(answer.cost, int)
    assert answer.routes[0].schedule.vehicle is None


@pytest.mark.parametrize(
    ("vehicle", "status", "code", "error"),
    [
        ({"count": 1, "capacity": 9}, "partial", "UNSERVED", "required customers not served: 1"),
        ({"count": 1, "capacity": 7}, "infeasible", "TOO_FEW_VEHICLES", "demands of 8 are"),
        (
            {"max_distance": 7},
            "infeasible",
            "DISTANCE",
            "2: no vehicle can serve it: 8",
        ),
    ],
)
def test_who_is_left_out_decides_the_status(vehicle, status, code, error):
    instance = constrained(customers=CUSTOMERS, vehicles=[vehicle])
    answer = planned(instance, Plan([Route(0, (1,))]), [])
    assert (answer.status, answer.code, answer.cost) == (status, code, 7.5)
    assert answer.error.startswith(error)
    assert [item.id for item in answer.unserved] == [2, 3]
    assert len(answer.routes) == 1


def test_constraints_are_not_judged_by_the_first_vehicle_type():
    customers = on_a_line(1, 2, demand=[4, 4], prize=[None, 1])
    vehicles = [{"count": 1, "capacity": 4}, {"capacity": 4}]
    assert settled(constrained(customers=customers, vehicles=vehicles)) is None
    assert settled(constrained(customers=customers, capacity=4, max_vehicles=1)) is None
    assert settled(constrained(customers=[], vehicles=[{}])).status == "solved"


def test_without_customers_work_is_even():
    instance = constrained(customers=[], vehicles=[{}], balance={"load": 2})
    answer = settled(instance)
    assert (answer.status, answer.cost, answer.balance) == ("solved", 0.0, 0.0)
    assert check_solution(instance, answer).ok
    assert settled(constrained(customers=[], vehicles=[{}])).balance is None


ROUNDED = 0.1 + 0.2  # more than 0.3
LATE = {"x": 1, "y": 0, "demand": 1, "release": ROUNDED}
DEPOTS = [{"id": "d", "x": 0, "y": 0}, {"id": "e", "x": 0, "y": 0, "window": [0, 0.3]}]


@pytest.mark.parametrize(
    "keys",
    [
        {"vehicles": [{"latest_start": 0.3}]},
        {"vehicles": [{"latest_start": 0.3, "start": None}]},
        {"vehicles": [{"latest_start": 0.3, "breaks": [{"duration": 1}]}]},
        {"vehicles": [{"window": [0, 0.3], "max_late": 9}]},
        {"vehicles": [{"window": [0, 0.3], "max_late": 9, "late_cost": 1}]},
        {
            "depots": [DEPOTS[0], DEPOTS[1] | {"service": 1}],
            "vehicles": [{"start": "e", "end": "d"}],
        },
        {
            "depots": DEPOTS,
            "vehicles": [{"count": 1, "capacity": 1, "reloads": ["e"]}],
            "customers": [{"x": 0.01, "y": 0, "demand": 1}, LATE],
        },
    ],
)
def test_a_release_at_the_last_moment_counts_as_in_time(keys):
    instance = constrained(**{"depots": DEPOTS[:1], "customers": [LATE], **keys})
    reloads = (Reload(1, 1),) if instance.num_customers > 1 else ()
    route = Route(0, tuple(range(1, instance.num_customers + 1)), reloads)
    assert planned(instance, Plan([route]), []).status == "solved"
    assert Solver().solve([instance])[0].status == "solved"


def test_plans_pass_the_referee_also_after_a_file():
    for seed in range(100):
        instance = random_times(seed)
        stops = tuple(range(1, instance.num_customers + 1))
        routes = [Route(0, stops)] if Timeline(instance).schedule(Route(0, stops)) else []
        answer = planned(instance, Plan(routes), [])
        assert (answer.status == "solved") is bool(routes), seed
        (read,) = read_solutions(solution_to_line(answer).encode())
        assert read == answer, seed
        assert check_solution(instance, read).ok, seed


@pytest.mark.parametrize("scale", [1e3, 1e12, 1e100])
def test_long_times_pass_the_referee(scale):
    """It adds up the same numbers, but rounds otherwise."""
    for places in (np.random.default_rng(0).random((20, 8, 2)) * scale).tolist():
        customers = [{"x": x, "y": y} for x, y in places]
        instance = constrained(customers=customers, vehicles=[{}])
        assert planned(instance, Plan([Route(0, tuple(range(1, 9)))]), ()).status == "solved"


@pytest.mark.parametrize("begin", [0, 1.7e9, -1e15])
def test_windows_that_are_just_met_far_from_0_pass_the_referee(begin):
    for places in np.random.default_rng(1).random((20, 8, 2)):
        legs = np.diff(places, axis=0, prepend=[[0.0, 0.0]])
        times = (begin + np.cumsum(np.hypot(*legs.T))).tolist()
        customers = [
            {"x": x, "y": y, "window": [begin, time]}
            for (x, y), time in zip(places.tolist(), times, strict=True)
        ]
        vehicle = {"window": [begin, times[-1]], "end": None}
        instance = constrained(customers=customers, vehicles=[vehicle])
        assert planned(instance, Plan([Route(0, tuple(range(1, 9)))]), ()).status == "solved"


def test_a_wrong_plan_never_leaves():
    instance = constrained(customers=CUSTOMERS, vehicles=[{"capacity": 5}])
    with pytest.raises(RuntimeError, match=r"the answer fails its check: .*exceeds capacity"):
        planned(instance, Plan([Route(0, (1, 2))]), [])
    late = constrained(customers=on_a_line(3, window=[[0, 1]]), vehicles=[{}])
    with pytest.raises(RuntimeError, match=r"the route \[1\] does not meet all windows"):
        planned(late, Plan([Route(0, (1,))]), [])


def test_what_could_not_be_understood_says_why():
    answer = refused(InvalidInstance(name="x", code="FORMAT", error="line 1: what is this"))
    assert (answer.name, answer.status, answer.code) == ("x", "invalid", "FORMAT")
    assert (answer.error, answer.cost, answer.routes) == ("line 1: what is this", None, ())


DETOUR = {"depot": {}, "distances": [[0, 1, 9], [1, 0, 1], [9, 1, 0]], "vehicles": [{"count": 1}]}


def test_who_can_be_reached_on_a_detour_is_not_proved_infeasible():
    whole = constrained(**DETOUR, customers=[{"prize": 0}, {"window": [0, 3]}])
    answer = planned(whole, Plan([]), [])
    assert (answer.status, answer.code) == ("partial", "UNSERVED")
    assert [item.reason for item in answer.unserved] == ["PRIZE", "WINDOW"]
    late = constrained(**DETOUR, customers=[{"prize": 0}, {"window": [0, 1.5]}])
    assert planned(late, Plan([]), []).status == "infeasible"


def test_alternatives_balance_and_plans_that_are_kept_become_an_answer():
    groups = [{"id": "either", "members": [2, 3], "prize": 6}, {"members": [4], "prize": 2}]
    customers = on_a_line(3, 4, 5, 9, demand=[1, 1, 1, 1])
    instance = constrained(
        customers=customers, vehicles=[{"id": "van"}], groups=groups, balance={"distance": 0.5}
    )
    known = Plan([Route(0, (1, 4)), Route(0, (2, 3))])
    answer = planned(instance, Plan([Route(0, (1,)), Route(0, (3,))]), [], known)
    assert (answer.status, answer.balance, answer.cost) == ("solved", 5.0, 6 + 10 + 2 + 5)
    assert [(item.id, item.reason) for item in answer.unserved] == [("group-1", "PRIZE")]
    assert (answer.kept, answer.moved) == (2, 0)
    alone = planned(instance, Plan([Route(0, (1,))]), [])
    assert [item.id for item in alone.unserved] == ["either", "group-1"]
    assert (alone.cost, alone.kept) == (6 + 6 + 2 + 3, None)


def test_a_relation_that_stands_in_the_way_is_named():
    customers = on_a_line(3, 4, demand=[1, 1])
    instance = constrained(
        customers=customers,
        vehicles=[{"count": 1}],
        relations=[{"kind": "apart", "stops": [1, 2]}],
    )
    (item,) = planned(instance, Plan([Route(0, (1,))]), []).unserved
    assert item.reason == "FLEET"
    assert item.detail == "by itself it could be served; relations[0] (apart) stands in the way"
