"""`.sol` files: what is written, comes back, and is accepted by the referee."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.formats.answers.solutions import MANY, TWO, UNSOLVED, make, solved
from vrpcore.errors import InstanceError
from vrpcore.formats.answers import sol_files
from vrpcore.formats.answers.sol_files import sol_numbers, solution_to_sol
from vrpcore.formats.answers.solution_json import solution_to_line
from vrpcore.formats.read import read_instances
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.instance.solution import RouteReload, RouteReport, RouteSchedule, Solution
from vrpcore.referee.referee import check_solution

SOL = b"Route #1: 21 31 19\nRoute #2: 12\r\nCost 784\n"


def test_sol_to_the_letter():
    assert solution_to_sol(make(), TWO) == "Route #1: 1\nRoute #2: 2\nCost 15.125\n"
    whole = solved(((3, 1), 3.0, 700), ((2,), 0.5, 84))
    assert solution_to_sol(make((1, 2, 3)), whole) == "Route #1: 3 1\nRoute #2: 2\nCost 784\n"
    assert solution_to_sol(make(()), solved(cost=0)) == "Cost 0\n"
    assert solution_to_sol(make(()), solved(cost=None)) == ""


def test_what_is_not_solved_has_no_sol():
    with pytest.raises(ValueError, match=r"'u' is infeasible: there is no \.sol of it"):
        solution_to_sol(make(), UNSOLVED)


@pytest.mark.parametrize(
    ("ids", "numbers"),
    [
        ((), ()),
        ((1, 2, 3), (1, 2, 3)),
        ((0, 1, 3), (0, 1, 3)),
        ((3, 1, 2), (3, 1, 2)),
        ((101, 10**18 - 1), (101, 10**18 - 1)),
        ((101, 10**18), (1, 2)),
        ((7, -1), (1, 2)),
        (("7", 9), (1, 2)),
    ],
)
def test_numbers_of_customers(ids, numbers):
    assert sol_numbers(make(ids)) == numbers


IDS = st.lists(
    st.integers(0, 5) | st.integers(-(2**62), 2**62) | st.sampled_from(["a", "1", "\n"]),
    unique=True,
    max_size=3,
) | st.lists(st.integers(0, 5), unique=True, max_size=3)


@given(IDS, st.randoms(), st.integers(0, 10**18 - 1) | st.floats(1e-100, 1e100), st.booleans())
def test_sol_files_come_back_with_the_ids_of_their_instance(ids, random, cost, split):
    instance = make(tuple(ids))
    order = random.sample(ids, len(ids))
    routes = [[item] for item in order] if split else [order]
    written = solved(*((route, 1.0, 1.0) for route in routes), cost=cost)
    (found,) = read_solutions(solution_to_sol(instance, written).encode())
    own = with_own_ids(instance, found)
    assert [list(route.customers) for route in own.routes] == routes
    assert (own.cost, type(own.cost)) == (cost, type(cost))
    if sol_numbers(instance) == instance.ids:
        assert repr(own) == repr(found)


def test_numbers_that_are_ids_and_numbers_that_are_positions():
    def read(ids, text):
        (found,) = read_solutions(text)
        return [route.customers for route in with_own_ids(make(ids), found).routes]

    assert read((3, 1, 2), b"Route 1: 1 2 3") == [(1, 2, 3)]
    assert read((101, 102), b"Route 1: 2\nRoute 2: 1") == [(102,), (101,)]
    assert read((101, 102), b"Route 1: 102 101") == [(102, 101)]
    assert read((101, 2), b"Route 1: 2 1") == [(2, 1)]  # one is an id: 1 is a fault
    assert read((101, 102), b"Route 1: 3 1") == [(3, 1)]
    assert read(("a", 7), b"Route 1: 2 1") == [(7, "a")]
    assert read(("a", 7), b"Route 1: 7 1") == [(7, 1)]
    assert with_own_ids(make(), TWO) == TWO
    assert with_own_ids(make(), UNSOLVED).routes == ()


NODES = "NODE_COORD_SECTION\n1 3 4\n2 0 0\n3 6 8\nDEMAND_SECTION\n1 1\n2 0\n3 1\n"
VRP = (
    "NAME : x\nTYPE : CVRP\nDIMENSION : 3\nCAPACITY : 9\nEDGE_WEIGHT_TYPE : EUC_2D\n"
    + NODES
    + "DEPOT_SECTION\n2\n-1\nEOF\n"
)


def test_cvrplib_solutions(tmp_path):
    (tmp_path / "A-n32-k5.sol").write_bytes(SOL)
    (found,) = read_solutions(tmp_path / "A-n32-k5.sol")
    assert (found.name, found.status, found.cost) == ("A-n32-k5", "solved", 784)
    assert isinstance(found.cost, int)
    assert [route.customers for route in found.routes] == [(21, 31, 19), (12,)]
    assert all(math.isnan(route.load) and math.isnan(route.cost) for route in found.routes)
    (found,) = read_solutions(b"route 1 : 2\nCOST: 1.5e1")
    assert (found.cost, found.routes[0].customers) == (15.0, (2,))
    assert read_solutions(b"Route #1:\n")[0].routes[0].customers == ()
    null = {"customers": [21, 31, 19], "load": None, "cost": None}
    (found,) = read_solutions(SOL)
    assert json.loads(solution_to_line(found))["routes"][0] == null


def test_published_solutions_are_read(test_data):
    files = sorted((test_data / "cvrplib").glob("*/*.sol"))
    assert len(files) > 100
    for file in files:
        (found,) = read_solutions(file)
        assert found.name == file.stem
        assert found.cost > 0


def test_sol_files_are_bounded(monkeypatch):
    monkeypatch.setattr(sol_files, "MAX_SOL_BYTES", 30)
    with pytest.raises(InstanceError, match=r"line 2: a \.sol file of more than 30 bytes"):
        read_solutions(SOL)


@pytest.mark.parametrize("text", [b"route%sx", b"route #%s:", b"cost%sx y", b"route 1:%sx"])
def test_long_blanks_take_no_longer_than_other_text(text):
    with pytest.raises(InstanceError, match="cannot parse"):
        read_solutions(text % (b" " * 2**20))


def test_the_referee_accepts_what_is_written():
    (instance,) = read_instances(VRP.encode())
    assert instance.ids == (0, 2)  # the depot is node 2
    text = solution_to_sol(instance, solved(((2, 0), 2.0, 20), cost=20))
    assert text == "Route #1: 2 0\nCost 20\n"
    (found,) = read_solutions(text.encode())
    assert check_solution(instance, found).ok
    named = make(("b", "a"), metric="ceil_2d")
    (found,) = read_solutions(
        solution_to_sol(named, solved((("a", "b"), 2.5, 16), cost=16)).encode()
    )
    assert check_solution(named, with_own_ids(named, found)).ok


def test_a_sol_has_a_line_a_vehicle_and_comes_back():
    van = RouteSchedule(vehicle="van", start="n", end="n")
    bike = RouteSchedule(vehicle="bike", start="=s", end=None)
    routes = (
        RouteReport((8, 7), (3.0, 0.5), 5.0, bike),
        RouteReport(("s:pickup", "s:delivery"), (1.0, 0.0), 5.0, van),
    )
    text = solution_to_sol(MANY, Solution(name="t", status="solved", cost=10, routes=routes))
    assert text == "Route #1: 3 4\nRoute #2:\nRoute #3: 2 1\nCost 10\n"
    (found,) = read_solutions(text.encode())
    own = with_own_ids(MANY, found)
    assert [(route.customers, route.schedule) for route in own.routes] == [
        (("s:pickup", "s:delivery"), van), ((), van), ((8, 7), bike),
    ]  # fmt: skip
    assert text.startswith("Route #1: 3 4\nRoute #2:\n")
    first = Solution(name="t", status="solved", cost=1, routes=routes[1:])
    assert solution_to_sol(MANY, first) == "Route #1: 3 4\nCost 1\n"


def test_vehicles_without_number_cost_no_lines():
    types = [{"id": "a", "count": 10**9}, {"id": "b", "count": 10**9}]
    (problem,) = read_instances([{"vehicles": types, "depot": [0, 0], "coords": [[1, 1]]}])

    def sol(vehicle):
        schedule = RouteSchedule(vehicle=vehicle, start="0", end="0")
        routes = (RouteReport((1,), 0.0, 2.0, schedule),)
        return solution_to_sol(problem, Solution(name="t", status="solved", cost=2, routes=routes))

    assert sol("a") == "Route #1: 1\nCost 2\n"
    said = r"t: a .sol has a line .* 1000000000 without a route"
    with pytest.raises(InstanceError, match=said) as caught:
        sol("b")
    assert caught.value.code == "NOT_WRITABLE"


def trips(**van):
    """Two depots and customers whose ids are no numbers of a file."""
    document = {
        "depots": [{"id": "n", "x": 0, "y": 0}, {"id": "s", "x": 9, "y": 0}],
        "vehicles": [{"id": "van", "count": 1, "reloads": ["n", "s"], **van}, {"id": "bike"}],
        "customers": [{"id": name, "x": x, "y": 1} for x, name in enumerate((1, 7, "c"))],
    }
    (instance,) = read_instances(json.dumps(document).encode())
    return instance


def driven(*reloads, customers=(1, 7, "c")):
    schedule = RouteSchedule(vehicle="van", start="n", end="n", reloads=reloads)
    return Solution(
        name="t", status="solved", cost=9, routes=(RouteReport(customers, 1.0, 9, schedule),)
    )


def test_a_reload_is_the_number_of_its_depot():
    found = driven(RouteReload(depot="s", after=1), RouteReload(depot="n", after=2))
    text = solution_to_sol(trips(), found)
    assert text == "Route #1: 2 1 3 0 4\nCost 9\n"
    (read,) = read_solutions(text.encode())
    (route,) = with_own_ids(trips(), read).routes
    assert (route.customers, route.schedule) == ((1, 7, "c"), found.routes[0].schedule)


@pytest.mark.parametrize(
    ("line", "customers", "reloads"),
    [
        ("0 2 1 0 3 1 1", (1, 7), [("n", 1)]),
        ("2 3", (1, 7), []),
        ("0 1", (), []),
        ("2 0 9", (1, "number 9"), [("n", 1)]),
    ],
)
def test_empty_trips_are_left_out(line, customers, reloads):
    (read,) = read_solutions(f"Route #1: {line}\n".encode())
    (route,) = with_own_ids(trips(), read).routes
    assert route.customers == customers
    assert [(each.depot, each.after) for each in route.schedule.reloads] == reloads


def test_a_reload_of_a_vehicle_that_has_none_is_there_for_the_check():
    (read,) = read_solutions(b"Route #1: 2\nRoute #2: 3 0 4\nRoute #3: 3\n")
    first, second, third = (route.schedule for route in with_own_ids(trips(), read).routes)
    assert (first.reloads, third.reloads) == ((), None)
    assert second.reloads == (RouteReload(depot="n", after=1),)


LI_AND_LIM = b"""25 200 1
0 0 0 0 0 100 0 0 0
1 3 4 -10 0 90 0 3 0
2 3 0 20 0 90 0 0 4
3 0 4 10 0 90 0 0 1
4 6 0 -20 0 90 0 2 0
"""
SINTEF = b"""Instance name : lc0
Authors       : Li & Lim
Date          : 2001
Reference     : A Metaheuristic
Solution
Route 1 : 3 1
Route 2 : 2 4
"""


def test_stops_of_shipments_have_the_numbers_of_their_rows():
    (instance,) = read_instances(LI_AND_LIM)
    assert sol_numbers(instance) == (2, 4, 3, 1)
    (read,) = read_solutions(SINTEF)
    own = with_own_ids(instance, read)
    assert own.routes[0].customers == ("3-1:pickup", "3-1:delivery")
    result = check_solution(instance, own)
    assert result.ok
    written = solution_to_sol(instance, replace(own, cost=result.cost))
    assert written == "Route #1: 3 1\nRoute #2: 2 4\nCost 24.0\n"
    (gone,) = read_solutions(b"Route 1 : 3 9 1")
    stops = ("3-1:pickup", 9, "3-1:delivery")
    assert with_own_ids(instance, gone).routes[0].customers == stops


SHIPMENTS = [
    {"id": name, "pickup": {"x": x, "y": 0}, "delivery": {"x": x, "y": 5}, "amount": 1}
    for name, x in (("4-2", 1), ("5-3", 2))
]


@pytest.mark.parametrize(
    ("ids", "reloads", "numbers"),
    [
        (("4-2", "5-3"), False, (4, 2, 5, 3)),
        (("4-2", "5-3"), True, (4, 2, 5, 3)),
        (("4-1", "5-3"), True, (2, 3, 4, 5)),  # depots are 0 and 1
        (("14-12", "15-13"), True, (2, 3, 4, 5)),
        (("4-2", "5-4"), False, (1, 2, 3, 4)),  # two have the number 4
        (("4-2", "b"), False, (1, 2, 3, 4)),
    ],
)
def test_only_names_of_two_numbers_are_numbers(ids, reloads, numbers):
    document = {
        "depots": [{"id": "n", "x": 0, "y": 0}, {"id": "s", "x": 9, "y": 0}],
        "vehicles": [{"id": "van", **({"reloads": ["s"]} if reloads else {})}],
        "shipments": [each | {"id": name} for each, name in zip(SHIPMENTS, ids, strict=True)],
    }
    (instance,) = read_instances(json.dumps(document).encode())
    assert sol_numbers(instance) == numbers
    names = dict(zip(numbers, instance.ids, strict=True))
    (read,) = read_solutions(f"Route 1 : {' '.join(map(str, numbers))}".encode())
    assert with_own_ids(instance, read).routes[0].customers == tuple(names.values())


def test_remarks_of_public_files_are_no_routes():
    (read,) = read_solutions(b"Route #1: 2\nCost: 9\nOptimal: True\nComment: see 1: 2\n")
    assert (read.cost, len(read.routes)) == (9, 1)
    with pytest.raises(InstanceError, match="line 3: cannot parse 'Optimal: maybe', expected"):
        read_solutions(b"Route #1: 2\nCost: 9\nOptimal: maybe\n")
