import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.formats.answers.written import answer_of, document_of
from vrpcore.errors import InstanceError
from vrpcore.formats.answers.solution_json import (
    DOCUMENT_HEAD,
    LINE_SEPARATOR,
    document_tail,
    solution_to_line,
)
from vrpcore.formats.json import fast_reading
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.plan import Goods
from vrpcore.instance.solution import (
    NOT_STATED,
    REASONS,
    RouteBreak,
    RouteReload,
    RouteReport,
    RouteSchedule,
    Solution,
    Unserved,
)

SOLVED = Solution(
    name="monday-north",
    status="solved",
    cost=12.5,
    routes=(RouteReport(("order-17",), 3.0, 12.5),),
)
INVALID = Solution(
    name="bad",
    status="invalid",
    code="OUT_OF_RANGE",
    error="instances[1].capacity: -4 is not a positive number",
)
MODEL = {"name": "m", "sha256": "0", "backend": "onnx", "device": "cpu"}
SUMMARY = {"instances": 2, "solved": 1, "invalid": 1, "infeasible": 0, "cost": 12.5}
RIGHT = json.loads(solution_to_line(SOLVED))

TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)
NUMBERS = st.integers(0, 10**9) | st.floats(0, 1e9)
ROUTES = st.builds(
    RouteReport,
    st.lists(TEXTS | st.integers(-(2**62), 2**62), max_size=3).map(tuple),
    NUMBERS,
    NUMBERS,
)
SOLUTIONS = st.builds(
    Solution,
    name=TEXTS,
    status=st.just("solved"),
    cost=NUMBERS,
    routes=st.lists(ROUTES, max_size=3).map(tuple),
    gap=st.none() | st.floats(-1, 1),
    warnings=st.lists(TEXTS, max_size=2).map(tuple),
) | st.builds(
    Solution,
    name=TEXTS,
    status=st.sampled_from(["invalid", "infeasible", "partial"]),
    code=TEXTS,
    error=TEXTS,
)
IDS = TEXTS | st.integers(-(2**62), 2**62)
SCHEDULES = st.builds(
    RouteSchedule,
    vehicle=st.none() | TEXTS,
    start=st.none() | TEXTS,
    end=st.none() | TEXTS,
    distance=NUMBERS | st.just(NOT_STATED),
    duration=NUMBERS,
    departure=NUMBERS,
    return_=NUMBERS | st.just(NOT_STATED),
    arrivals=st.none() | st.lists(NUMBERS, max_size=3).map(tuple),
    begins=st.lists(NUMBERS, max_size=3).map(tuple),
    breaks=st.none()
    | st.lists(
        st.builds(RouteBreak, id=TEXTS, begin=NUMBERS, after=st.integers(0, 9)), max_size=2
    ).map(tuple),
)
SCHEDULED = st.builds(
    RouteReport,
    st.lists(IDS, max_size=3).map(tuple),
    NUMBERS | st.lists(NUMBERS, max_size=3).map(tuple),
    NUMBERS,
    SCHEDULES,
)
CONSTRAINED = st.builds(
    Solution,
    name=TEXTS,
    status=st.sampled_from(["solved", "infeasible", "partial"]),
    cost=NUMBERS,
    routes=st.lists(SCHEDULED, max_size=3).map(tuple),
    warnings=st.lists(TEXTS, max_size=2).map(tuple),
    unserved=st.lists(st.builds(Unserved, IDS, st.sampled_from(REASONS), TEXTS), max_size=2).map(
        tuple
    ),
)


def document(solutions):
    return document_of(solutions, MODEL, SUMMARY)


def test_the_document_to_the_letter():
    expected = {
        "format": "vrp-solutions/1",
        "model": MODEL,
        "summary": SUMMARY,
        "solutions": [
            {
                "name": "monday-north",
                "status": "solved",
                "cost": 12.5,
                "routes": [{"customers": ["order-17"], "load": 3, "cost": 12.5}],
                "gap": None,
                "warnings": [],
            },
            {
                "name": "bad",
                "status": "invalid",
                "code": "OUT_OF_RANGE",
                "error": "instances[1].capacity: -4 is not a positive number",
            },
        ],
    }
    assert json.loads(document([SOLVED, INVALID])) == expected
    assert json.loads(document([]))["solutions"] == []


def test_routes_with_times_and_who_is_left_out_to_the_letter():
    schedule = RouteSchedule(
        vehicle="van", start="north", end=None, distance=2.5, duration=4.0, departure=1.0,
        return_=5.0, arrivals=(2.0,), begins=(3.0,),
        breaks=(RouteBreak(id="lunch", begin=1.0, after=0),),
    )  # fmt: skip
    route = RouteReport((7,), (3.0, 0.5), 12.5, schedule)
    left = Unserved("s1", "WINDOW", "4 late")
    keys = (
        '"cost": 12.5, "routes": [{"customers": [7], "load": [3, 0.5], "cost": 12.5, '
        '"vehicle": "van", "start": "north", "end": null, "distance": 2.5, "duration": 4, '
        '"departure": 1, "return": 5, "arrivals": [2], "begins": [3], '
        '"breaks": [{"id": "lunch", "begin": 1, "after": 0}]}]'
    )
    unserved = '"unserved": [{"id": "s1", "reason": "WINDOW", "detail": "4 late"}]'
    solved = Solution(name="a", status="solved", cost=12.5, routes=(route,), unserved=(left,))
    assert solution_to_line(solved) == (
        f'{{"name": "a", "status": "solved", {keys}, "gap": null, "warnings": [], {unserved}}}'
    )
    told = dataclasses.replace(solved, status="partial", code="X", error="y", warnings=("W",))
    assert solution_to_line(told) == (
        f'{{"name": "a", "status": "partial", "code": "X", "error": "y", {keys}, '
        f'"warnings": ["W"], {unserved}}}'
    )
    for solution in (solved, told):
        assert read_solutions(solution_to_line(solution).encode()) == [solution]


def test_the_short_form_names_no_vehicle():
    schedule = RouteSchedule(vehicle=None, start="0", end="0", distance=2.0)
    answer = Solution(
        name="a", status="solved", cost=2, routes=(RouteReport((1,), 1, 2, schedule),)
    )
    route = json.loads(solution_to_line(answer))["routes"][0]
    assert list(route) == ["customers", "load", "cost", "start", "end", "distance"]
    assert json.loads(solution_to_line(answer))["unserved"] == []


def test_whole_loads_and_costs_stay_whole():
    whole = Solution(name="w", status="solved", cost=784, routes=(RouteReport((1,), 3.0, 784),))
    assert '"cost": 784, "routes": [{"customers": [1], "load": 3, "cost": 784}]' in (
        solution_to_line(whole)
    )
    (found,) = read_solutions(solution_to_line(whole).encode())
    assert isinstance(found.cost, int)


def test_names_are_escaped():
    odd = Solution(name='\x1b[31m"\n\u202e\x9b', status="solved", cost=0.0)
    line = solution_to_line(odd)
    assert line.isascii()
    assert line.isprintable()
    assert read_solutions(line.encode())[0].name == odd.name


@given(st.lists(SOLUTIONS | CONSTRAINED, max_size=4), st.booleans())
def test_reading_gives_back_what_was_written(solutions, as_lines):
    if as_lines and solutions:
        text = "".join(solution_to_line(solution) + "\n" for solution in solutions)
    else:
        text = document(solutions)
    assert read_solutions(text.encode()) == solutions


WRONG = [
    ({"name": None}, "MISSING", "s.name: missing"),
    ({"name": 5}, "WRONG_TYPE", "s.name: 5, expected text"),
    ({"status": "done"}, "UNKNOWN", "s.status: 'done', expected one of infeasible, inval"),
    ({"cost": "1"}, "WRONG_TYPE", "s.cost: '1', expected a number"),
    ({"cost": float("nan")}, "OUT_OF_RANGE", "s.cost: nan is not a finite number"),
    ({"cost": float("inf")}, "OUT_OF_RANGE", "s.cost: inf is not a finite number"),
    ({"cost": True}, "WRONG_TYPE", "s.cost: true, expected a number"),
    ({"cost": 10**400}, "OUT_OF_RANGE", "s.cost: an integer of about 400 digits"),
    ({"gap": "0"}, "WRONG_TYPE", "s.gap: '0', expected a number"),
    ({"warnings": "x"}, "WRONG_TYPE", "s.warnings: 'x', expected a list of codes"),
    ({"warnings": [1]}, "WRONG_TYPE", "s.warnings[0]: 1, expected text"),
    ({"routes": {}}, "WRONG_TYPE", "s.routes: an object, expected a list of routes"),
    ({"routes": [[1]]}, "WRONG_TYPE", "s.routes[0]: a list of 1, expected an object"),
    ({"routes": [{"customers": [1]}]}, "MISSING", "s.routes[0].load: missing"),
    ({"routes": [{"customers": [None]}]}, "WRONG_TYPE", "s.routes[0].customers[0]: null, expec"),
    (
        {"routes": [{"customers": [], "load": [None], "cost": 1}]},
        "WRONG_TYPE",
        "s.routes[0].load[0]",
    ),
    (
        {"routes": [{"customers": [], "load": 1, "cost": 1, "vehicle": "v"}]},
        "MISSING",
        "s.routes[0].start: missing",
    ),
    ({"unserved": [{"id": 1}]}, "MISSING", "s.unserved[0].reason: missing"),
    ({"unserved": [{"id": 1, "reason": "x"}]}, "UNKNOWN", "s.unserved[0].reason: 'x', exp"),
    ({"routes": [{"stops": []}]}, "UNKNOWN", "s.routes[0]: unknown key 'stops'"),
    ({"rotues": []}, "UNKNOWN", "s: unknown key 'rotues'; did you mean 'routes'?"),
    ({"status": "invalid", "code": 5}, "WRONG_TYPE", "s.code: 5, expected text"),
]


@pytest.mark.parametrize("cost", [1.5e104, 1e-200, 2**63 - 1, 2**63, 10**104])
def test_a_cost_may_be_larger_and_smaller_than_numbers_of_instances(cost):
    line = solution_to_line(dataclasses.replace(SOLVED, cost=cost)).encode()
    (found,) = read_solutions(line)
    assert found == answer_of(json.loads(line), "s")
    assert found.cost == (cost if cost < 2**63 else float(cost))


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_nothing_that_is_not_json_is_written(number):
    route = SOLVED.routes[0]
    late = dataclasses.replace(SECOND_TRIP, late=(number,))
    changed = ({"cost": number}, {"gap": number}, {"balance": number})
    routes = (
        dataclasses.replace(route, load=(1.0, number)),
        dataclasses.replace(route, schedule=late),
    )
    for changes in (*changed, *({"routes": (each,)} for each in routes)):
        with pytest.raises(ValueError, match=f"{number} is not JSON"):
            solution_to_line(dataclasses.replace(SOLVED, **changes))


@pytest.mark.parametrize("name", ["monday", "instance-100", "s1:pickup", "a: null", "1e-9"])
def test_what_is_right_is_read_at_once(monkeypatch, name):
    monkeypatch.setattr(fast_reading, "read_as", None)
    solution = dataclasses.replace(SOLVED, name=name)
    assert read_solutions(document([solution, INVALID]).encode()) == [solution, INVALID]


def test_a_key_given_twice():
    text = solution_to_line(SOLVED).replace('"gap"', '"cost": 1, "gap"').encode()
    with pytest.raises(InstanceError, match=r"solutions\[0\]: duplicate key 'cost'"):
        read_solutions(text)


@pytest.mark.parametrize(("changes", "code", "message"), WRONG)
def test_each_error_of_a_solution_by_its_message(changes, code, message):
    with pytest.raises(InstanceError) as caught:
        answer_of({**RIGHT, **changes}, "s")
    assert str(caught.value).startswith(message)
    assert caught.value.code == code


@pytest.mark.parametrize("key", ["name", "status", "cost", "routes"])
def test_keys_that_must_be_there(key):
    with pytest.raises(InstanceError, match=f"s.{key}: missing"):
        answer_of({name: value for name, value in RIGHT.items() if name != key}, "s")


def test_an_id_must_be_one():
    route = {"customers": ["a", 1.0], "load": 1, "cost": 1}
    with pytest.raises(InstanceError, match=r"s.routes\[0\].customers\[1\]: 1.0, expected an id"):
        answer_of({**RIGHT, "routes": [route]}, "s")


def test_a_document_is_written_as_solutions_come():
    for solutions in ([], [SOLVED], [SOLVED, INVALID]):
        lines = LINE_SEPARATOR.join(solution_to_line(solution) for solution in solutions)
        text = DOCUMENT_HEAD + lines + document_tail(MODEL, SUMMARY)
        assert text == document(solutions)
        assert list(json.loads(text)) == ["format", "solutions", "model", "summary"]
        assert read_solutions(text.encode()) == solutions
    assert DOCUMENT_HEAD.count("\n") == 2
    assert document_tail(None, SUMMARY).startswith('],\n "model": null,\n "summary": {')


SECOND_TRIP = RouteSchedule(
    vehicle="van",
    start="0",
    end="0",
    breaks=(RouteBreak(id="lunch", begin=14.5, after=1, at_reload=True),),
    reloads=(RouteReload(depot="0", after=1, arrival=12.0, begin=13.0, return_load=(2.0, 0.5)),),
    late=(0.0, 1.5),
    late_return=0.0,
    overtime=2.0,
    amounts=((4.0, 1.0), (0.0, 0.0)),
    loaded=(Goods("a", (4.0, 1.0)), Goods("gone", (0.5, 0.0))),
    is_lost=True,
    frozen=1,
)


def test_the_working_day_behind_all_other_keys():
    route = RouteReport(("a", "b"), (4.0, 1.0), 7.0, SECOND_TRIP)
    solved = dataclasses.replace(
        SOLVED, routes=(route,), balance=3.5, kept=4, moved=0, freeze=5.0, goods="any"
    )
    found = json.loads(solution_to_line(solved))
    assert list(found)[-5:] == ["balance", "kept", "moved", "freeze", "goods"]
    assert (found["freeze"], found["goods"]) == (5, "any")
    assert (found["balance"], found["kept"], found["moved"]) == (3.5, 4, 0)
    (own,) = found["routes"]
    assert list(own)[-5:] == ["overtime", "amounts", "loaded", "lost", "frozen"]
    assert (own["amounts"], own["lost"]) == ([[4, 1], [0, 0]], True)
    assert own["loaded"][1] == {"id": "gone", "amount": [0.5, 0]}
    assert own["breaks"] == [{"id": "lunch", "begin": 14.5, "after": 1, "at": "reload"}]
    reload = {"depot": "0", "after": 1, "arrival": 12, "begin": 13, "return_load": [2, 0.5]}
    assert own["reloads"] == [reload]
    assert [own[key] for key in ("late", "late_return", "overtime")] == [[0, 1.5], 0, 2]
    assert own["frozen"] == 1
    assert answer_of(found, "x") == solved


def test_the_working_day_of_an_answer_that_is_partial():
    partial = Solution(
        name="p", status="partial", cost=2.0, unserved=(Unserved("a", "RELATION"),), balance=1.0
    )
    found = json.loads(solution_to_line(partial))
    assert list(found)[-2:] == ["unserved", "balance"]
    assert answer_of(found, "x").balance == 1.0


def test_a_reload_states_what_it_knows():
    known = {"depot": 0, "after": 2}
    schedule = {"start": "0", "end": "0", "reloads": [known], "breaks": [{"id": 1, "after": 2}]}
    route = {"customers": [1, 2, 3], "load": 3, "cost": 4, **schedule}
    found = answer_of({**RIGHT, "routes": [route]}, "x")
    (own,) = found.routes
    assert own.schedule.reloads == (RouteReload(depot="0", after=2),)
    assert not own.schedule.breaks[0].at_reload
    (written,) = json.loads(solution_to_line(found))["routes"]
    assert written["reloads"] == [{"depot": "0", "after": 2}]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"reloads": [{"after": 1}]}, r"reloads\[0\].depot: missing"),
        ({"reloads": [{"depot": "0", "after": 0}]}, r"reloads\[0\].after: 0, expected at least 1"),
        ({"reloads": {}}, "reloads: .*expected a list of reloads"),
        ({"late": [None]}, r"late\[0\]: null, expected a number"),
        ({"overtime": "x"}, "overtime: 'x', expected a number"),
        ({"frozen": -1}, "frozen: -1, expected at least 0"),
        ({"amounts": [-1]}, r"amounts\[0\]: -1 is negative"),
        ({"loaded": [{"id": 1}]}, r"loaded\[0\].amount: missing"),
        ({"lost": "yes"}, "lost: 'yes', expected true or false"),
        ({"breaks": [{"id": 1, "after": 1, "at": "sea"}]}, "at: 'sea', expected one of reload"),
    ],
)
def test_errors_of_the_working_day(keys, message):
    route = {"customers": [1, 2], "load": 3, "cost": 4, "start": "0", "end": "0", **keys}
    with pytest.raises(InstanceError, match=message):
        answer_of({**RIGHT, "routes": [route]}, "x")
