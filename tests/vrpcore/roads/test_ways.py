"""Answers get the ways of their routes; what is wrong with ways costs no answer."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from tests.vrpcore.roads.places import DEPOT, PLACES, PLAIN, STOPS, TYPED, read
from tests.vrpcore.roads.standin import changed, slow, status, way
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions
from vrpcore.roads.ways import asks_for_ways, with_ways

PROBLEM = {
    "vehicles": [{"id": 1, "start": DEPOT}],
    "jobs": [{"id": 1, "location": STOPS[0]}],
}


def answer(instance, *routes, **schedule):
    found = RouteSchedule(**{"vehicle": None, "start": None, "end": None} | schedule)
    reports = [
        RouteReport(tuple(instance.ids[row] for row in rows), 1.0, 1.0, found if schedule else None)
        for rows in routes
    ]
    return Solution(name="t", status="solved", cost=1.0, routes=tuple(reports))


def roads(standin, service="osrm", **options):
    url = f"{service}={standin.url}"
    return Roads(RoadOptions(matrix=url, matrix_cache="none", **options))


@pytest.mark.parametrize("service", ["osrm", "valhalla", "ors"])
def test_each_service_tells_the_ways(standin, service):
    instance = read(PLAIN)
    with roads(standin, service) as source:
        found = with_ways(instance, answer(instance, [0, 1], [1]), source)
    depot, first, second = PLACES
    assert [list(route.way) for route in found.routes] == [
        way([depot, first, second, depot]),
        way([depot, second, depot]),
    ]
    assert found.warnings == ()


def test_a_vehicle_asks_with_its_profile_and_an_open_end_stays_open(standin):
    instance = read(TYPED)
    found = answer(instance, [1, 0], vehicle="cargo", start="north")
    with roads(standin) as source:
        (route,) = with_ways(instance, found, source).routes
    assert standin.paths[0].startswith("/route/v1/bike/")
    assert list(route.way) == way([PLACES[0], PLACES[2], PLACES[1]])


def test_a_long_route_is_asked_for_in_parts(standin):
    stops = [[8 + number / 100, 49.0] for number in range(45)]
    instance = read({**PLAIN, "coords": stops, "demands": [0] * 45})
    with roads(standin, "valhalla") as source:
        (route,) = with_ways(instance, answer(instance, range(45)), source).routes
    assert len(standin.paths) == 3
    depot = PLACES[0]
    assert list(route.way) == way([depot, *map(tuple, stops), depot])


def test_places_that_are_the_same_are_asked_for_once_or_not_at_all(standin):
    instance = read({**PLAIN, "coords": [DEPOT, DEPOT]})
    with roads(standin) as source:
        (route,) = with_ways(instance, answer(instance, [0, 1]), source).routes
    assert route.way == (PLACES[0],) * 4
    assert standin.paths == []


def test_great_circles_are_straight():
    instance = read(PLAIN)
    with Roads(RoadOptions(matrix="haversine"), 50) as source:
        (route,) = with_ways(instance, answer(instance, [0]), source).routes
    assert route.way == (PLACES[0], PLACES[1], PLACES[0])


def test_what_is_wrong_with_ways_is_a_warning(standin):
    instance = read(PLAIN)
    given = answer(instance, [0], [1])
    standin.islands.add(PLACES[2])
    standin.faults += [None, None, status(501), changed(lambda reply: {**reply, "routes": []})]
    with roads(standin) as source:
        found = [with_ways(instance, given, source) for _ in range(3)]
    assert all(each.routes == given.routes for each in found)
    at = f"osrm at {standin.url}"
    assert [each.warnings for each in found] == [
        (f"NO_GEOMETRY: {at} refuses the request: NoRoute: Impossible route between points",),
        (f"NO_GEOMETRY: {at}: answers with status 501",),
        (f"NO_GEOMETRY: {at}: unexpected reply: routes: missing, expected a list of objects",),
    ]


def test_a_service_without_ways_is_not_asked_for_each_answer(standin):
    instance = read(PLAIN)
    given = answer(instance, [0], [1])
    standin.faults += [slow(0.5)]
    with roads(standin, matrix_timeout_s=0.1) as source:
        found = [with_ways(instance, given, source) for _ in range(3)]
    words = f"NO_GEOMETRY: osrm at {standin.url}: no answer within 0.1 s"
    assert [each.warnings for each in found] == [(words,)] * 3
    assert len(standin.paths) == 1


def test_what_a_check_raises_ends_the_questions(standin):
    class UnwantedError(Exception):
        pass

    def check():
        if standin.paths:
            raise UnwantedError

    instance = read(PLAIN)
    with roads(standin) as source, pytest.raises(UnwantedError):
        with_ways(instance, answer(instance, [0], [1]), source, check)
    assert len(standin.paths) == 1


def test_without_a_service_or_places_there_is_a_warning():
    instance = read(PLAIN)
    given = answer(instance, [0])
    (told,) = with_ways(instance, given, None).warnings
    assert told == "NO_GEOMETRY: no routing service is named with --matrix"
    nowhere = replace(instance, coords=None)
    (told,) = with_ways(nowhere, given, None).warnings
    assert told == "NO_GEOMETRY: locations have no coordinates"
    nothing = replace(given, routes=())
    assert with_ways(instance, nothing, None) is nothing


@pytest.mark.parametrize("error", [KeyError("lost"), MemoryError("all")])
def test_a_bug_costs_only_the_ways(monkeypatch, error):
    instance = read(PLAIN)
    given = answer(instance, [0])
    monkeypatch.setattr(Roads, "way", Mock(side_effect=error))
    with Roads(RoadOptions(matrix="haversine"), 50) as source:
        if isinstance(error, MemoryError):
            with pytest.raises(MemoryError):
                with_ways(instance, given, source)
            return
        found = with_ways(instance, given, source)
    words = "a bug in vrp, please report it with the instance 'instance-0': KeyError: 'lost'"
    assert found == replace(given, warnings=(f"INTERNAL: {words}",))
    assert found.fault == words


def test_a_document_may_ask():
    assert asks_for_ways(read({**PROBLEM, "options": {"g": True}}))
    assert not asks_for_ways(read(PROBLEM))
    assert not asks_for_ways(read(PLAIN))
