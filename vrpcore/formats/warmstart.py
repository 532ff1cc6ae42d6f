"""Routes that are known before the search: earlier solutions, and an instance's own."""

from vrpcore.errors import describe, fault
from vrpcore.formats.validate import check_routes
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution


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
    from vrpcore.formats.solutionformats import with_own_ids

    place = f"warm start {describe(solution.name)}"
    if solution.status != "solved":
        message = f"its status is {solution.status}, there are no routes to start from"
        raise fault(place, message, "NOT_SOLVED")
    numbers = instance.numbers
    routes = []
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
        routes.append(translated)
    return check_routes(instance, routes, f"{place}: routes", ".customers")


def given_routes(instance: Instance) -> list[list[int]]:
    """The instance's own `routes`, for the search to start from.

    Readers of files have checked them; instances built in Python may hold anything.

    Returns and raises what `warm_routes` does; an empty list where there are no routes.
    """
    if instance.routes is None:
        return []
    place = describe(instance.name)
    for row, route in enumerate(instance.routes):
        for column, number in enumerate(route):
            if not 1 <= number <= instance.num_customers:
                where = f"{place}: routes[{row}][{column}]"
                message = f"{number}, expected a customer number 1 to {instance.num_customers}"
                raise fault(where, message, "UNKNOWN_ID")
    return check_routes(instance, instance.routes, f"{place}: routes")
