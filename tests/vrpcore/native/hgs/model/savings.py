"""Routes by savings."""

ALL_PAIRS = 150
LIGHT_ROUTES = 60
MOST_CHANCES = 100


def savings_routes(problem):
    """One vehicle a customer, joined where that saves most."""
    routes = [[customer] for customer in problem.customers]
    join_best_first(problem, routes, first_pairs(problem))
    if len(problem.customers) > ALL_PAIRS:
        for _ in range(MOST_CHANCES):
            before = len(routes)
            join_best_first(problem, routes, light_pairs(problem, routes))
            if len(routes) == before:
                break
    return oriented(problem, routes)


def oriented(problem, routes):
    """By first customer; that is the lower end where direction means nothing."""
    if not problem.directed:
        routes = [route if route[0] <= route[-1] else route[::-1] for route in routes]
    return sorted(routes)


def first_pairs(problem):
    """All pairs of customers, or each customer and its nearest."""
    if len(problem.customers) > ALL_PAIRS:
        return [(first, second) for first in problem.customers for second in problem.near[first]]
    return [
        (first, second)
        for first in problem.customers
        for second in problem.customers
        if first < second or (problem.directed and first != second)
    ]


def light_pairs(problem, routes):
    """The ends of the lightest routes."""
    light = oriented(problem, routes)
    light.sort(key=lambda route: (problem.load(route), route[0]))
    light = light[:LIGHT_ROUTES]
    pairs = []
    for head, one in enumerate(light):
        for tail, other in enumerate(light):
            if head != tail:
                pairs.append((one[-1], other[0]))
            if head < tail and not problem.directed:
                pairs += [(one[0], other[0]), (one[-1], other[-1])]
    return pairs


def join_best_first(problem, routes, pairs):
    length = problem.length
    ranked = []
    for first, second in pairs:
        saving = length[first][0] + length[0][second] - length[first][second]
        if saving >= 0:
            ranked.append((-saving, first, second))
    for _, first, second in sorted(ranked):
        join(problem, routes, first, second)


def join(problem, routes, first, second):
    """Joins two routes where the customers are their ends and the load fits."""
    head = next(route for route in routes if first in route)
    tail = next(route for route in routes if second in route)
    if head is tail or problem.load(head + tail) > problem.limit:
        return
    if not problem.directed:
        head_turned, tail_turned = head[-1] != first, tail[0] != second
    else:
        head_turned = tail_turned = False
    ahead = head[::-1] if head_turned else head
    behind = tail[::-1] if tail_turned else tail
    if ahead[-1] != first or behind[0] != second:
        return
    routes[:] = [route for route in routes if route is not head and route is not tail]
    routes.append(ahead + behind)
