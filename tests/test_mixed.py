"""Small random instances with all constraints, against a search of all answers."""

import itertools
import json
import random
import time

import pytest

from tests.build import parts
from tests.vrpcore.added_days import working_document
from tests.vrpcore.documents import (
    detailed_document,
    mixed_document,
    plain_document,
    without_roads,
)
from tests.vrpcore.extremes import breaks_at_once, scaled
from tests.vrpcore.loading_days import lifo_document
from tests.vrpcore.oracle import Verdict, best_answer, compare
from tests.vrpcore.random_lists import outcome
from tests.vrpcore.ride_days import ride_document
from tests.vrpcore.subsets import (
    ATTRIBUTE_OF,
    NEEDED,
    OF_DAYS,
    attributes_of,
    keep,
    keep_first_vehicle,
    late_document,
    subset_document,
)
from tests.vrpcore.written import sheet_document, text_document
from vrpcore.api import read_instances
from vrpcore.formats.answers.solution_json import solution_to_dict, solution_to_line
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.solutions import read_solutions
from vrpcore.modelling.model_solution import ModelSolution
from vrpcore.referee.referee import check_solution

BEST = Verdict(gap=0.0, faults=())
# Of each kind; `python -m tests.bench.mixed_instances` draws thousands.
SEEDS = pytest.mark.parametrize(
    "seeds",
    [range(10), pytest.param(range(10, 100), marks=pytest.mark.slow)],
    ids=["some", "more"],
)


def solved(solver, documents, **options):
    instances = read_instances(json.dumps(documents).encode())
    assert [getattr(each, "error", None) for each in instances] == [None] * len(documents)
    return instances, solver.solve(instances, improve="fast", workers=1, **options)


def judged(documents, solutions):
    """The oracle's verdicts on the answers to small documents."""
    pairs = zip(documents, solutions, strict=True)
    return [compare(document, solution_to_dict(solution)) for document, solution in pairs]


@SEEDS
@pytest.mark.parametrize(
    ("draw", "sizes"),
    [
        (mixed_document, 6),
        (detailed_document, 5),
        (subset_document, 6),
        (late_document, 5),
        (ride_document, 5),
        (lifo_document, 6),
    ],
)
def test_small_instances_get_the_best_answer(solver, draw, sizes, seeds):
    documents = [draw(seed, 1 + seed % sizes) for seed in seeds]
    _, solutions = solved(solver, documents)
    assert judged(documents, solutions) == [BEST] * len(documents)


@SEEDS
@pytest.mark.parametrize("draw", [mixed_document, detailed_document])
def test_small_instances_get_the_fewest_vehicles(solver, draw, seeds):
    # A vehicle that costs more than anything else comes first in the cost, too.
    documents = [draw(seed, 1 + seed % 5) for seed in seeds]
    documents = [each for each in documents if each.get("vehicles")]
    _, solutions = solved(solver, documents, fewest_vehicles=True)
    for document, solution in zip(documents, solutions, strict=True):
        more = 1e8 if document.get("metric") == "haversine" else 1e4
        dear = [
            vehicle | {"fixed_cost": more + (vehicle.get("fixed_cost") or 0)}
            for vehicle in document["vehicles"]
        ]
        cost = solution.cost + more * len(solution.routes)
        answer = solution_to_dict(solution) | {"cost": cost}
        assert compare(document | {"vehicles": dear}, answer) == BEST


def documents_with(attribute, count, size):
    """The first random documents that have an attribute, with one vehicle type."""
    draw = late_document if attribute == "latest_start" else detailed_document
    draw = ride_document if attribute in ("rides", "waits") else draw
    draw = working_document if attribute in OF_DAYS else draw
    drawn = (keep_first_vehicle(draw(seed, size)) for seed in itertools.count())
    return list(itertools.islice((e for e in drawn if attribute in attributes_of(e)), count))


@pytest.mark.parametrize("count", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("attribute", sorted(set(ATTRIBUTE_OF.values())))
def test_each_attribute_alone_and_all_others_without_it(solver, attribute, count):
    """What the search does for instances that use something, and what it spares the others."""
    drawn = documents_with(attribute, 3 * count, 4)
    needed = {attribute, NEEDED.get(attribute, attribute)}
    alone = [keep(each, needed) for each in drawn[count:]]
    others = [keep(each, attributes_of(each) - {attribute}) for each in drawn[:count]]
    documents = alone + others
    _, solutions = solved(solver, documents)
    assert judged(documents, solutions) == [BEST] * len(documents)


@SEEDS
@pytest.mark.parametrize("rides", [False, True])
def test_small_spreadsheets_get_the_best_answer(solver, tmp_path, seeds, rides):
    fleet = tmp_path / "vans.csv"
    for seed in seeds:
        document, stops, vans = sheet_document(seed, 1 + rides + seed % 5, rides=rides)
        fleet.write_text(vans)
        options = SheetOptions(fleet=str(fleet), decimal=".")  # else 5.299 alone may be 5299
        items = read_instances(stops.encode(), sheet=options)
        (solution,) = solver.solve(items, improve="fast", workers=1)
        assert compare(document, solution_to_dict(solution)) == (0.0, ())


@SEEDS
def test_small_text_files_get_the_best_answer(solver, seeds):
    for seed in seeds:
        document = plain_document(seed, 1 + seed % 5)
        (solution,) = solver.solve(
            read_instances(text_document(document).encode()), improve="fast", workers=1
        )
        if solution.status == "infeasible":
            assert best_answer(document).missing[1]
        else:
            assert compare(document, solution_to_dict(solution)) == (0.0, ())


@pytest.mark.parametrize("part", parts(3))
@pytest.mark.parametrize(
    ("draw", "sizes"), [(plain_document, 6), (mixed_document, 6), (detailed_document, 5)]
)
def test_small_instances_without_some_roads_get_the_best_answer(solver, draw, sizes, part):
    # Of some documents, half of all legs are gone.
    seeds = range(50 * part, 50 * part + 50)
    documents = [without_roads(draw(seed, 1 + seed % sizes), seed) for seed in seeds]
    documents = [each for each in documents if lacks_a_road(each)]
    _, solutions = solved(solver, documents)
    assert judged(documents, solutions) == [BEST] * len(documents)
    reasons = [item.reason for solution in solutions for item in solution.unserved]
    assert reasons.count("NO_ROAD") > 2


def lacks_a_road(document):
    owners = [document, *(document.get("matrices") or {}).values()]
    matrices = [owner.get(key) or [] for owner in owners for key in ("distances", "durations")]
    return any(None in row for matrix in matrices for row in matrix)


@pytest.mark.parametrize("draw", [mixed_document, detailed_document])
def test_larger_instances_are_answered_rightly_and_their_answers_are_read_again(solver, draw):
    documents = [draw(seed, 8 + 6 * seed) for seed in range(4)]
    documents += [without_roads(draw(seed, 8 + 6 * seed), seed) for seed in range(4)]
    for document, instance, solution in zip(documents, *solved(solver, documents), strict=True):
        assert check_solution(instance, solution).problems == ()
        (read,) = read_solutions(solution_to_line(solution).encode())
        assert ModelSolution.of(instance, read) == solution
        assert compare(document, solution_to_dict(solution), exact=False).faults == ()


def nightly_document(seed):
    """Two nights, one after the other, behind nine short breaks at the start."""
    draw = random.Random(seed)
    breaks = [
        {"window": [24 * day + 20, 24 * day + 20 + draw.choice([1, 3])], "duration": 9}
        for day in range(2)
    ]
    breaks += [{"window": [0, 0]}] * 9
    draw.shuffle(breaks)

    def customer():
        days = sorted(draw.sample(range(4), 2))
        own = {"windows": [[24 * day, 24 * day + 8] for day in days]} if draw.random() < 0.6 else {}
        place = {"x": draw.randint(0, 9), "y": draw.randint(0, 9)}
        return {**place, "service": draw.randint(1, 30), **own}

    vehicle = {"breaks": breaks, "window": [0, 90], "duration_cost": seed % 2}
    return {"depots": [[0, 0]], "vehicles": [vehicle], "customers": [customer(), customer()]}


def test_more_than_ten_breaks_are_taken_at_their_best_places(solver):
    documents = [nightly_document(seed) for seed in range(8)]
    instances, solutions = solved(solver, documents)
    for document, instance, solution in zip(documents, instances, solutions, strict=True):
        assert check_solution(instance, solution).problems == ()
        assert compare(document, solution_to_dict(solution)) == (0.0, ())


def test_a_hundred_windows_and_breaks_at_once(solver):
    days = [[24 * day + 8, 24 * day + 16] for day in range(100)]
    nights = [{"window": [24 * day + 20, 24 * day + 21], "duration": 8} for day in range(100)]
    customers = [{"x": row % 7, "y": row % 5, "windows": days, "service": 2} for row in range(4)]
    document = {"depots": [[0, 0]], "vehicles": [{"breaks": nights}], "customers": customers}
    ((instance,), (solution,)) = solved(solver, [document])
    assert solution.status == "solved"
    assert check_solution(instance, solution).problems == ()
    assert [len(route.schedule.breaks) for route in solution.routes] == [100]


TWO = {
    "depot": [0, 0],
    "capacity": 2,
    "return_to_depot": True,
    "customers": [
        {"x": 3, "y": 4, "demand": 1, "windows": [[0, 2], [9, 9]], "service": 1},
        {"x": 3, "y": 0, "demand": 1, "window": [4, 6], "prize": 5},
    ],
}


def test_the_oracle_by_hand():
    assert best_answer(TWO) == ((0, 0), 12.0)  # 0 - 2 - 1 - 0: 3 + 4 + 5
    vehicle = {"capacity": 2, "duration_cost": 1, "distance_cost": 0}
    keys = {"vehicles": [vehicle], "capacity": None, "return_to_depot": None}
    # Leaves at 2, begins at 5 and at 9, is back at 15; without 2 it leaves at 4: 11 + 5.
    assert best_answer(TWO | keys) == ((0, 0), 13.0)
    first = TWO["customers"][0] | {"priority": 3, "release": 5}
    late = {"customers": [first, TWO["customers"][1]]}
    assert best_answer(TWO | late) == ((3, 1), 5.0)  # 5 after leaving at 5: too late for 9
    assert best_answer(TWO | {"max_vehicles": 1, "return_to_depot": False}) == ((0, 0), 7.0)


def test_the_oracle_knows_breaks_and_setups_by_hand():
    first = {"x": 3, "y": 0, "service": 1, "setup": 2, "demand": 4}
    second = first | {"setup_by_vehicle": {"van": 5}, "service_by_vehicle": {"van": 3}}
    lunch = {"window": [0, 2], "duration": 4}
    vehicle = {"id": "van", "duration_cost": 1, "service_cost": 10, "distance_cost": 0}
    document = {"depot": [0, 0], "vehicles": [vehicle], "customers": [first, second]}
    # Out 3, set up once for 2, serve 1 and 3, home 3: 12, and 10 times 6 of them.
    assert best_answer(document) == ((0, 0), 72.0)
    rested = vehicle | {"breaks": [lunch]}
    assert best_answer(document | {"vehicles": [rested]}) == ((0, 0), 76.0)
    late = [first | {"window": [0, 6]}, second]  # at 7, or first of all and then before 2
    assert best_answer(document | {"vehicles": [rested], "customers": late}).missing == (0, 1)
    empty = vehicle | {"breaks": [lunch | {"window": [0, 20], "max_load": 0}]}
    assert best_answer(document | {"vehicles": [empty], "customers": late}) == ((0, 0), 76.0)
    fees = [[0, 5, 5], [1, 0, 0], [2, 0, 0]]
    assert best_answer(document | {"costs": fees}) == ((0, 0), 79.0)


def test_the_oracle_knows_missing_roads_by_hand():
    ring = [[None, 1, None], [None, 0, 1], [1, None, 0]]
    document = {"capacity": 9, "demands": [1, 1], "distances": ring}
    assert best_answer(document) == ((0, 0), 3.0)
    answer = {"status": "partial", "cost": 0.0, "unserved": [{"id": 2, "reason": "FLEET"}]}
    assert compare(document, answer, exact=False).faults == ()  # on its way from 1
    answer["unserved"][0]["reason"] = "NO_ROAD"
    assert len(compare(document, answer, exact=False).faults) == 1
    for key in ("durations", "costs"):
        whole = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
        assert best_answer({**document, "distances": whole, key: ring}) == ((0, 0), 3.0)
    assert best_answer({**document, "distances": [ring[0], [None, 0, None], ring[2]]}) == (
        (0, 2),
        0.0,
    )


def test_the_oracle_tells_what_is_wrong():
    document = {"depot": [0, 0], "vehicles": [{"count": 1}]}
    document["customers"] = [{"x": 3, "y": 0}, {"x": 0, "y": 4, "prize": 2}]
    right = {"status": "solved", "cost": 8.0, "unserved": [{"id": 2, "reason": "PRIZE"}]}
    assert compare(document, right) == (0.0, ())
    assert compare(document, right | {"cost": 9.0}) == (0.125, ())
    assert "better than the best" in compare(document, right | {"cost": 7.0}).faults[0]
    unserved = [{"id": 1, "reason": "WINDOW"}, *right["unserved"]]
    worse = {"status": "infeasible", "cost": 2.0, "unserved": unserved}
    words = [fault.split()[0] for fault in compare(document, worse).faults]
    assert words == ["reason", "infeasible,", "left"]
    assert len(compare(document, worse, exact=False).faults) == 1


@SEEDS
@pytest.mark.parametrize("draw", [mixed_document, detailed_document])
def test_extreme_numbers_are_refused_in_words_or_answered_right(solver, draw, seeds):
    documents = [scaled(draw(seed, 1 + seed % 6), seed) for seed in seeds]
    instances = read_instances(json.dumps(documents).encode())
    answers = solver.solve(instances, improve="none", workers=1)
    refused = [answer for answer in answers if answer.status == "invalid"]
    assert all(answer.code and answer.error for answer in refused)
    assert len(refused) < 0.2 * len(documents)
    wrong = [
        (answer.name, check_solution(instance, answer).problems)
        for instance, answer in zip(instances, answers, strict=True)
        if answer.status != "invalid" and not check_solution(instance, answer).ok
    ]
    assert not wrong


@pytest.mark.parametrize(("count", "windows"), [(10, 10), (100, 10), (7, 1)])
def test_a_time_limit_holds_with_many_breaks_and_windows(solver, count, windows):
    (instance,) = read_instances(json.dumps(breaks_at_once(count, windows, 20)).encode())
    started = time.process_time()
    (answer,) = solver.solve([instance], time_limit=0.3, workers=1)
    assert time.process_time() - started < 30
    assert answer.status in ("solved", "partial")
    assert check_solution(instance, answer).ok


@pytest.mark.parametrize("workers", [2, 3])
def test_a_list_of_anything_ends_and_keeps_no_room(solver, workers):
    """With any options; `python -m tests.bench.time_limits --lists 3000` draws more."""
    with solver.session(workers) as session:
        found = [outcome(solver, session, 8 * workers + seed)[1] for seed in range(8)]
    assert found == [None] * 8
