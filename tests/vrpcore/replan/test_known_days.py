import dataclasses

from tests.build import constrained, on_a_line
from vrpcore.instance.plan import Goods, KnownDay
from vrpcore.instance.solution import (
    RouteBreak,
    RouteReload,
    RouteReport,
    RouteSchedule,
    Solution,
)
from vrpcore.solve.starting_routes import warm_routes


def test_what_rounded_times_say():
    """Without them, the times of a route that was not frozen, and is whole, say nothing."""
    vehicles = [{"id": "van", "breaks": [{"duration": 1}]}]
    day = constrained(customers=on_a_line(1, 2), vehicles=vehicles)
    rests = (RouteBreak(id="0", begin=12.0, after=1),)
    schedule = RouteSchedule(
        vehicle="van", start="0", end="0", departure=7.5, begins=(8.0, 15.0), breaks=rests
    )
    route = RouteReport((1, 2), 9.0, 9.0, schedule)
    solution = Solution(name="t", status="solved", cost=9.0, routes=(route,))
    assert warm_routes(day, solution).days == (KnownDay(7.5, breaks=((0, 1, None),)),)
    known = KnownDay(7.5, (8.0, 15.0), ((0, 1, 12.0),), rounding=0.0)
    assert warm_routes(day, dataclasses.replace(solution, kind="csv")).days == (known,)


def test_a_route_begins_where_the_first_trip_that_is_left_is_loaded():
    day = constrained(customers=on_a_line(1, 2), vehicles=[{"id": "van", "reloads": ["0"]}])
    schedule = RouteSchedule(
        vehicle="van", start="0", end="0", departure=0.0, begins=(4.0, 9.0, 11.0),
        reloads=(RouteReload(depot="0", after=1, begin=8.0),), amounts=(2.0, 3.0, 1.0), is_lost=True
    )  # fmt: skip
    route = RouteReport(("gone", 1, 2), 9.0, 9.0, schedule)
    (found,) = warm_routes(day, Solution(name="t", status="solved", routes=(route,))).days
    goods = Goods("gone", (2.0,), 0, 4.0), Goods(1, (3.0,), 1, 9.0), Goods(2, (1.0,), 1, 11.0)
    assert found == KnownDay(8.0, (9.0, 11.0), goods=goods, is_lost=True, gone=(4.0,))
