import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.cost.cases import constrained, on_a_line
from vrpcore.errors import InstanceError
from vrpcore.formats.jsonio import read_instances
from vrpcore.formats.solutionformats import solution_to_sol
from vrpcore.formats.solutionio import read_solutions, solution_to_line
from vrpcore.formats.warmstart import (
    given_plan,
    given_routes,
    is_complete,
    warm_plan,
    warm_routes,
)
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Route, RouteSchedule, Solution, Unserved


def make(ids=("a", "b", 7), demand=(2, 3, 4), **changes):
    fields = {
        "name": "t",
        "capacity": 5.0,
        "coords": np.zeros((len(ids) + 1, 2)),
        "demand": np.array([0.0, *demand]),
        "ids": ids,
        **changes,
    }
    return Instance(**fields)


def answer(*routes, name="t"):
    found = tuple(Route(tuple(route), 99.0, 99.0) for route in routes)
    return Solution(name=name, status="solved", cost=99.0, routes=found)


def sol(text):
    (found,) = read_solutions(text)
    return found


def test_ids_become_numbers():
    assert warm_routes(make(), answer([7], ["b", "a"])) == [[3], [2, 1]]
    assert warm_routes(make(), answer([], ["a", "b"], [], [7])) == [[1, 2], [3]]
    assert warm_routes(make((), ()), answer()) == []
    assert warm_routes(make((), ()), answer([])) == []
    assert warm_routes(make(max_vehicles=2), answer([7], [], ["b", "a"])) == [[3], [2, 1]]


def test_a_sol_file_counts_ids_or_positions():
    text = b"Route #1: 3\nRoute #2: 2 1\nCost 9\n"
    assert warm_routes(make((1, 2, 3)), sol(text)) == [[3], [2, 1]]
    assert warm_routes(make((2, 3, 1), (3, 4, 2)), sol(text)) == [[2], [1, 3]]
    assert warm_routes(make(("a", "b", 7)), sol(text)) == [[3], [2, 1]]
    assert warm_routes(make((101, 102, 103)), sol(text)) == [[3], [2, 1]]


def test_a_load_may_exceed_the_capacity_by_rounding():
    tenths = make(demand=(0.1, 0.2, 0.3), capacity=0.6)
    assert warm_routes(tenths, answer(["a", "b", 7])) == [[1, 2, 3]]
    over = make(demand=(2, 3, 4), capacity=5 - 1e-8)
    with pytest.raises(InstanceError, match=r"a load of 5 exceeds capacity 4\.9"):
        warm_routes(over, answer(["a", "b"], [7]))


LATER = Solution(name="t", status="infeasible", code="TOO_FEW_VEHICLES", error="no")
WRONG = [
    (LATER, "NOT_SOLVED", "its status is infeasible, there are no routes to start from"),
    (
        answer([7], ["b", "x"]),
        "UNKNOWN_ID",
        "routes[1].customers[1]: 'x' is not the id of a customer of 't' "
        "(solutions are matched by position)",
    ),
    (
        answer([7], ["b", "7"]),
        "UNKNOWN_ID",
        "routes[1].customers[1]: '7' is not the id of a customer of 't' "
        "(solutions are matched by position)",
    ),
    (
        answer([7], ["a", "b"], [7]),
        "VISITED_TWICE",
        "routes[2].customers[0]: customer 7 is visited twice",
    ),
    (answer([7], ["a"]), "NOT_VISITED", "routes: customer 'b' is in no route"),
    (answer(), "NOT_VISITED", "routes: customer 'a' is in no route"),
    (
        answer(["a"], ["b", 7]),
        "LOAD_EXCEEDS_CAPACITY",
        "routes[1]: a load of 7 exceeds capacity 5",
    ),
    (answer(["a"], [], ["b"], [7]), "TOO_MANY_ROUTES", "routes: 3 routes, max_vehicles is 2"),
    (
        sol(b"Route 1: 1 2\nRoute 2: 4"),
        "UNKNOWN_ID",
        "routes[0].customers[0]: 1 is not the id of a customer of 't' "
        "(solutions are matched by position)",
    ),
]


@pytest.mark.parametrize(("wrong", "code", "message"), WRONG)
def test_each_error_by_its_message(wrong, code, message):
    with pytest.raises(InstanceError) as caught:
        warm_routes(make(max_vehicles=2), wrong)
    assert str(caught.value) == f"warm start '{wrong.name}': {message}"
    assert caught.value.code == code


@pytest.mark.parametrize("name", ["../../x", "=cmd()", "\x1b[31m\n", "x" * 1000, "\u4e2d"])
def test_messages_hold_hostile_names_in_short_and_without_control_characters(name):
    with pytest.raises(InstanceError) as caught:
        warm_routes(make(name=name), answer([name], name=name))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def routes_of(draw, size):
    order = draw(st.permutations(range(1, size + 1)))
    cuts = sorted(draw(st.sets(st.integers(1, max(size - 1, 1)))) & set(range(1, size)))
    bounds = [0, *cuts, size]
    return [order[start:end] for start, end in itertools.pairwise(bounds)] if size else []


@st.composite
def problems(draw):
    """An instance with routes that solve it, and the same routes as a solution."""
    identifiers = st.integers(-9, 9) | st.text(st.characters(codec="utf-8"), max_size=2)
    ids = draw(st.lists(identifiers, unique=True, max_size=6))
    routes = routes_of(draw, len(ids))
    instance = make(
        tuple(ids),
        [1.0] * len(ids),
        capacity=max((len(route) for route in routes), default=1),
        routes=tuple(map(tuple, routes)),
    )
    return instance, routes, answer(*([ids[n - 1] for n in route] for route in routes))


@given(problems())
def test_every_form_of_a_solution_gives_its_routes(problem):
    instance, routes, solution = problem
    assert warm_routes(instance, solution) == given_routes(instance) == routes
    (found,) = read_solutions(solution_to_line(solution).encode())
    assert warm_routes(instance, found) == routes
    assert warm_routes(instance, sol(solution_to_sol(instance, solution).encode())) == routes


def test_published_solutions(test_data):
    for file in sorted((test_data / "cvrplib").glob("*/*.vrp"))[::10]:
        (instance,) = read_instances(file)
        (found,) = read_solutions(file.with_suffix(".sol"))
        assert len(warm_routes(instance, found)) == len(found.routes)


def test_routes_of_the_instance():
    assert given_routes(make()) == []
    assert given_routes(make(routes=((3,), (2, 1)))) == [[3], [2, 1]]
    assert given_routes(make(routes=((3,), (), (2, 1)), max_vehicles=2)) == [[3], [2, 1]]
    assert given_routes(make((), (), routes=())) == []


@pytest.mark.parametrize(
    ("routes", "code", "message"),
    [
        (((3,), (1, 0)), "UNKNOWN_ID", "routes[1][1]: 0, expected a customer number 1 to 3"),
        (((3,), (1, 4)), "UNKNOWN_ID", "routes[1][1]: 4, expected a customer number 1 to 3"),
        (((3,), (1, -1)), "UNKNOWN_ID", "routes[1][1]: -1, expected a customer number 1 to 3"),
        (((3,), (1, 1)), "VISITED_TWICE", "routes[1][1]: customer 'a' is visited twice"),
        (((3,), (1,)), "NOT_VISITED", "routes: customer 'b' is in no route"),
        ((), "NOT_VISITED", "routes: customer 'a' is in no route"),
        (((3, 1), (2,)), "LOAD_EXCEEDS_CAPACITY", "routes[0]: a load of 6 exceeds capacity 5"),
        (((3,), (1,), (2,)), "TOO_MANY_ROUTES", "routes: 3 routes, max_vehicles is 2"),
    ],
)
def test_each_error_of_the_own_routes(routes, code, message):
    instance = dataclasses.replace(make(max_vehicles=2), routes=routes)
    with pytest.raises(InstanceError) as caught:
        given_routes(instance)
    assert str(caught.value) == f"'t': {message}"
    assert caught.value.code == code


VANS = constrained(
    customers=[{"id": name, "x": 1, "y": 0} for name in ("a", 7)],
    shipments=[{"id": "s", "pickup": {"x": 2, "y": 0}, "delivery": {"x": 3, "y": 0}, "prize": 4}],
    vehicles=[{"id": "van", "count": 2, "max_customers": 2}, {"id": "bike", "end": None}],
)


def driven(*routes, **changes):
    """(vehicle, customers) of each route; what it states of depots and times is wrong."""
    found = tuple(
        Route(tuple(stops), 99.0, 99.0, RouteSchedule(vehicle=name, start="x", end="y"))
        for name, stops in routes
    )
    return Solution(**{"name": "t", "status": "solved", "cost": 99.0, "routes": found} | changes)


def test_routes_with_vehicles_are_taken_as_they_are():
    late = driven(("bike", ["s:delivery", 7]), ("van", []), (None, [7, 7, "a"]))
    assert warm_plan(VANS, late) == [(1, (4, 2)), (None, (2, 2, 1))]
    assert warm_plan(VANS, answer(["a"], [])) == [(None, (1,))]
    missed = (Unserved("a", "FLEET"),)
    for changes in ({"status": "partial"}, {"status": "infeasible", "unserved": missed}):
        assert warm_plan(VANS, driven(("van", [7]), **changes)) == [(0, (2,))]
    assert warm_plan(VANS, driven(status="partial", cost=3.0)) == []


def test_lines_of_a_sol_belong_to_vehicles_in_the_order_of_the_types():
    text = b"Route #1: 2\nRoute #2:\nRoute #3: 1 3 4\nCost 9\n"
    assert warm_plan(VANS, sol(text)) == [(0, (2,)), (1, (1, 3, 4))]
    few = constrained(customers=on_a_line(1, 2), vehicles=[{"count": 1}])
    assert warm_plan(few, sol(b"Route #1: 2\nRoute #2: 1\n")) == [(0, (2,)), (None, (1,))]


def test_lines_of_a_sol_do_not_tell_where_an_unlimited_type_ends():
    text = b"Route #1: 2\nRoute #2: 1\nRoute #3: 3\n"
    for counts, expected in (
        ([None, 2], [None, None, None]),
        ([1, None, 1], [0, None, None]),
        ([1, None], [0, 1, 1]),
    ):
        vans = [{} if count is None else {"count": count} for count in counts]
        several = constrained(customers=on_a_line(1, 2, 3), vehicles=vans)
        assert [route.vehicle for route in warm_plan(several, sol(text))] == expected


def test_every_form_of_an_answer_gives_its_vehicles():
    given = driven(("van", ["a"]), ("bike", [7, "s:pickup", "s:delivery"]))
    expected = [(0, (1,)), (1, (2, 3, 4))]
    (found,) = read_solutions(solution_to_line(given).encode())
    assert warm_plan(VANS, found) == warm_plan(VANS, given) == expected
    assert warm_plan(VANS, sol(solution_to_sol(VANS, given).encode())) == expected


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (
            driven(("van", ["a"]), ("lorry", [7])),
            "UNKNOWN_ID",
            "routes[1].vehicle: 'lorry' is not the id of a vehicle type of 'instance-0'",
        ),
        (
            driven(("van", ["a", "s"])),
            "UNKNOWN_ID",
            "routes[0].customers[1]: 's' is not the id of a customer of 'instance-0' "
            "(solutions are matched by position)",
        ),
        (LATER, "NOT_SOLVED", "its status is infeasible, there are no routes to start from"),
    ],
)
def test_each_error_of_routes_with_vehicles(wrong, code, message):
    with pytest.raises(InstanceError) as caught:
        warm_plan(VANS, wrong)
    assert str(caught.value) == f"warm start 't': {message}"
    assert caught.value.code == code


def test_own_routes_beside_constraints():
    assert given_plan(VANS) == []
    own = dataclasses.replace(VANS, routes=((2, 2), (), (4,)))
    assert given_plan(own) == [(None, (2, 2)), (None, (4,))]
    driven_by = dataclasses.replace(own, route_vehicles=(1, 0, 0))
    assert given_plan(driven_by) == [(1, (2, 2)), (0, (4,))]
    with pytest.raises(
        InstanceError, match=r"routes\[0\]\[0\]: 5, expected a customer number 1 to 4"
    ):
        given_plan(dataclasses.replace(VANS, routes=((5,),)))


def test_who_may_be_left_out_is_not_missed():
    assert is_complete(VANS, warm_plan(VANS, driven(("van", [7]), ("van", ["a"]))))
    assert not is_complete(VANS, warm_plan(VANS, driven(("van", [7, "s:pickup"]))))
    needed = constrained(
        shipments=[{"id": "s", "pickup": {"x": 2, "y": 0}, "delivery": {"x": 3, "y": 0}}],
        vehicles=[{}],
    )
    assert not is_complete(needed, [])
    assert is_complete(needed, warm_plan(needed, answer(["s:pickup", "s:delivery"])))
