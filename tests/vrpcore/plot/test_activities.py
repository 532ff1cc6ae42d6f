from tests.build import constrained, on_a_line
from vrpcore.cost.route_schedule import route_report
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Reload, Route
from vrpcore.plot.activities import Bar, bars, late_spans, loading_times


def loaded_day():
    """A route of two trips that is late, with a break at the reload; its instance and times."""
    hub = {"id": "hub", "x": 0, "y": 0, "service": 4}
    customers = on_a_line(3, 5, demand=[2, 3], service=[2, 1], window=[[0, 5], [0, 99]])
    customers[0]["late_cost"] = 1
    van = {
        "reloads": ["hub"], "breaks": [{"id": "tea", "window": [15, 17], "duration": 2}],
        "window": [0, 20], "late_cost": 1, "max_duration": 25, "overtime_cost": 1,
    }  # fmt: skip
    instance = constrained(depots=[hub], customers=customers, vehicles=[van])
    route = Route(0, (1, 2), (Reload(0, 1),))
    report = route_report(instance, route, Timeline(instance).schedule(route))
    return instance, report.schedule


def test_trips_have_bars_for_loading():
    instance, schedule = loaded_day()
    assert loading_times(instance) == {"hub": 4}
    breaks = instance.own_constraints.vehicles[0].breaks
    assert list(bars(schedule, [2.0, 1.0], breaks, loading_times(instance))) == [
        Bar("loading", 0, 4), Bar("travel", 4, 7, 0), Bar("service", 7, 9, 0),
        Bar("travel", 9, 12), Bar("loading", 12, 16), Bar("break", 16, 18),
        Bar("travel", 18, 23, 1), Bar("service", 23, 24, 1), Bar("travel", 24, 29),
    ]  # fmt: skip


def test_when_a_vehicle_is_late():
    _, schedule = loaded_day()
    # The first stop 2 late, back 9 late, 4 longer than 25.
    assert late_spans(schedule) == [(5, 7), (20, 29), (25, 29)]
