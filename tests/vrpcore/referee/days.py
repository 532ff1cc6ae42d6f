"""Instances of a working day, and answers to them, for the tests of the referee."""

import dataclasses

import numpy as np

from tests.build import constrained
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution
from vrpcore.referee.constrained_plan import check_constraints

NAN = float("nan")


def day(keys, vehicles=(), depots=(), **columns):
    """An instance that asks for what a working day adds.

    Args:
        keys: As read from JSON.
        vehicles: Changes of the first types.
        depots: Changes of the first depots.
        columns: Changes of `Constraints`; lists become arrays.
    """
    instance = constrained(**keys)
    own = instance.own_constraints
    changed = {
        name: np.array(value) if isinstance(value, list) else value
        for name, value in columns.items()
    }
    own = dataclasses.replace(
        own,
        vehicles=_changed(own.vehicles, vehicles),
        depots=_changed(own.depots, depots),
        **changed,
    )
    return dataclasses.replace(instance, constraints=own)


def _changed(items, changes):
    first = [dataclasses.replace(item, **each) for item, each in zip(items, changes, strict=False)]
    return (*first, *items[len(first) :])


def report(*stops, load=NAN, cost=NAN, vehicle="van", start="d", end="d", **stated):
    """A route with what it states."""
    schedule = RouteSchedule(vehicle=vehicle, start=start, end=end, **stated)
    return RouteReport(stops, load, cost, schedule)


def problems(instance, *routes, known=None, **stated):
    """What is wrong with an answer."""
    answer = Solution(**{"name": "t", "status": "solved", "routes": routes, **stated})
    return check_constraints(instance, answer, known)[1]


def cost(instance, *routes, **stated):
    """The cost of a right answer."""
    answer = Solution(**{"name": "t", "status": "solved", "routes": routes, **stated})
    found, wrong = check_constraints(instance, answer)
    assert wrong == []
    return found
