"""Whose route is whose, among vehicles of VROOM's that are alike."""

import json

import pytest

from tests.build import constrained, on_a_line
from vrpcore.api import read_instances
from vrpcore.formats.solutions import read_solutions
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.instance.plan import ANY_VEHICLE, KnownDay, Plan, Route
from vrpcore.search import rich_library

PLACES = [0, 3000, 4000, 5000, -3000, -4000, -4500, 5500]
TIMES = [[abs(one - other) for other in PLACES] for one in PLACES]


def problem(*jobs, steps=((), (), ())):
    """Three vehicles that are alike but for their steps; jobs at both sides of the depot."""
    vehicles = [
        {
            "id": 10 + number,
            "start_index": 0,
            "end_index": 0,
            "capacity": [4],
            "time_window": [28800, 64800],
            "steps": [{"type": "job", "id": job} for job in own],
        }
        for number, own in enumerate(steps)
    ]
    tasks = [{"id": job, "location_index": job, "service": 300, "delivery": [1]} for job in jobs]
    return {"vehicles": vehicles, "jobs": tasks, "matrices": {"car": {"durations": TIMES}}}


def read(*jobs, steps=((), (), ())):
    (instance,) = read_instances(problem(*jobs, steps=steps))
    return instance


def test_a_vehicle_keeps_its_route_and_no_two_have_the_same():
    instance = read(1, 2, 3, 4)
    routes = [Route(0, (1,), van=12), Route(0, (2,)), Route(0, (3,), van=12), Route(0, (4,))]
    assert [route.van for route in instance.origin.with_vans(routes)] == [12, 10, 11, None]
    unknown = [Route(0, (1,), van=7), Route(ANY_VEHICLE, (2,), van=10)]
    assert [route.van for route in instance.origin.with_vans(unknown)] == [10, None]


def test_others_get_who_drove_most_of_them_before():
    instance = read(1, 2, 3, 4, steps=((4,), (1, 2), (3,)))
    routes = [Route(0, (1, 2)), Route(0, (3, 4))]
    assert [route.van for route in instance.origin.with_vans(routes)] == [11, 10]
    before = [Route(0, (1, 2), van=12), Route(0, (3,), van=11)]
    assert [route.van for route in instance.origin.with_vans(routes, Plan(before))] == [12, 11]
    lost = Plan(before, days=(KnownDay(is_lost=True), KnownDay()))
    assert [route.van for route in instance.origin.with_vans(routes, lost)] == [10, 11]
    nobody = [route._replace(van=None) for route in before]
    assert instance.origin.with_vans(routes, Plan(nobody)) == instance.origin.with_vans(routes)


def test_problems_that_are_not_vrooms_know_no_vehicles():
    plain = constrained(customers=on_a_line(1, 2), vehicles=[{"id": "van"}])
    assert plain.origin.with_vans([Route(0, (1, 2))]) == [Route(0, (1, 2))]


def driven(document):
    """The jobs of each vehicle."""
    return {
        route["vehicle"]: [step["id"] for step in route["steps"] if step["type"] == "job"]
        for route in document["routes"]
    }


@pytest.fixture
def exchanged(solver, tmp_path):
    """An answer in hand in which the first two vehicles drive each other's routes."""
    instance = read(1, 2, 3, 4, 5)
    (solution,) = solver.solve([instance], workers=1, threads=1)
    answer = answer_to_dict(instance, solution)
    for route in answer["routes"]:
        route["vehicle"] = 21 - route["vehicle"]
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(answer))
    (found,) = read_solutions(str(file))
    return answer, found


@pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
@pytest.mark.parametrize(
    "options", [{}, {"keep_cost": 100}, {"freeze": 31801}, {"freeze": 31801, "keep_cost": 100}]
)
def test_a_warm_start_says_who_drives_what(solver, exchanged, options):
    answer, warm_start = exchanged
    options |= {"workers": 1, "threads": 1}
    before = driven(answer)
    assert len(before) == 2
    instance = read(1, 2, 3, 4, 5)
    (same,) = solver.solve([instance], warm_starts=[warm_start], **options)
    assert driven(answer_to_dict(instance, same)) == before
    # So does an answer that was never written, and one of a day with more jobs.
    instance = read(1, 2, 3, 4, 5, 6, 7)
    for known in (warm_start, same):
        (more,) = solver.solve([instance], warm_starts=[known], **options)
        found = driven(answer_to_dict(instance, more))
        for vehicle, jobs in before.items():
            assert set(jobs) <= set(found[vehicle])


@pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
@pytest.mark.parametrize("own", [10, 11])
def test_a_lost_vehicle_has_its_own_id_and_drives_no_other_route(solver, exchanged, own):
    """The first of those that are alike gives its id to their type."""
    answer, warm_start = exchanged
    options = {"freeze": 28900, "lost": str(own), "workers": 1, "threads": 1}
    instance, before = read(1, 2, 3, 4, 5), driven(answer)
    (found,) = solver.solve([instance], warm_starts=[warm_start], **options)
    jobs = driven(answer_to_dict(instance, found))
    assert (jobs.get(own), jobs[21 - own]) == (None, before[21 - own])
    (unused,) = solver.solve([instance], warm_starts=[warm_start], **options | {"lost": "12"})
    assert unused.code == "FREEZE"


@pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
def test_what_has_begun_stays_with_its_vehicle_whatever_follows_it(solver):
    """The vehicles have served one job each and turn around: the rest changes hands."""
    instance = read(1, 2, 3, 4, 5, 6, steps=((4, 2, 3), (1, 5, 6), ()))
    (found,) = solver.solve([instance], freeze=31801, workers=1, threads=1)
    jobs = driven(answer_to_dict(instance, found))
    assert [route.schedule.frozen for route in found.routes] == [1, 1]
    assert (jobs[10][0], jobs[11][0]) == (4, 1)
