"""The best answer to a small instance, found by looking at all of them.

Nothing of the product is imported, so that an error there cannot confirm itself here.
"""

import math
from typing import NamedTuple

from tests.vrpcore.oracle_day import Day
from tests.vrpcore.oracle_routes import Routes
from tests.vrpcore.plain_problem import PlainProblem, get

SAME_COST = 1e-7  # relative
WORDS = (
    "has skills that no vehicle has",
    "may not be served by those who have the skills",
    "cannot be served alone",
    "can be served alone",
)
LIMIT, ALONE = 2, 3
RANK_OF = {"SKILLS": 0, "RELATION": 1, "FLEET": ALONE, "PRIZE": ALONE}  # of other reasons LIMIT


class Best(NamedTuple):
    """What the best answer serves and costs.

    Attributes:
        missing: Sum of priorities of the required who are not served, and their number.
        cost: Of the routes, and of the optional who are left out.
    """

    missing: tuple[float, int]
    cost: float


class Verdict(NamedTuple):
    """How an answer compares with the best.

    Attributes:
        gap: Of its cost, relative; None where others are missing or nobody looked.
        faults: What must not be, in words.
    """

    gap: float | None
    faults: tuple[str, ...]


def compare(document, answer, *, exact=True):
    """The verdict on an answer, a solution object of `vrp-solutions/1`.

    Args:
        document: The instance.
        answer: To it.
        exact: Looks for the best answer, up to about seven stops; else only at the reasons.
    """
    problem = PlainProblem(document)
    unserved = {str(item["id"]): item["reason"] for item in answer.get("unserved", ())}
    faults = list(_wrong_reasons(problem, unserved))
    if not exact:
        return Verdict(None, tuple(faults))
    best = best_answer(document)
    required = [each for each in problem.wanted() if each.prize is None and each.name in unserved]
    missing = (sum(each.priority for each in required), len(required))
    same = SAME_COST * max(1.0, abs(best.cost))
    if answer["status"] == "infeasible" and not best.missing[1]:
        faults.append("infeasible, but all who are required can be served")
    if missing > best.missing:
        faults.append(f"left out: {missing}, the best answer {best.missing}")
        return Verdict(None, tuple(faults))
    if missing < best.missing or answer["cost"] < best.cost - same:
        faults.append(f"better than the best: {missing} {answer['cost']}, {best}")
    more = answer["cost"] - best.cost
    if more <= same:
        return Verdict(0.0, tuple(faults))
    return Verdict(more / best.cost if best.cost > same else math.inf, tuple(faults))


def _wrong_reasons(problem, unserved):
    """Reasons that are none of those that hold."""
    if not any(get(vehicle, "count", 1) for vehicle in problem.vehicles):
        return
    ranks = _ranks(problem)
    groups = {group.name: group.members for group in problem.groups}
    places = {unit.name: (place,) for place, unit in enumerate(problem.units)}
    for name, reason in unserved.items():
        expected = max(ranks[unit] for unit in (groups | places)[name])
        if RANK_OF.get(reason, LIMIT) != expected:
            yield f"reason {reason} of {name}, who {WORDS[expected]}"


def _ranks(problem):
    """Of each unit, how far the reasons that it has alone go: an index of WORDS."""
    routes = [
        Routes(problem, index, alone=True)
        for index, vehicle in enumerate(problem.vehicles)
        if get(vehicle, "count", 1)
    ]
    alone = set()
    for each in routes:
        for found in each.all().values():
            alone |= {problem.stops[number].unit for number in found.stops}
        alone |= each.reached_by_others()
    ranks = []
    for place, unit in enumerate(problem.units):
        able = [each for each in routes if unit.skills <= each.skills]
        if place in alone:
            ranks.append(ALONE)
        elif any(each.may_serve(place) for each in able):
            ranks.append(LIMIT)
        else:
            ranks.append(RANK_OF["RELATION" if able else "SKILLS"])
    return ranks


def best_answer(document):
    """The largest sum of priorities, then the largest number, then the least cost."""
    problem = PlainProblem(document)
    day, found = Day(problem), []
    for mask in range(2 ** len(problem.units)):
        served = {place for place in range(len(problem.units)) if mask >> place & 1}
        if (cost := day.cost(mask)) < math.inf:
            absent = problem.absent(served)
            required = [each.priority for each in absent if each.prize is None]
            prizes = sum(each.prize for each in absent if each.prize is not None)
            found.append(Best((sum(required), len(required)), cost + prizes))
    return min(found)
