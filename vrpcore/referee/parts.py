"""The visits of an answer to an instance whose customers may be split, and whether they may be."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from vrpcore.errors import describe
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.referee.visits import Visits


class _Part(NamedTuple):
    """A visit; of a stop that may be split with the amount that it brings or takes, if stated."""

    stop: int
    amount: tuple[float, ...] | None
    place: str


def visits_of_parts(
    instance: Instance, solution: Solution
) -> tuple[Instance, tuple[list[tuple[int, ...]], Visits, list[str]]]:
    """The instance that has a stop for each visit, and what `visits_of` finds there.

    A stop that is not served stays one; if it may be split, it asks for the least that a part of it
    can be.

    Args:
        instance: Some of its stops may be split.
        solution: Its answer, with amounts where stops are split.
    """
    constraints, numbers = instance.own_constraints, instance.numbers
    split = [] if constraints.split is None else constraints.split.tolist()
    parts, routes, problems = list[_Part](), list[tuple[int, ...]](), list[str]()
    visits, seen = dict[int, tuple[int, int]](), set[object]()
    for row, route in enumerate(solution.routes):
        own = list[int]()
        amounts = None if route.schedule is None else route.schedule.amounts
        for column, name in enumerate(route.customers):
            place, stop = f"routes[{row}].customers[{column}]", numbers.get(name)
            if stop is None:
                problems.append(f"{place}: {describe(name)} is not a customer of the instance")
                continue
            part = None
            if split[stop - 1] and amounts is not None and column < len(amounts):
                given = amounts[column]
                part = given if isinstance(given, tuple) else (given,)
            key = (stop, row, _trip(route, column)) if split[stop - 1] else stop
            if key in seen:
                problems.append(f"{place}: customer {describe(name)} is visited twice")
            seen.add(key)
            parts.append(_Part(stop, part, f"routes[{row}].amounts[{column}]"))
            own.append(len(parts))
            visits[len(parts)] = row, column
        routes.append(tuple(own))
    problems += _unfit_parts(instance, [each for each in parts if split[each.stop - 1]])
    return _with_visits(instance, parts), (routes, visits, problems)


def _trip(route: RouteReport, column: int) -> int:
    """The number of the trip of a customer."""
    calls = () if route.schedule is None else route.schedule.reloads or ()
    return sum(each.after <= column for each in calls)


def _unfit_parts(instance: Instance, parts: Sequence[_Part]) -> Iterator[str]:
    """Parts that cannot be, or are not all of a stop, in words."""
    by_stop = dict[int, list[_Part]]()
    for part in parts:
        by_stop.setdefault(part.stop, []).append(part)
    for stop, own in by_stop.items():
        asked, name = _asked(instance, stop), describe(instance.ids[stop - 1])
        known = [part.amount for part in own if part.amount is not None]
        if len(known) < len(own):
            if len(own) > 1:
                missing = next(part.place for part in own if part.amount is None)
                yield f"{missing}: missing, customer {name} is visited several times"
            continue
        if any(len(amount) != len(asked) for amount in known):
            continue  # reported with the amounts of the route
        for part in own:
            yield from _unfit_part(instance, part, asked)
        for axis, need in enumerate(asked):
            total = math.fsum(amount[axis] for amount in known)
            if abs(total - need) > LOAD_TOLERANCE * max(1.0, need):
                where = f" in dimension {axis}" if len(asked) > 1 else ""
                yield f"routes: the parts of customer {name} are {total}{where}, expected {need}"


def _unfit_part(instance: Instance, part: _Part, asked: Sequence[float]) -> Iterator[str]:
    """Faults of one part: it is nothing, or not in steps."""
    step, amount = instance.own_constraints.split_step, part.amount or ()
    if not all(each >= 0 for each in amount) or not any(each > 0 for each in amount):
        yield f"{part.place}: {list(amount)}, expected more than 0"
    for need, each in zip(asked, amount, strict=True):
        if _is_multiple(need, step) and not _is_multiple(each, step):
            yield f"{part.place}: {each} is no multiple of split_step {step:g}"


def _is_multiple(amount: float, step: float) -> bool:
    """Return whether an amount is a whole number of steps."""
    steps = amount / step
    return abs(steps - round(steps)) <= LOAD_TOLERANCE * (1 + abs(steps))


def _asked(instance: Instance, stop: int) -> list[float]:
    """The amount that a stop is brought, or that is taken from it."""
    constraints = instance.own_constraints
    brought, taken = constraints.delivery[stop - 1], constraints.pickup[stop - 1]
    found: list[float] = (brought if brought.any() else taken).tolist()
    return found


def _with_visits(instance: Instance, parts: Sequence[_Part]) -> Instance:
    """The instance with these visits as stops, and with those who are not served behind them."""
    served, constraints = {part.stop for part in parts}, instance.own_constraints
    step, split = constraints.split_step, np.asarray(constraints.split)
    left = [stop for stop in range(1, instance.num_customers + 1) if stop not in served]
    found = instance.take([*(part.stop for part in parts), *left])
    delivery = found.own_constraints.delivery.copy()
    pickup = found.own_constraints.pickup.copy()
    least = [
        [min(each, step) if _is_multiple(each, step) else 0.0 for each in _asked(instance, stop)]
        for stop in left
    ]
    stops = [*(part.stop for part in parts), *left]
    amounts = [*(part.amount for part in parts), *map(tuple, least)]
    for row, (stop, amount) in enumerate(zip(stops, amounts, strict=True)):
        if not split[stop - 1] or amount is None or len(amount) != delivery.shape[1]:
            continue
        for table in (delivery, pickup):
            if table[row].any():
                table[row] = amount
    made = replace(found.own_constraints, delivery=delivery, pickup=pickup)
    return replace(found, constraints=made, **made.shown())
