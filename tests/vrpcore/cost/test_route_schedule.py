import math

from tests.build import constrained, on_a_line
from tests.vrpcore.cost.cases import late_route
from vrpcore.cost.route_schedule import route_report, whole_cost
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.solution import RouteReload, Solution
from vrpcore.referee.referee import check_solution


def report(instance, route):
    return route_report(instance, route, Timeline(instance).schedule(route))


def test_what_a_route_states():
    customers = on_a_line(3, 5, demand=[[2, 0], [3, 1]], window=[[0, 2], [0, 99]])
    customers[0]["late_cost"] = 2
    van = {"id": "van", "reloads": ["0"], "late_cost": 1, "window": [0, 15], "capacity": [9, 9]}
    van |= {"max_duration": 9, "overtime_cost": 1, "breaks": [{"id": "tea", "window": [6, 6]}]}
    instance = constrained(customers=customers, vehicles=[van, {"id": "car", "capacity": [9, 9]}])
    route = Route(0, (1, 2), (Reload(0, 1),))
    assert Timeline(instance).schedule(route).duration == 16
    found = report(instance, route)
    own = found.schedule
    assert (found.customers, found.load, own.vehicle) == ((1, 2), (3, 1), "van")
    assert own.reloads == (RouteReload(depot="0", after=1, arrival=6, begin=6, return_load=(0, 0)),)
    assert (own.late, own.late_return, own.overtime) == ((1, 0), 1, 7)
    assert (own.breaks[0].after, own.breaks[0].at_reload) == (1, True)
    own = report(instance, Route(1, (2,))).schedule
    assert (own.reloads, own.late, own.breaks) == (None, None, None)
    assert math.isnan(own.late_return) and math.isnan(own.overtime)
    assert report(instance, Route(0, (2,))).schedule.reloads == ()


def test_whole_costs_stay_whole_where_lengths_are():
    keys = {"customers": on_a_line(3), "vehicles": [{}]}
    for metric, kind in (("euc_2d", int), ("euclidean", float)):
        instance = constrained(metric=metric, **keys)
        assert type(whole_cost(instance, 5.0)) is kind
        assert type(whole_cost(instance, 5.5)) is float


def test_the_referee_finds_the_same():
    for seed in range(200):
        instance, route = late_route(seed, rests=seed % 3 == 0)
        found = Timeline(instance).schedule(route)
        if found is None:
            continue
        own = route_report(instance, route, found)
        result = check_solution(
            instance, Solution(name=instance.name, status="partial", cost=own.cost, routes=(own,))
        )
        limits = ("max_duration", "exceeds capacity")
        problems = [each for each in result.problems if each.startswith("routes[0]")]
        assert [each for each in problems if not any(limit in each for limit in limits)] == [], seed
