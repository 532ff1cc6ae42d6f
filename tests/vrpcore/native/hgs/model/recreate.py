"""Recreate: customers are inserted one after the other where each costs least."""

BLINK = 42_949_673
MANY_NODES = 250
NEAR_PLACES = 30
FILL_UP = 2**31


def recreate(solution, random, customers):
    """Inserts customers; who fits nowhere is unserved.

    While somebody is, the fullest vehicles are filled first, every other time.
    """
    someone = bool(solution.unserved)
    solution.unserved = []
    ordered = in_order(solution.problem, random, customers)
    fill_up = someone and random.chance(FILL_UP)
    for customer in ordered:
        place = fullest_vehicle(solution, customer) if fill_up else None
        if place is None:
            place = find_place(solution, random, customer)
        if place is None:
            solution.unserved.append(customer)
        else:
            vehicle, at = place
            solution.routes[vehicle].insert(at, customer)


def in_order(problem, random, customers):
    """By chance, largest, farthest or nearest first: 4, 4, 2 and 1 of 11."""
    way = random.below(11)
    if way < 4:
        keys = {customer: random.unit() for customer in customers}
    elif way < 8:
        keys = {customer: -problem.demand[customer] for customer in customers}
    elif way < 10:
        keys = {customer: -problem.length[0][customer] for customer in customers}
    else:
        keys = {customer: problem.length[0][customer] for customer in customers}
    return sorted(customers, key=keys.__getitem__)


def find_place(solution, random, customer):
    """A vehicle and the place in its route, from 0; None where nothing fits."""
    place = None
    if solution.problem.num_nodes > MANY_NODES:
        place = near_place(solution, random, customer)
    if place is None:
        place = any_place(solution, random, customer)
    if place is None:
        for vehicle, route in enumerate(solution.routes):
            if not route and solution.has_room(vehicle, customer):
                return vehicle, 0
    return place


def fullest_vehicle(solution, customer):
    """The cheapest place there."""
    fitting = [
        vehicle
        for vehicle, route in enumerate(solution.routes)
        if route and solution.has_room(vehicle, customer)
    ]
    if not fitting:
        return None
    vehicle = max(fitting, key=lambda vehicle: solution.problem.load(solution.routes[vehicle]))
    costs = [
        added(solution, vehicle, at, customer) for at in range(len(solution.routes[vehicle]) + 1)
    ]
    return vehicle, costs.index(min(costs))


def added(solution, vehicle, at, customer):
    """What a customer at a place costs."""
    length, nodes = solution.problem.length, [0, *solution.routes[vehicle], 0]
    before, after = nodes[at], nodes[at + 1]
    return length[before][customer] + length[customer][after] - length[before][after]


def any_place(solution, random, customer):
    """The cheapest place of the routes, some of which are overlooked."""
    best, cheapest = None, None
    for vehicle, route in enumerate(solution.routes):
        if not route or not solution.has_room(vehicle, customer):
            continue
        costs = [added(solution, vehicle, at, customer) for at in range(len(route) + 1)]
        cost = min(costs)
        if (best is None or cost < cheapest) and not random.chance(BLINK):
            best, cheapest = (vehicle, costs.index(cost)), cost
    return best


def near_place(solution, random, customer):
    """The cheapest place beside a near customer, some of which are overlooked."""
    best, cheapest = None, None
    for node in solution.problem.near[customer][:NEAR_PLACES]:
        vehicle = solution.vehicle_of(node)
        if vehicle is None or not solution.has_room(vehicle, customer):
            continue
        place = solution.routes[vehicle].index(node)
        for at in (place, place + 1):
            cost = added(solution, vehicle, at, customer)
            if (best is None or cost < cheapest) and not random.chance(BLINK):
                best, cheapest = (vehicle, at), cost
    return best
