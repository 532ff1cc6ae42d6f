"""A split instance as an ordinary one, whose stops are visits, or pieces of customers."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.constraints import Constraints, Float64
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Plan

Amount = tuple[float, ...]  # one number a load dimension


class Division(NamedTuple):
    """The stops of an instance, each divided into one or several.

    Attributes:
        stops: Of each of the new stops the one that it is a part of, 1..N.
        amounts: What each of them is brought, or what is taken from it.
    """

    stops: Sequence[int]
    amounts: Sequence[Amount]

    def of(self, instance: Instance) -> Instance:
        """The instance that has these stops; of those that may not be split, amounts stay."""
        found = instance.take(self.stops)
        constraints, size = found.own_constraints, len(self.stops)
        own = np.array(self.amounts, np.float64).reshape(size, -1)

        def parts(amounts: Float64) -> Float64:
            split = amounts.any(axis=1) & np.asarray(constraints.split)
            return np.where(split[:, None], own, amounts)

        delivery, pickup = parts(constraints.delivery), parts(constraints.pickup)
        constraints = replace(constraints, delivery=delivery, pickup=pickup)
        return replace(found, constraints=constraints, **constraints.shown())


def amounts_of(constraints: Constraints) -> Float64:
    """[N, L]: what each stop is brought and what is taken from it, together."""
    return constraints.delivery + constraints.pickup


def in_steps(constraints: Constraints) -> NDArray[np.bool_]:
    """[N, L] bool: whether parts of an amount are multiples of `split_step`, because it is one."""
    steps = amounts_of(constraints) / constraints.split_step
    found: NDArray[np.bool_] = np.abs(steps - np.rint(steps)) <= LOAD_TOLERANCE * (1 + steps)
    return found


def room_for(constraints: Constraints) -> Float64:
    """[N, L]: the most that a vehicle which may serve a stop can have on board."""
    able = constraints.permits()
    for vehicle in range(len(able)):
        own = constraints.vehicles[vehicle]
        able[vehicle] &= own.count != 0
        able[vehicle] &= [each <= own.skills for each in constraints.skills]
    capacity = np.array([each.capacity for each in constraints.vehicles])
    found: Float64 = np.where(able[:, :, None], capacity[:, None], 0.0).max(axis=0)
    return found


def fewest_visits(constraints: Constraints) -> float:
    """How many visits are needed at least to serve all who can be served."""
    amounts, room = amounts_of(constraints), room_for(constraints)
    split = np.zeros(constraints.num_stops, np.bool_)
    split |= False if constraints.split is None else constraints.split
    visits = np.divide(amounts, room, out=np.ones_like(amounts), where=room > 0)
    needed = np.ceil(visits * (1 - LOAD_TOLERANCE)).max(axis=1)
    return float(np.where(split, needed, 1.0).clip(1.0).sum())


def visits_of(instance: Instance, plan: Plan) -> tuple[Instance, Plan]:
    """An instance whose stops are the visits of a plan, then those who are not served.

    Of the latter those that may be split ask for the least that can be a part of them.

    Args:
        instance: Some of its stops may be split.
        plan: With the part of each visit.

    Returns:
        And the plan in its numbers.
    """
    constraints, number, routes = instance.own_constraints, 0, []
    stops, amounts = list[int](), list[Amount]()
    for route, parts in zip(plan.routes, plan.parts, strict=True):
        stops += route.stops
        amounts += parts
        own = tuple(range(number + 1, len(stops) + 1))
        routes.append(route._replace(stops=own))
        number = len(stops)
    served = set(stops)
    left = [stop for stop in range(1, instance.num_customers + 1) if stop not in served]
    whole, steps = amounts_of(constraints), in_steps(constraints)
    least = np.where(steps, np.minimum(whole, constraints.split_step), 0.0)
    amounts += [tuple(least[stop - 1].tolist()) for stop in left]
    found = Division((*stops, *left), amounts).of(instance)
    return found, plan._replace(routes=routes, parts=())


def are_whole(parts: Sequence[Amount], amount: Sequence[float]) -> bool:
    """Return whether parts are all of an amount."""
    sums = (math.fsum(each) for each in zip(*parts, strict=True))
    return all(
        abs(found - asked) <= LOAD_TOLERANCE * max(1.0, asked)
        for found, asked in zip(sums, amount, strict=True)
    )
