"""Ruin: strings of customers are taken out of routes that are near each other."""

MEAN_REMOVED = 10.0
LONGEST_STRING = 10.0
HALF = 2**31


def ruin(solution, random):
    """Takes customers out; returns them in the order in which they went."""
    problem = solution.problem
    size = len(problem.customers)
    longest = min(LONGEST_STRING, size / max(1, len(solution.used())))
    strings = 1 + int(random.unit() * (4.0 * MEAN_REMOVED / (1.0 + longest) - 1.0))
    seed = 1 + random.below(size)
    ruined, removed = set(), []
    for customer in [seed, *problem.near[seed]]:
        vehicle = solution.vehicle_of(customer)
        if len(ruined) < strings and vehicle is not None and vehicle not in ruined:
            ruined.add(vehicle)
            removed += remove_string(solution.routes[vehicle], customer, longest, random)
    return removed


def remove_string(route, customer, longest, random):
    """Takes a string with the customer out of its route; some in its middle may stay."""
    length = len(route)
    size = min(length, 1 + int(random.unit() * min(float(length), longest)))
    kept = 0
    if 1 < size < length and random.chance(HALF):
        kept = 1
        while size + kept < length and random.chance(HALF):
            kept += 1
    place, total = route.index(customer), size + kept
    low, high = max(0, place - total + 1), min(place, length - total)
    first = low + random.below(high - low + 1)
    string = route[first : first + total]
    staying = []
    if kept:
        start = 1 + random.below(size - 1)
        staying = string[start : start + kept]
    route[first : first + total] = staying
    return [node for node in string if node not in staying]
