"""Split deliveries: the best answers of small instances, known by hand or among all divisions."""

import json
import random

import pytest

from tests.build import constrained, on_a_line, parts
from tests.vrpcore.oracle_splits import best_split
from tests.vrpcore.split_days import split_document
from vrpcore.api import read_instances
from vrpcore.formats.answers.solution_json import solution_to_dict, solution_to_line
from vrpcore.formats.solutions import read_solutions
from vrpcore.referee.referee import check_solution
from vrpcore.search import split_search
from vrpcore.search.effort import Effort
from vrpcore.search.split_search import search_split

THREE = {"capacity": 3, "split": True, "customers": on_a_line(5, 5, 5, demand=[2, 2, 2])}


def answer(solver, document, **options):
    """The answer to an instance, which passes its check, and is the same read again."""
    (instance,) = read_instances(json.dumps(document).encode())
    (found,) = solver.solve([instance], workers=1, **{"improve": "fast"} | options)
    assert check_solution(instance, found).problems == ()
    (again,) = read_solutions(solution_to_line(found).encode())
    assert check_solution(instance, again).problems == ()
    return solution_to_dict(found)


def test_two_full_vehicles_serve_what_three_would(solver):
    document = {**THREE, "depot": [0, 0]}
    found = answer(solver, document)
    assert found["cost"] == 20  # 3 * 10 without splits (Archetti, Savelsbergh and Speranza 2006)
    assert [route["load"] for route in found["routes"]] == [3, 3]
    for route in found["routes"]:
        assert len(route["amounts"]) == len(route["customers"])
    assert answer(solver, {**document, "split": False})["cost"] == 30


@pytest.mark.parametrize("improve", ["none", "fast"])
def test_more_than_a_vehicle_holds(solver, improve):
    document = {"depot": [0, 0], "capacity": 4, "customers": [{"x": 3, "y": 4, "demand": 10}]}
    document["customers"][0]["split"] = True
    found = answer(solver, document, improve=improve)
    assert (found["cost"], len(found["routes"])) == (30, 3)
    few = answer(solver, {**document, "max_vehicles": 2}, improve=improve)
    assert (few["status"], few["code"]) == ("infeasible", "TOO_FEW_VEHICLES")
    assert few["unserved"][0]["reason"] == "FLEET"


def test_beyond_so_many_pieces_there_are_only_whole_vehicles(solver, monkeypatch):
    monkeypatch.setattr(split_search, "MOST_PIECES", 2)
    customers = on_a_line(5, 5, 5, demand=[9, 9, 9])
    document = {"depot": [0, 0], "capacity": 4, "customers": customers, "split": True}
    found = answer(solver, document)
    assert (found["status"], found["cost"] >= 70) == ("solved", True)


def test_one_vehicle_comes_again_and_steps_are_kept(solver):
    document = {"depots": [{"id": "d", "x": 0, "y": 0}], "customers": on_a_line(5, demand=[12])}
    document["vehicles"] = [{"id": "van", "capacity": 5, "count": 1, "reloads": ["d"]}]
    (route,) = answer(solver, {**document, "split": True})["routes"]
    assert (route["customers"], sum(route["amounts"]), route["cost"]) == ([1, 1, 1], 12, 30)
    (route,) = answer(solver, {**document, "split": True, "split_step": 4})["routes"]
    assert route["amounts"] == [4, 4, 4]


def test_service_is_once_a_visit_and_windows_hold_for_each(solver):
    customers = [{"x": 5, "y": 0, "demand": 6, "service": 7, "window": [5, 5], "split": True}]
    document = {"depot": [0, 0], "capacity": 4, "customers": customers}
    found = answer(solver, document)
    assert [route["begins"] for route in found["routes"]] == [[5], [5]]
    assert [route["duration"] for route in found["routes"]] == [17, 17]


def test_all_of_a_customer_is_served_or_none(solver):
    customers = on_a_line(5, 6, demand=[6, 3], prize=[9, 30], split=[True, True])
    document = {"depot": [0, 0], "capacity": 3, "customers": customers}
    found = answer(solver, document)
    assert (found["cost"], [item["id"] for item in found["unserved"]]) == (12 + 9, [1])
    customers[0]["prize"] = 21
    assert answer(solver, document)["cost"] == 12 + 20


def test_known_routes_stay_where_nothing_is_better(solver):
    (instance,) = read_instances(json.dumps({**THREE, "depot": [0, 0]}).encode())
    (best,) = solver.solve([instance], workers=1)
    (found,) = solver.solve([instance], warm_starts=[best], improve="none", workers=1)
    assert found.cost == best.cost == 20
    assert "WARM_START_REPAIRED" not in found.warnings
    names = {route.customers for route in best.routes}
    assert {route.customers for route in found.routes} == names
    known = {**THREE, "depot": [0, 0], "routes": [[1, 2], [2, 3]]}
    assert answer(solver, known, improve="none")["cost"] == 20


def test_fewest_vehicles(solver):
    customers = on_a_line(5, -5, 4, demand=[2, 2, 2], split=[True] * 3)
    document = {"depot": [0, 0], "capacity": 3, "customers": customers}
    assert len(answer(solver, document, fewest_vehicles=True)["routes"]) == 2


def test_equal_seeds_give_equal_plans():
    rng = random.Random(1)
    places = [rng.randint(1, 50) for _ in range(14)]
    instance = constrained(
        capacity=10,
        split=True,
        customers=on_a_line(*places, demand=[rng.randint(3, 9) for _ in places]),
    )
    effort = Effort(iterations=2000)
    first, second = (search_split(instance, [], effort, 3) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("part", parts(5))
def test_small_instances_get_the_best_answer(solver, part):
    for seed in range(30 * part, 30 * part + 30):
        document = split_document(seed)
        best, found = best_split(document), answer(solver, document)
        unserved = {str(item["id"]) for item in found["unserved"]}
        required = [
            row.get("priority", 0)
            for number, row in enumerate(document["customers"], start=1)
            if str(row.get("id", number)) in unserved and row.get("prize") is None
        ]
        assert (sum(required), len(required)) == best.missing, seed
        assert found["cost"] == pytest.approx(best.cost), seed
