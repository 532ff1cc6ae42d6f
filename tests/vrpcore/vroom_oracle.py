"""The oracle of VROOM's documents: a problem and its answer, as parsed.

Written only from the description of the format, in plain loops over the two documents; it shares
nothing with the product.

Source:
    VROOM 1.15, docs/API.md (https://github.com/VROOM-Project/vroom).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.vrpcore.vroom_oracle_pins import check_pins
from tests.vrpcore.vroom_oracle_route import MayBreak, Profile, Task, check_route, is_scaled

_Document = Mapping[str, Any]
_SUMMED = ("cost", "setup", "service", "duration", "waiting_time", "priority", "distance")
_AMOUNTS = ("delivery", "pickup")
_TASKS = ("job", "pickup", "delivery")
NO_ROADS: Mapping[str, Profile] = {}


def check_vroom(
    problem: _Document,
    answer: _Document,
    roads: Mapping[str, Profile] = NO_ROADS,
    *,
    planned: bool = False,
) -> list[str]:
    """Checks an answer with code 0.

    Every task is in one route or unassigned, shipments are picked up and delivered by the same
    vehicle in this order; pins of steps, skills, loads, windows, shifts, breaks and limits are
    respected; times, loads, distances and costs follow from the problem, totals from the routes.
    Where the problem has no matrices, and there are no roads, travel times are those that the
    answer tells. Where a warning says that what had begun of a plan breaks limits, they may be
    broken: the answer does not tell what had begun.

    Args:
        problem: A valid document.
        answer: Its `routes`, `unassigned` and `summary` are of the right types.
        roads: What lies between the locations, by profiles that the problem has no matrices for.
        planned: The vehicles' routes were given, so that limits may be broken where `violations`
            says so.

    Returns:
        What is wrong, in words.
    """
    problems: list[str] = []
    broken = any(
        str(each).startswith("FROZEN_BREAKS_LIMIT") for each in answer.get("warnings") or ()
    )
    may_break: MayBreak = "all" if broken else "reported" if planned else "none"
    tasks = _tasks_of(problem)
    vehicles = {vehicle["id"]: vehicle for vehicle in problem["vehicles"]}
    positions: dict[tuple[str, int], tuple[int, int]] = {}
    used: set[int] = set()
    for row, route in enumerate(answer["routes"]):
        where = f"routes[{row}]"
        vehicle = vehicles.get(route.get("vehicle"))
        if vehicle is None or vehicle["id"] in used:
            problems.append(f"{where}.vehicle: {route.get('vehicle')} is unknown or used twice")
            continue
        used.add(vehicle["id"])
        problems += _placed(route, row, tasks, positions)
        if all(_key(step) in tasks for step in route["steps"] if step["type"] in _TASKS):
            tables = _profile_of(problem, vehicle, roads)
            found = check_route(tables, vehicle, route, tasks, may_break=may_break)
            problems += [f"{where}{problem_}" for problem_ in found]
    problems += [] if broken else check_pins(problem, answer)
    problems += _pairs(problem, positions)
    problems += _unassigned(answer, tasks, positions)
    scaled = any(is_scaled(vehicle) for vehicle in problem["vehicles"])
    return problems + _summary(answer, scaled=scaled, planned=planned)


def ways_between(instance: Any) -> dict[str, Profile]:
    """What lies between the locations of a problem of VROOM's, for the oracle.

    Args:
        instance: An instance with the matrices of all profiles.

    Returns:
        By profile; nothing where locations have no coordinates.
    """
    if instance.coords is None:
        return {}
    rows: dict[tuple[float, float], int] = {}
    first: list[int] = []  # node at each point
    for node, (longitude, latitude) in enumerate(instance.coords.tolist()):
        if rows.setdefault((longitude, latitude), len(rows)) == len(first):
            first.append(node)
    block = np.ix_(first, first)
    return {
        profile: Profile({"durations": each.durations[block], "distances": lengths[block]}, rows)
        for profile, each in instance.own_constraints.matrices.items()
        if (lengths := each.distances) is not None
    }


def _profile_of(problem: _Document, vehicle: _Document, roads: Mapping[str, Profile]) -> Profile:
    """Those of a vehicle's profile."""
    profile = vehicle.get("profile", "car")
    given = (problem.get("matrices") or {}).get(profile)
    return roads.get(profile, Profile({})) if given is None else Profile(given)


def _tasks_of(problem: _Document) -> dict[tuple[str, int], Task]:
    tasks = {}
    for job in problem.get("jobs") or ():
        tasks["job", job["id"]] = Task("job", job, job)
    for shipment in problem.get("shipments") or ():
        for kind in ("pickup", "delivery"):
            end = shipment[kind]
            tasks[kind, end["id"]] = Task(kind, end, shipment)
    return tasks


def _key(step: _Document) -> tuple[str, int]:
    return step["type"], step.get("id", -1)


def _placed(
    route: _Document,
    row: int,
    tasks: Mapping[tuple[str, int], Task],
    positions: dict[tuple[str, int], tuple[int, int]],
) -> list[str]:
    """Notes where each task is; what is wrong with that."""
    problems = []
    for column, step in enumerate(route["steps"]):
        if step["type"] not in _TASKS:
            continue
        key, where = _key(step), f"routes[{row}].steps[{column}]"
        if key not in tasks:
            problems.append(f"{where}: there is no {key[0]} {key[1]}")
        elif key in positions:
            problems.append(f"{where}: {key[0]} {key[1]} is served twice")
        positions.setdefault(key, (row, column))
    return problems


def _pairs(problem: _Document, positions: Mapping[tuple[str, int], tuple[int, int]]) -> list[str]:
    problems = []
    for shipment in problem.get("shipments") or ():
        ids = shipment["pickup"]["id"], shipment["delivery"]["id"]
        first, last = positions.get(("pickup", ids[0])), positions.get(("delivery", ids[1]))
        if first is None and last is None:
            continue
        if first is None or last is None or first[0] != last[0]:
            message = f"pickup {ids[0]} and delivery {ids[1]} are not in one route"
            problems.append(f"routes: {message}")
        elif first[1] > last[1]:
            message = f"delivery {ids[1]} comes before pickup {ids[0]}"
            problems.append(f"routes[{first[0]}]: {message}")
    return problems


def _unassigned(
    answer: _Document,
    tasks: Mapping[tuple[str, int], Task],
    positions: Mapping[tuple[str, int], tuple[int, int]],
) -> list[str]:
    problems, listed = [], set()
    for row, item in enumerate(answer["unassigned"]):
        key = _key(item)
        if key not in tasks or key in positions or key in listed:
            message = f"{key[0]} {key[1]} is unknown, served or listed twice"
            problems.append(f"unassigned[{row}]: {message}")
        listed.add(key)
    for kind, identifier in tasks:
        if (kind, identifier) not in positions and (kind, identifier) not in listed:
            problems.append(f"unassigned: {kind} {identifier} is not served and not reported")
    return problems


def _summary(answer: _Document, *, scaled: bool, planned: bool) -> list[str]:
    """Totals over routes; where durations are scaled, each may be cut by itself."""
    summary, routes = answer["summary"], answer["routes"]
    expected: dict[str, Any] = {
        "routes": len(routes),
        "unassigned": len(answer["unassigned"]),
    }
    slack = len(routes) if scaled else 0
    for key in _SUMMED:
        if all(key in route for route in routes) and (routes or key != "distance"):
            expected[key] = sum(route[key] for route in routes)
    problems = []
    for key, value in expected.items():
        stated = summary.get(key)
        if stated is None or abs(stated - value) > (slack if key in _SUMMED else 0):
            problems.append(f"summary.{key}: {stated}, expected {value}")
    for key in _AMOUNTS:
        rows: list[Sequence[int]] = [route[key] for route in routes if key in route]
        total = [sum(column) for column in zip(*rows, strict=False)]
        if rows and summary.get(key) != total:
            problems.append(f"summary.{key}: {summary.get(key)}, expected {total}")
    if summary.get("violations") and not planned:
        problems.append("summary.violations: limits are broken")
    return problems
