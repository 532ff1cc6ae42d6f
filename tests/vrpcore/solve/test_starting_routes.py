import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import constrained, on_a_line, plain
from tests.vrpcore.formats.json.working_day import DAY
from vrpcore.errors import InstanceError
from vrpcore.formats.answers.sol_files import solution_to_sol
from vrpcore.formats.answers.solution_json import solution_to_line
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.read import read_instances
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.plan import ANY_VEHICLE as ANY
from vrpcore.instance.plan import KnownDay, Plan, Reload, Route
from vrpcore.instance.solution import (
    RouteReload,
    RouteReport,
    RouteSchedule,
    Solution,
    Unserved,
)
from vrpcore.solve.starting_routes import MAX_NAMED, misfits, own_routes, warm_routes


def make(ids=("a", "b", 7), demand=(2, 3, 4), **changes):
    return plain(**{"demand": demand, "capacity": 5, "ids": ids, **changes})


def answer(*routes, name="t"):
    found = tuple(RouteReport(tuple(route), 99.0, 99.0) for route in routes)
    return Solution(name=name, status="solved", cost=99.0, routes=found)


def sol(text):
    (found,) = read_solutions(text)
    return found


def stops(known):
    """The stops of each route."""
    return [list(route.stops) for route in known.routes]


def pairs(known):
    """Vehicle type and stops of each route."""
    return [(route.vehicle, route.stops) for route in known.routes]


def test_ids_become_numbers():
    assert warm_routes(make(), answer([7], ["b", "a"])) == Plan.of([[3], [2, 1]])
    assert stops(warm_routes(make(), answer([], ["a", "b"], [], [7]))) == [[1, 2], [3]]
    assert stops(warm_routes(make((), ()), answer())) == []
    assert stops(warm_routes(make((), ()), answer([]))) == []


def test_a_sol_file_counts_ids_or_positions():
    text = b"Route #1: 3\nRoute #2: 2 1\nCost 9\n"
    assert stops(warm_routes(make((1, 2, 3)), sol(text))) == [[3], [2, 1]]
    assert stops(warm_routes(make((2, 3, 1), (3, 4, 2)), sol(text))) == [[2], [1, 3]]
    assert stops(warm_routes(make(("a", "b", 7)), sol(text))) == [[3], [2, 1]]
    assert stops(warm_routes(make((101, 102, 103)), sol(text))) == [[3], [2, 1]]


def test_a_load_may_exceed_the_capacity_by_rounding():
    tenths = make(demand=(0.1, 0.2, 0.3), capacity=0.6)
    assert misfits(tenths, warm_routes(tenths, answer(["a", "b", 7])), whole=True) is None
    over = make(demand=(2, 3, 4), capacity=5 - 1e-8)
    told = misfits(over, warm_routes(over, answer(["a", "b"], [7])), whole=True)
    assert told == "routes[0]: a load of 5 exceeds capacity 4.99999999"


LATER = Solution(name="t", status="infeasible", code="TOO_FEW_VEHICLES", error="no")


@pytest.mark.parametrize(
    ("known", "expected", "unknown"),
    [
        (answer([7], ["b", "x", "a"]), [[3], [2, 1]], ("stop 'x'",)),
        (answer(["7"], ["b", "7"], ["x", "a"]), [[3], [2, 3], [1]], ("stop 'x'",)),
        (answer([7], ["a", "b"], [7]), [[3], [1, 2], [3]], ()),
        (answer([7], ["a"]), [[3], [1]], ()),
        (answer(), [], ()),
    ],
)
def test_what_is_gone_is_left_out_and_named(known, expected, unknown):
    found = warm_routes(make(), known)
    assert (stops(found), found.unknown) == (expected, unknown)


def test_a_sol_file_whose_ids_are_partly_gone():
    found = warm_routes(make((1, 2, 4)), sol(b"Route 1: 1 2\nRoute 2: 3 4"))
    assert (stops(found), found.unknown) == ([[1, 2], [3]], ("stop 3",))


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (LATER, "ROUTES", "its status is infeasible, there are no routes to start from"),
        (answer(["x"], ["y"]), "UNKNOWN", "no stop of the instance is in them, but stop 'x', "
         "stop 'y'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("more", [{}, {"constraints": True}])
def test_each_error_by_its_message(wrong, code, message, more):
    with pytest.raises(InstanceError) as caught:
        warm_routes(VANS if more else make(max_vehicles=2), wrong)
    assert str(caught.value) == f"warm start '{wrong.name}': {message}"
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (answer([7], ["b"], ["a"]), "routes: 3 routes, max_vehicles is 2"),
        (answer([7], ["b", "a"], [7]), "routes[2][0]: customer 7 is visited twice"),
        (answer([7], ["b"]), "routes: customer 'a' is in no route"),
        (answer(["a"], ["b", 7]), "routes[1]: a load of 7 exceeds capacity 5"),
        (
            answer(["x", 7], ["b", "y"]),
            "without stop 'x', stop 'y', which the instance does not have; "
            "routes: customer 'a' is in no route",
        ),
        (answer([7], ["b", "a"]), None),
    ],
)
def test_what_is_wrong_with_routes_of_a_plain_instance(known, message):
    problem = make(max_vehicles=2)
    assert misfits(problem, warm_routes(problem, known), whole=True) == message


def test_only_some_of_many_are_named():
    found = Plan([], unknown=tuple(map(str, range(MAX_NAMED + 2))))
    told = misfits(make((), ()), found, whole=True)
    assert (
        told == "without 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more, which the instance does not have"
    )


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
        plan=Plan.of(routes),
    )
    return instance, routes, answer(*([ids[n - 1] for n in route] for route in routes))


@given(problems())
def test_every_form_of_a_solution_gives_its_routes(problem):
    instance, routes, solution = problem
    assert stops(warm_routes(instance, solution)) == stops(own_routes(instance)) == routes
    (found,) = read_solutions(solution_to_line(solution).encode())
    assert stops(warm_routes(instance, found)) == routes
    again = warm_routes(instance, sol(solution_to_sol(instance, solution).encode()))
    assert stops(again) == routes
    assert misfits(instance, again, whole=True) is None


def test_published_solutions(test_data):
    for file in sorted((test_data / "cvrplib").glob("*/*.vrp"))[::10]:
        (instance,) = read_instances(file)
        (found,) = read_solutions(file.with_suffix(".sol"))
        known = warm_routes(instance, found)
        assert len(known.routes) == len(found.routes)
        assert misfits(instance, known, whole=True) is None


def test_routes_of_the_instance():
    assert own_routes(make()) == Plan([])
    assert stops(own_routes(make(plan=Plan.of([[3], [2, 1]])))) == [[3], [2, 1]]
    assert stops(own_routes(make(plan=Plan.of([[3], [], [2, 1]])))) == [[3], [2, 1]]
    assert own_routes(make((), (), plan=Plan([]))) == Plan([])


@pytest.mark.parametrize("number", [0, 4, -1])
def test_numbers_that_are_no_customer(number):
    own = make(plan=Plan.of([[3], [1, number]])._replace(unknown=("stop 'x'",)))
    unknown = ("stop 'x'", f"stop number {number}")
    assert own_routes(own) == Plan.of([[3], [1]])._replace(unknown=unknown)
    with pytest.raises(InstanceError) as caught:
        own_routes(make(plan=Plan.of([[number]])))
    message = f"no stop of the instance is in them, but stop number {number}"
    assert str(caught.value) == f"'t': routes: {message}"
    assert caught.value.code == "UNKNOWN"


VANS = constrained(
    customers=[{"id": name, "x": 1, "y": 0} for name in ("a", 7)],
    shipments=[{"id": "s", "pickup": {"x": 2, "y": 0}, "delivery": {"x": 3, "y": 0}, "prize": 4}],
    vehicles=[{"id": "van", "count": 2, "max_customers": 2}, {"id": "bike", "end": None}],
)


def driven(*routes, **changes):
    """(vehicle, customers) of each route; what it states of depots and times is wrong."""
    found = tuple(
        RouteReport(tuple(stops), 99.0, 99.0, RouteSchedule(vehicle=name, start="x", end="y"))
        for name, stops in routes
    )
    return Solution(**{"name": "t", "status": "solved", "cost": 99.0, "routes": found} | changes)


def test_routes_with_vehicles_are_taken_as_they_are():
    late = driven(("bike", ["s:delivery", 7]), ("van", []), (None, [7, 7, "a"]))
    assert pairs(warm_routes(VANS, late)) == [(1, (4, 2)), (ANY, (2, 2, 1))]
    assert pairs(warm_routes(VANS, answer(["a"], []))) == [(ANY, (1,))]
    missed = (Unserved("a", "FLEET"),)
    for changes in ({"status": "partial"}, {"status": "infeasible", "unserved": missed}):
        assert pairs(warm_routes(VANS, driven(("van", [7]), **changes))) == [(0, (2,))]
    assert pairs(warm_routes(VANS, driven(status="partial", cost=3.0))) == []


def test_lines_of_a_sol_belong_to_vehicles_in_the_order_of_the_types():
    text = b"Route #1: 2\nRoute #2:\nRoute #3: 1 3 4\nCost 9\n"
    assert pairs(warm_routes(VANS, sol(text))) == [(0, (2,)), (1, (1, 3, 4))]
    few = constrained(customers=on_a_line(1, 2), vehicles=[{"count": 1}])
    assert pairs(warm_routes(few, sol(b"Route #1: 2\nRoute #2: 1\n"))) == [(0, (2,)), (ANY, (1,))]


def test_lines_of_a_sol_do_not_tell_where_an_unlimited_type_ends():
    text = b"Route #1: 2\nRoute #2: 1\nRoute #3: 3\n"
    for counts, expected in (
        ([None, 2], [ANY, ANY, ANY]),
        ([1, None, 1], [0, ANY, ANY]),
        ([1, None], [0, 1, 1]),
    ):
        vans = [{} if count is None else {"count": count} for count in counts]
        several = constrained(customers=on_a_line(1, 2, 3), vehicles=vans)
        assert [route.vehicle for route in warm_routes(several, sol(text)).routes] == expected


def test_every_form_of_an_answer_gives_its_vehicles():
    given = driven(("van", ["a"]), ("bike", [7, "s:pickup", "s:delivery"]))
    expected = [(0, (1,)), (1, (2, 3, 4))]
    (found,) = read_solutions(solution_to_line(given).encode())
    assert pairs(warm_routes(VANS, found)) == pairs(warm_routes(VANS, given)) == expected
    assert pairs(warm_routes(VANS, sol(solution_to_sol(VANS, given).encode()))) == expected


def test_a_route_of_an_unknown_vehicle_states_none():
    found = warm_routes(VANS, driven(("van", ["a"]), ("lorry", ["s", 7]), ("lorry", [])))
    assert pairs(found) == [(0, (1,)), (ANY, (2,))]
    assert found.unknown == ("vehicle type 'lorry'", "stop 's'")


def test_own_routes_beside_constraints():
    assert own_routes(VANS) == Plan([])
    plan = Plan([Route(ANY, (2, 2)), Route(ANY, ()), Route(0, (4,))])
    own = dataclasses.replace(VANS, plan=plan)
    assert pairs(own_routes(own)) == [(ANY, (2, 2)), (0, (4,))]


def test_who_may_be_left_out_is_not_missed():
    def missed(instance, known, *, whole=True):
        return misfits(instance, warm_routes(instance, known), whole=whole)

    assert missed(VANS, driven(("van", [7]), ("van", ["a"]))) is None
    part = driven(("van", [7, "s:pickup"]))
    assert missed(VANS, part) == "stop 'a' in no route"
    assert missed(VANS, part, whole=False) is None
    needed = constrained(
        shipments=[{"id": "s", "pickup": {"x": 2, "y": 0}, "delivery": {"x": 3, "y": 0}}],
        vehicles=[{}],
    )
    assert missed(needed, answer([])) == "stop 's:pickup' in no route"
    assert missed(needed, answer(["s:pickup", "s:delivery"])) is None


def test_reloads_and_departures_are_handed_on():
    day = build_instance(DAY, "i", "i")
    reloads = (RouteReload(depot="yard", after=1), RouteReload(depot="moon", after=2))
    reloads += (RouteReload(depot="hub", after=3), RouteReload(depot="hub", after=4))
    schedule = RouteSchedule(vehicle="van", start="hub", end="hub", departure=7.5, reloads=reloads)
    route = RouteReport(("a", "b", "gone", "d"), 99.0, 99.0, schedule)
    silent = RouteReport(("d",), 9.0, 9.0, RouteSchedule(vehicle="car", start="hub", end="hub"))
    solution = Solution(name="t", status="solved", cost=9.0, routes=(route, silent))
    found = warm_routes(day, solution)
    assert found.routes == [
        Route(0, (1, 2, 4), (Reload(1, 1), Reload(0, 2))),
        Route(2, (4,)),
    ]
    assert [each.departure for each in found.days] == [7.5, None]
    assert found.unknown == ("stop 'gone'", "depot 'moon'")
    plain_found = warm_routes(make(), replace_routes(solution, ("a", "b", 7)))
    assert plain_found.routes == [Route(0, (1, 2, 3))]


def replace_routes(solution, customers):
    """The same with the first route only, of other customers."""
    route = dataclasses.replace(solution.routes[0], customers=customers)
    return dataclasses.replace(solution, routes=(route,))


def test_own_routes_have_reloads_and_departures():
    day = build_instance(DAY, "i", "i")
    assert own_routes(day).routes == [
        Route(0, (1, 5, 2), (Reload(1, 2),)),
        Route(ANY, (4,)),
    ]
    assert own_routes(day).days == (KnownDay(30), KnownDay())


def test_of_alternatives_one_is_enough():
    document = {key: value for key, value in DAY.items() if key != "routes"}
    document["groups"] = [{"members": ["a", "b"]}, {"members": [3, "d"], "id": "g"}]
    instance = build_instance(document, "i", "i")

    def missed(*routes):
        return misfits(instance, warm_routes(instance, answer(*routes)), whole=True)

    ends = ["crate:pickup", "crate:delivery"]
    assert missed(ends, ["a", "d"]) is None
    assert missed(ends, ["b"]) == "group 'g' in no route"
    assert missed(["b", 3]) == "stop 'crate:pickup' in no route"
