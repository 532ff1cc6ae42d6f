"""What the page makes of constraints that a model knows, beside Python: inputs, times, refusals."""

import json
import random

import numpy as np
import pytest

from tests.vrpcore.documents import detailed_document, mixed_document
from tests.vrpcore.serve.page.cases import covered_document
from tests.vrpcore.serve.page.chromium import Page
from tests.vrpcore.variants import NAMES, drawn
from vrpcore.api import read_instances
from vrpcore.arrays.batch import make_batch, policy_nodes
from vrpcore.arrays.coverage import why_not_covered
from vrpcore.cost.check import check_solution
from vrpcore.cost.timeline import Route, Timeline
from vrpcore.formats.keys import CUSTOMER, DEPOT, INSTANCE, VEHICLE
from vrpcore.formats.solutionio import NOT_STATED, build_solution
from vrpcore.formats.write_constraints import constrained_to_dict
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Route as StatedRoute
from vrpcore.instance.solution import RouteSchedule, Solution
from vrpcore.solve.construct_variants import _starts
from vrpcore.solve.options import SolveOptions

_READ = """
const { readInstances } = await import('/page/instances.js');
const { planOf } = await import('/page/coverage.js');
const plans = readInstances(JSON.stringify(values[0])).items.map(planOf);
"""
_COVERED = 80


def read(documents: list[dict[str, object]]) -> list[Instance]:
    """All of them, which are valid."""
    found = list(read_instances(documents))
    assert all(isinstance(item, Instance) for item in found), found
    return [item for item in found if isinstance(item, Instance)]


def test_all_keys_are_known(page: Page) -> None:
    known = page.module("return (await import('/page/rules.js')).KEYS;")
    pairs = {"instance": INSTANCE, "depot": DEPOT, "vehicle": VEHICLE, "customer": CUSTOMER}
    assert {name: set(keys) for name, keys in known.items()} == {
        name: set(keys) for name, keys in pairs.items()
    }


_PLACE = {"x": 0, "y": 0}
# What is added to an instance, its first vehicle type and its first customer.
_UNCOVERED: list[tuple[dict[str, object], dict[str, object], dict[str, object]]] = [
    *(({}, {}, customer) for customer in (
        {"skills": ["a"]}, {"prize": 3}, {"release": 3}, {"windows": [[0, 1], [2, None]]},
        {"demand": 99}, {"pickup": 99}, {"setup": 1}, {"setup": 0}, {"priority": 3, "place": 1},
        {"setup_by_vehicle": {"0": 2}}, {"service_by_vehicle": {"0": 2}},
        {"service_by_vehicle": {"0": 2}, "service": 2},
    )),
    *(({}, vehicle, {}) for vehicle in (
        {"max_customers": 3}, {"max_travel_time": 3}, {"max_distance": 3, "max_duration": 3},
        {"duration_cost": 1}, {"travel_cost": 1}, {"service_cost": 1}, {"breaks": [{}]},
        {"breaks": []}, {"start": None}, {"end": "b"}, {"capacity": None},
    )),
    *((instance, {}, {}) for instance in (
        {"vehicles": [{}, {}]}, {"vehicles": [{}, {"speed": 2}]}, {"costs": [[1] * 4] * 4},
        {"vehicles": [{"start": "a", "end": None}, {"start": "b"}]},
        {"matrices": {"car": {"distances": [[1] * 4] * 4}}}, {"distances": [[1] * 4] * 4},
        {"shipments": [{"id": "s", "pickup": _PLACE, "delivery": _PLACE}]},
        {"depots": [[n, 0] for n in range(17)], "vehicles": [{"start": f"{n}"} for n in range(17)]},
    )),
    ({}, {"max_duration": 3}, {"window": [0, None]}),
    ({}, {"max_duration": 3}, {"window": [None, None]}),
    ({}, {"capacity": 0}, {"demand": 0}),
    ({}, {"capacity": [1, 2]}, {"demand": None}),
]  # fmt: skip


def test_what_is_not_covered_is_named_as_in_python(page: Page) -> None:
    documents = [mixed_document(seed, 1 + seed % 6) for seed in range(100)]
    documents += [detailed_document(seed, 1 + seed % 6) for seed in range(100)]
    documents += [covered_document(seed) for seed in range(20)]
    for instance, vehicle, customer in _UNCOVERED:
        customers: list[dict[str, object]] = [
            {"x": 1, "y": 2, "demand": 1} | customer,
            {"x": 3, "y": 4},
        ]
        depots = [{"id": "a", "x": 0, "y": 0}, {"id": "b", "x": 1, "y": 1}]
        base = {"depots": depots, "vehicles": [{"capacity": 9} | vehicle], "customers": customers}
        documents.append(base | instance)
    found = page.module(
        f"{_READ} return plans.map(({{ model, solution }}) => solution ? solution.error : model);",
        documents,
    )
    words = [why_not_covered(instance) for instance in read(documents)]
    refusals = [
        f"the model here does not cover this: {each}. Use Solve." if each else "variants"
        for each in words
    ]
    assert found == refusals
    assert len(set(words)) == 26  # all reasons, and none


def test_other_formats_are_not_solved_here(page: Page) -> None:
    found = page.module(
        "const { planOf } = await import('/page/coverage.js');"
        "const problem = { name: 'x', ids: [1], coords: null, constrained: true };"
        "return planOf({ name: 'x', problem, code: '', error: '' }).solution;"
    )
    assert found["code"] == "NOT_SOLVED_HERE"
    assert found["error"].endswith("formats other than vrp-instances/1. Use Solve.")


def test_inputs_are_those_of_python(page: Page) -> None:
    documents = [constrained_to_dict(drawn(name, 1, 7)[0]) for name in NAMES]
    documents += [covered_document(seed) for seed in range(_COVERED)]
    found = page.module(
        f"{_READ} const {{ ruleInputs }} = await import('/page/rule_inputs.js');"
        "return plans.map(({ problem, rules }) => Object.entries(ruleInputs(problem, rules))"
        ".map(([name, value]) => [name, typeof value === 'object' ? Array.from(value) : value]));",
        documents,
    )
    for document, instance, pairs in zip(documents, read(documents), found, strict=True):
        here = {name: np.array(value) for name, value in pairs}
        batch = make_batch([instance], len(policy_nodes(instance)))
        there = {name: array[0] for name, array in batch._asdict().items()}
        there["coords"] = there.pop("coords_unit").ravel()
        there["starts"] = _starts(batch, SolveOptions(improve="none"))[0]
        assert there.pop("valid").all() and here.keys() == there.keys()
        # On a sphere, cosines may differ in their last digit.
        near = 2e-6 if instance.metric == "haversine" else 0.0
        for name, array in there.items():
            own = here[name].astype(array.dtype)
            assert np.allclose(own, array, rtol=near, atol=near), (name, json.dumps(document))


def test_plans_are_costed_and_refused_as_in_python(page: Page) -> None:
    documents = [covered_document(seed) for seed in range(_COVERED)]
    instances = read(documents)
    plans = [_random_routes(instance, seed) for seed, instance in enumerate(instances)]
    found = page.module(
        f"{_READ} const {{ bestPlan }} = await import('/page/rule_answer.js');"
        "return plans.map(({ problem, rules }, index) => values[1][index].map((tour) =>"
        "bestPlan(problem, rules, BigInt64Array.from(tour, BigInt), 1)));",
        documents,
        [
            [_tour(instance, routes) for routes in own]
            for instance, own in zip(instances, plans, strict=True)
        ],
    )
    good = 0
    for instance, own, answers in zip(instances, plans, found, strict=True):
        times = Timeline(instance)
        for routes, answer in zip(own, answers, strict=True):
            schedules = [times.schedule(route) for route in routes]
            feasible = _keeps_limits(instance, routes, schedules)
            assert (answer["status"] == "solved") == feasible, (answer, instance.name)
            if feasible:
                good += 1
                assert check_solution(instance, build_solution(answer, "answer")).ok
                cost = sum(schedule.cost for schedule in schedules if schedule is not None)
                assert answer["cost"] == pytest.approx(cost, rel=1e-12)
            else:
                assert answer["code"] in ("NOT_SOLVED_HERE", "TOO_MANY_ROUTES")
    assert 50 < good < 0.8 * 8 * _COVERED


def _random_routes(instance: Instance, seed: int) -> list[list[Route]]:
    """Some partitions of all stops; few of them long."""
    draw, size = random.Random(seed), instance.num_customers
    found = []
    for most in (1, 1, 2, 2, 2, 3, 3, size):
        stops = draw.sample(range(1, size + 1), size)
        routes = []
        while stops:
            count = draw.randint(1, most)
            vehicle = draw.randrange(len(instance.rules.vehicles))
            routes.append(Route(vehicle, tuple(stops[:count])))
            stops = stops[count:]
        found.append(routes)
    return found


def _tour(instance: Instance, routes: list[Route]) -> list[int]:
    depots = len(instance.rules.vehicles)
    nodes = [[route.vehicle, *(stop - 1 + depots for stop in route.stops)] for route in routes]
    return [node for part in nodes for node in part] + [0, 0]


def _keeps_limits(instance: Instance, routes: list[Route], schedules: list[object]) -> bool:
    """By the referee, of an answer that states nothing but routes."""
    if None in schedules:
        return False
    rules = instance.rules
    stated = []
    for route in routes:
        vehicle = rules.vehicles[route.vehicle]
        ends = [
            None if end is None else rules.depots[end].id for end in (vehicle.start, vehicle.end)
        ]
        schedule = RouteSchedule(vehicle=vehicle.id, start=ends[0], end=ends[1])
        customers = tuple(instance.ids[stop - 1] for stop in route.stops)
        stated.append(StatedRoute(customers, NOT_STATED, NOT_STATED, schedule))
    solution = Solution(name=instance.name, status="solved", routes=tuple(stated))
    return check_solution(instance, solution).ok
