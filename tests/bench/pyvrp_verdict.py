"""What PyVRP says of our solutions to instances with constraints."""

import pyvrp


def its_solution(model, solution):
    """A solution of ours as PyVRP's."""
    instance, constraints = model.instance, model.instance.own_constraints
    numbers = instance.numbers
    clients = {stop: place for place, stop in enumerate(model.customers)}
    places = {stop: place for place, stop in enumerate(model.pickups)}
    ids = [each.id for each in constraints.vehicles]
    kinds = pyvrp.ActivityType
    routes = []
    for route in solution.routes:
        visits = []
        for name in route.customers:
            stop = numbers[name]
            if stop in clients:
                visits.append(pyvrp.Activity(kinds.CLIENT, clients[stop]))
            elif stop in places:
                visits.append(pyvrp.Activity(kinds.PICKUP, places[stop]))
            else:
                visits.append(pyvrp.Activity(kinds.DELIVERY, places[stop - 1]))
        own = route.schedule.vehicle
        vehicle = 0 if own is None else ids.index(own)
        routes.append(pyvrp.Route(model.data, visits, model.whole.types.index(vehicle)))
    return pyvrp.Solution(model.data, routes)


def is_feasible(model, solution, theirs):
    """Whether PyVRP finds nothing wrong; who is left out of a partial answer does not count."""
    if solution.status == "solved":
        return theirs.is_feasible()
    return not (theirs.has_excess_load() or theirs.has_excess_distance() or theirs.has_time_warp())


def cost_difference(model, solution, theirs):
    """How far PyVRP's cost is from ours, beyond what its scaling explains; relative."""
    parts = ("distance_cost", "duration_cost", "fixed_vehicle_cost", "uncollected_prizes")
    cost = sum(getattr(theirs, part)() for part in parts) / model.whole.cost_scale
    slack = 1e-9 * max(1.0, abs(cost))
    if not model.whole.exact:
        dearest = max(
            each.distance_cost + each.duration_cost
            for each in model.instance.own_constraints.vehicles
        )
        legs = sum(2 * len(route.customers) + 2 for route in solution.routes)
        slack += (legs * dearest + len(solution.unserved)) / model.whole.scale
    return max(0.0, abs(cost - solution.cost) - slack) / max(1.0, abs(cost))
