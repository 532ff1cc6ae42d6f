"""Best answers of a working day, known by hand: what the oracle and a solve say of them."""

import json

import pytest

from tests.build import parts
from tests.vrpcore.added_days import working_document
from tests.vrpcore.hand_days import DAYS
from tests.vrpcore.hand_ties import TIES
from tests.vrpcore.oracle import Verdict, best_answer, compare
from tests.vrpcore.oracle_routes import route_cost
from tests.vrpcore.plain_problem import PlainProblem
from tests.vrpcore.small_days import small_day
from vrpcore.api import read_instances
from vrpcore.formats.answers.solution_json import solution_to_dict
from vrpcore.referee.referee import check_solution

CASES = [*DAYS, *TIES]
BEST = Verdict(gap=0.0, faults=())
LIMITS = ("CAPACITY", "NO_ROAD", "WINDOW", "DURATION", "DISTANCE")
named = pytest.mark.parametrize(
    ("document", "facts"), [pytest.param(*case, id=name) for name, *case in CASES]
)


def test_each_has_its_name():
    assert len({name for name, *_ in CASES}) == len(CASES) > 90


def agrees(found, stated):
    """Whether a value is what is stated; of objects, the keys that are stated."""
    if isinstance(stated, dict):
        return all(key in found and agrees(found[key], item) for key, item in stated.items())
    if isinstance(stated, list):
        pairs = zip(found, stated, strict=False)
        return len(found) == len(stated) and all(agrees(*pair) for pair in pairs)
    return found == (stated if isinstance(stated, str) else pytest.approx(stated, abs=1e-6))


def route_of(document, stated):
    """The oracle's view of a route, as an answer has it."""
    problem = PlainProblem(document)
    vehicle = stated.get("vehicle", problem.type_ids[0])
    reloads = [(each["depot"], each["after"]) for each in stated.get("reloads", ())]
    index = problem.type_ids.index(vehicle)
    found = route_cost(document, index, stated["customers"], reloads)
    assert found
    times, load = found.times, list(found.load)
    back = times.departure + times.duration
    loaded = zip(reloads, found.loaded, found.returned, strict=True)
    return {
        "vehicle": vehicle,
        "customers": stated["customers"],
        "cost": found.cost,
        "departure": times.departure,
        "duration": times.duration,
        "return": back,
        "begins": list(found.begins),
        "late": list(found.late),
        "late_return": times.late_return,
        "overtime": times.overtime,
        "load": load if len(load) > 1 else load[0],
        "reloads": [
            {"depot": depot, "after": after, "begin": begin, "return_load": returned[0]}
            for (depot, after), begin, returned in loaded
        ],
    }


@named
def test_oracle(document, facts):
    problem = PlainProblem(document)
    left_out = [each for each in problem.wanted() if each.name in facts.unserved]
    required = [each.priority for each in left_out if each.prize is None]
    assert len(left_out) == len(facts.unserved)
    best = best_answer(document)
    assert best.missing == (sum(required), len(required))
    assert best.cost == pytest.approx(facts.cost)
    unserved = [
        {"id": name, "reason": reason or "WINDOW"} for name, reason in facts.unserved.items()
    ]
    status = "partial" if required else "solved"
    answer = {"cost": facts.cost, "status": status, "unserved": unserved}
    assert compare(document, answer) == BEST


@named
def test_routes_of_the_oracle(document, facts):
    for stated in facts.routes:
        if "reloads" in stated or not PlainProblem(document).vehicles[0].get("reloads"):
            own = {key: item for key, item in stated.items() if key != "breaks"}
            own["reloads"] = [
                {key: item for key, item in each.items() if key != "arrival"}
                for each in stated.get("reloads", ())
            ]
            assert agrees(route_of(document, stated), own)


def test_a_route_that_cannot_be():
    (document,) = [document for name, document, _ in CASES if name == "no reload"]
    assert route_cost(document, 0, ["a", "b"]) is None
    assert route_cost(document, 0, ["a", "b"], [("hub", 1)]) is None
    assert route_cost(document, 0, ["b"]).cost == 8


@named
def test_solve(solver, document, facts):
    (instance,) = read_instances(json.dumps([document]).encode())
    (solution,) = solver.solve([instance], improve="fast", workers=1)
    answer = solution_to_dict(solution)
    assert check_solution(instance, solution).problems == ()
    assert answer["cost"] == pytest.approx(facts.cost)
    assert answer.get("balance") == pytest.approx(facts.balance)
    routes = {tuple(route["customers"]): route for route in answer["routes"]}
    for stated in facts.routes:
        assert agrees(routes[tuple(stated["customers"])], stated)
    reasons = {item["id"]: item["reason"] for item in answer.get("unserved", ())}
    assert reasons.keys() == facts.unserved.keys()
    for name, reason in facts.unserved.items():
        assert reasons[name] in (LIMITS if reason is None else (reason,))


@pytest.mark.parametrize("part", parts(4))
def test_small_days_get_the_best_answer(solver, part):
    # Where uneven work has a price, an answer may be another.
    drawn = map(small_day, range(25 * part, 25 * part + 25))
    documents = [each for each in drawn if "balance" not in each]
    instances = read_instances(json.dumps(documents).encode())
    solutions = solver.solve(instances, improve="fast", workers=1)
    for instance, solution in zip(instances, solutions, strict=True):
        assert check_solution(instance, solution).problems == ()
    pairs = zip(documents, solutions, strict=True)
    verdicts = [compare(document, solution_to_dict(solution)) for document, solution in pairs]
    assert verdicts == [BEST] * len(documents)
    assert len(documents) > 12


def test_larger_days_are_answered_rightly(solver):
    documents = [working_document(seed, 8 + seed) for seed in range(6)]
    instances = read_instances(json.dumps(documents).encode())
    solutions = solver.solve(instances, improve="fast", workers=1)
    for instance, solution in zip(instances, solutions, strict=True):
        assert check_solution(instance, solution).problems == ()
