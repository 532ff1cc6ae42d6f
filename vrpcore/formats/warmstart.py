"""Routes that are known before the search: earlier solutions, and an instance's own."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.validate import check_routes
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import RoundedSolution, Route, Solution


class GivenRoute(NamedTuple):
    """A known route of an instance with constraints.

    Attributes:
        vehicle: Index of its type; None: not stated.
        stops: 1..N in visiting order.
    """

    vehicle: int | None
    stops: tuple[int, ...]


def warm_routes(instance: Instance, solution: Solution) -> list[list[int]]:
    """The routes of an earlier solution, for the search to start from.

    Stated costs and loads are not used: both are computed anew.

    Args:
        instance: The problem.
        solution: Matched to it by position, from `read_solutions`; the customers of a
            `.sol` file are understood as `with_own_ids` says.

    Returns:
        Customer numbers 1..N, each exactly once; empty routes are left out.

    Raises:
        InstanceError: The routes are no solution of this instance. Its code is NOT_SOLVED,
            UNKNOWN_ID, VISITED_TWICE, NOT_VISITED, LOAD_EXCEEDS_CAPACITY or
            TOO_MANY_ROUTES; the message says where.
    """
    place = f"warm start {describe(solution.name)}"
    if solution.status != "solved":
        raise _no_routes(place, solution)
    routes = [stops for _, stops in _numbered(instance, solution, place)]
    return check_routes(instance, routes, f"{place}: routes", ".customers")


def warm_plan(instance: Instance, solution: Solution) -> list[GivenRoute]:
    """The routes of an earlier solution of an instance with constraints, as they are.

    They may break every limit, leave out who is required and serve others twice. Stated costs,
    loads and times are not used.

    Args:
        instance: With constraints.
        solution: As for `warm_routes`; it may be partial or infeasible.

    Returns:
        Routes that are not empty. Those of a `.sol` file have no vehicle where their lines do not
        tell it.

    Raises:
        InstanceError: There are no routes (code NOT_SOLVED), or one names a stop or a vehicle
            that the instance does not have (UNKNOWN_ID); the message says where.
    """
    place = f"warm start {describe(solution.name)}"
    if not (solution.has_routes or solution.routes):
        raise _no_routes(place, solution)
    vehicles = instance.rules.vehicles
    types = {vehicle.id: index for index, vehicle in enumerate(vehicles)}
    # Lines of a `.sol` do not tell where vehicles without a number end and the next type begins.
    tells = isinstance(solution, RoundedSolution)  # each row of a CSV names its vehicle
    unsure = set() if tells else {each.id for each in vehicles[:-1] if each.count is None}
    found = []
    for row, (route, stops) in enumerate(_numbered(instance, solution, place)):
        name = None if route.schedule is None else route.schedule.vehicle
        if not route.states_load and name in unsure:
            name = None
        if name is not None and name not in types:
            message = f"{describe(name)} is not the id of a vehicle type of"
            where = f"{place}: routes[{row}].vehicle"
            raise fault(where, f"{message} {describe(instance.name)}", "UNKNOWN_ID")
        if stops:
            found.append(GivenRoute(None if name is None else types[name], tuple(stops)))
    return found


def is_complete(instance: Instance, routes: Sequence[GivenRoute]) -> bool:
    """Whether routes of an instance with constraints serve everybody who is required."""
    rules = instance.rules
    required = set((np.flatnonzero(rules.required) + 1).tolist())
    # A shipment's prize is that of its pickup.
    ends = {stop for stop in required if (rules.partner(stop) or stop) < stop}
    return required - ends <= {stop for route in routes for stop in route.stops}


def given_plan(instance: Instance) -> list[GivenRoute]:
    """The own `routes` of an instance with constraints, which may break its limits.

    Raises:
        InstanceError: They name a stop that the instance does not have (code UNKNOWN_ID).
    """
    routes = _own(instance)
    vehicles = instance.route_vehicles or (None,) * len(routes)
    found = zip(vehicles, routes, strict=True)
    return [GivenRoute(vehicle, tuple(route)) for vehicle, route in found if route]


def _numbered(
    instance: Instance, solution: Solution, place: str
) -> Iterator[tuple[Route, list[int]]]:
    """Each route of a solution, and its customers as numbers 1..N."""
    from vrpcore.formats.solutionformats import with_own_ids

    numbers = instance.numbers
    for row, route in enumerate(with_own_ids(instance, solution).routes):
        translated = []
        for column, customer in enumerate(route.customers):
            number = numbers.get(customer)
            if number is None:
                found = f"{describe(customer)} is not the id of a customer of"
                message = f"{found} {describe(instance.name)} (solutions are matched by position)"
                where = f"{place}: routes[{row}].customers[{column}]"
                raise fault(where, message, "UNKNOWN_ID")
            translated.append(number)
        yield route, translated


def _no_routes(place: str, solution: Solution) -> InstanceError:
    message = f"its status is {solution.status}, there are no routes to start from"
    return fault(place, message, "NOT_SOLVED")


def given_routes(instance: Instance) -> list[list[int]]:
    """The instance's own `routes`, for the search to start from.

    Readers of files have checked them; instances built in Python may hold anything.

    Returns and raises what `warm_routes` does; an empty list where there are no routes.
    """
    if instance.routes is None:
        return []
    return check_routes(instance, _own(instance), f"{describe(instance.name)}: routes")


def _own(instance: Instance) -> Sequence[Sequence[int]]:
    """The instance's own routes, their numbers within range."""
    for row, route in enumerate(instance.routes or ()):
        for column, number in enumerate(route):
            if not 1 <= number <= instance.num_customers:
                where = f"{describe(instance.name)}: routes[{row}][{column}]"
                message = f"{number}, expected a customer number 1 to {instance.num_customers}"
                raise fault(where, message, "UNKNOWN_ID")
    return instance.routes or ()
