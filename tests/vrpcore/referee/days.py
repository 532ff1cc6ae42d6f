"""Instances of a working day, and answers to them, for the tests of the referee."""

import dataclasses
import math

import numpy as np

from tests.build import constrained, on_a_line
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution
from vrpcore.referee.referee import check_constraints

NAN = float("nan")


def day(keys, vehicles=(), depots=(), **columns):
    """An instance that asks for what a working day adds.

    Args:
        keys: As read from JSON; without them, a depot at the origin and one type of vehicles.
        vehicles: Changes of the first types.
        depots: Changes of the first depots.
        columns: Changes of `Constraints`; lists become arrays.
    """
    usual = {"depots": [{"id": "d", "x": 0, "y": 0}], "vehicles": [{"id": "van"}]}
    instance = constrained(**usual | keys)
    own = instance.own_constraints
    changed = {
        name: np.array(value) if isinstance(value, list) else value
        for name, value in columns.items()
    }
    vehicles, depots = _changed(own.vehicles, vehicles), _changed(own.depots, depots)
    return _replaced(instance, vehicles=vehicles, depots=depots, **changed)


def with_breaks(instance, *breaks):
    """The instance whose only vehicle type takes breaks."""
    (van,) = instance.own_constraints.vehicles
    return _replaced(instance, vehicles=(dataclasses.replace(van, breaks=breaks),))


def _replaced(instance, **columns):
    own = dataclasses.replace(instance.own_constraints, **columns)
    return dataclasses.replace(instance, constraints=own)


def _changed(items, changes):
    first = [dataclasses.replace(item, **each) for item, each in zip(items, changes, strict=False)]
    return (*first, *items[len(first) :])


def report(*stops, load=NAN, cost=NAN, vehicle="van", start="d", end="d", **stated):
    """A route with what it states."""
    schedule = RouteSchedule(vehicle=vehicle, start=start, end=end, **stated)
    return RouteReport(stops, load, cost, schedule)


def changed(route, load=None, cost=None, **stated):
    """A route that states something else."""
    return dataclasses.replace(
        route,
        load=route.load if load is None else load,
        cost=route.cost if cost is None else cost,
        schedule=dataclasses.replace(route.schedule, **stated),
    )


def checked(instance, *routes, known=None, **stated):
    """The cost of an answer, and what is wrong with it; it goes on where routes say so."""
    for route in routes:
        plan = route.schedule
        if plan is not None and plan.frozen is not None and plan.begins:
            last = max(plan.departure, *plan.begins[: plan.frozen], -1.0)
            stated = {"freeze": last + 0.5, **stated}
    answer = Solution(**{"name": "t", "status": "solved", "routes": routes, **stated})
    return check_constraints(instance, answer, known)


def problems(instance, *routes, **stated):
    """What is wrong with an answer."""
    return checked(instance, *routes, **stated)[1]


def cost(instance, *routes, **stated):
    """The cost of a right answer."""
    found, wrong = checked(instance, *routes, **stated)
    assert wrong == []
    return found


def random_day(rng):
    """A route of up to four stops, with up to one reload."""
    number = rng.randint(1, 4)

    def windows():
        times = sorted(rng.sample(range(60), 2 * rng.randint(1, 2)))
        return [list(pair) for pair in zip(times[::2], times[1::2], strict=True)]

    places = [rng.randint(1, 9) for _ in range(number)]
    customers = on_a_line(
        *places,
        windows=[windows() for _ in places],
        service=[rng.randint(0, 4) for _ in places],
        release=[rng.choice([0, 0, 5]) for _ in places],
    )
    vehicle = {
        "id": "van", "window": [0, rng.randint(30, 70)], "max_duration": rng.randint(15, 60),
        "duration_cost": rng.choice([0, 1, 2]), "start": rng.choice(["d", "d", None]),
        "end": rng.choice(["d", None]),
    }  # fmt: skip
    more = {
        "max_overtime": rng.choice([0.0, 5.0, math.inf]), "overtime_cost": float(rng.randint(0, 3)),
        "max_late": rng.choice([0.0, 5.0, math.inf]), "late_cost": float(rng.randint(0, 3)),
        "reloads": (0,),
    }  # fmt: skip
    window = rng.choice([None, [2, 40]])
    depot = {"id": "d", "x": 0, "y": 0, **({"window": window} if window else {})}
    instance = day(
        {"depots": [depot], "customers": customers, "vehicles": [vehicle]},
        vehicles=[more],
        depots=[{"service": float(rng.choice([0, 0, 3]))}],
        max_late=[rng.choice([0.0, 8.0, math.inf]) for _ in places],
        late_cost=[float(rng.randint(0, 3)) for _ in places],
    )
    reloads = (Reload(0, rng.randint(1, number - 1)),) if number > 1 and rng.random() < 0.5 else ()
    return instance, Route(0, tuple(range(1, number + 1)), reloads)
