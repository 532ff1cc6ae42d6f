"""Days that go on with orders that come, change and are cancelled, and vans that are lost.

`undrivable` looks for what no driver could do: from the plan, the day and the answer, as JSON.
"""

import itertools

TINY = 1e-6
SIDE, LONG = 100, 480


def morning(draw):
    """A random day."""
    number, wide = draw.randint(8, 18), draw.random() < 0.3
    vans = [
        {
            "id": f"van-{row}", "count": 1, "window": [0, LONG], "fixed_cost": 20,
            "capacity": [room, 200] if wide else room,
            **({"reloads": ["d"]} if draw.random() < 0.5 else {}),
            **({"initial_load": [2, 1] if wide else 2} if draw.random() < 0.2 else {}),
        }
        for row, room in enumerate(draw.choice([9, 12, 16]) for _ in range(draw.randint(2, 4)))
    ]  # fmt: skip
    depot = {"id": "d", "x": SIDE / 2, "y": SIDE / 2, "service": draw.choice([0, 0, 10])}
    customers = [order(draw, f"c{row}", wide) for row in range(number)]
    shipments = [
        {
            "id": f"s{row}", "amount": [2, 1] if wide else 2, "prize": 900,
            "pickup": place(draw), "delivery": place(draw),
        }
        for row in range(draw.choice([0, 0, 2]))
    ]  # fmt: skip
    day = {"name": "day", "depots": [depot], "vehicles": vans, "customers": customers}
    day |= {"goods": "any"} if draw.random() < 0.2 else {}
    return {**day, "shipments": shipments} if shipments else day


def place(draw):
    return {"x": draw.randint(0, SIDE), "y": draw.randint(0, SIDE)}


def order(draw, name, wide):
    """A stop that is left out only where nobody can serve it."""
    found = {"id": name, **place(draw), "prize": 1000}
    kind = draw.random()
    if kind > 0.15:
        found["demand"] = amount(draw, wide)
    if kind < 0.3:
        found["pickup"] = amount(draw, wide)
    if draw.random() < 0.4:
        found["window"] = [begin := draw.randint(0, LONG // 2), begin + draw.choice([60, 200])]
    if draw.random() < 0.5:
        found["service"] = 5
    return found


def amount(draw, wide):
    most = draw.randint(1, 5)
    return [most, draw.randint(0, 9)] if wide else most


def changed(draw, day, name):
    """The day after orders were cancelled, came and changed."""
    wide = isinstance(day["vehicles"][0]["capacity"], list)
    customers = list(day["customers"])
    for _ in range(draw.randint(0, 2)):
        customers.pop(draw.randrange(len(customers)))
    for _ in range(draw.randint(0, 3)):
        at = draw.randrange(len(customers))
        customers[at] = {**customers[at], "demand": amount(draw, wide)}
    customers += [order(draw, f"{name}{row}", wide) for row in range(draw.randint(0, 3))]
    return {**day, "customers": customers}


def undrivable(plan, day, answer, time, lost):
    """What no driver could do, in words.

    A van whose trip has no stop any more counts as being at the depot before it.

    Args:
        plan: The solution that went on.
        day: The instance then.
        answer: The solution that goes on with it.
        time: Of the freeze.
        lost: Ids of vans.
    """
    demands = {each["id"]: listed(each.get("demand", 0)) for each in day["customers"]}
    goods = {
        route["vehicle"]: cargo(route, plan, time, demands)
        for route in plan["routes"]
        if route["departure"] < time - TINY
        and any(stop in demands for stop, _ in list(trips(route))[trip_at(route, time)][1])
    }
    broken = any(each.startswith("FROZEN") for each in answer["warnings"])
    if day.get("goods") == "any":
        yield from oversold(day, answer, goods, time)
        goods = {}
    for route in answer["routes"]:
        van = route["vehicle"]
        for number, (loads, stops) in enumerate(trips(route)):
            left = route["departure"] < time - TINY
            own = left and number == trip_at(route, time)
            if not own and not left and loads < time - TINY:
                yield f"{van} is loaded at {loads}, before {time}"
            for stop, begin in stops:
                asked = demands.get(stop)
                if begin < time - TINY or asked is None or not any(asked):
                    continue
                if van in lost and left:
                    yield f"{van} is lost and serves {stop!r}"
                has = enough(goods.get(van, {}), stop, asked)
                if own and not has and van in goods:
                    yield f"{van} delivers {stop!r}, which it does not have"
                others = [
                    each
                    for each, known in goods.items()
                    if each not in lost and enough(known, stop, asked) and not (own and each == van)
                ]
                if others and not (own and has):
                    yield f"{van} delivers {stop!r}, which is on board of {others[0]}"
        if van in goods and van not in lost and not broken:
            yield from overloads(route, day, goods[van], time)


def oversold(day, answer, goods, time):
    """Where a trip under way delivers more than it was loaded with, and goods are alike."""
    demands = {each["id"]: listed(each.get("demand", 0)) for each in day["customers"]}
    initial = {
        each["id"]: listed(each.get("initial_load", [0] * len(listed(each["capacity"]))))
        for each in day["vehicles"]
    }
    for route in answer["routes"]:
        if route["vehicle"] not in goods or route["departure"] >= time - TINY:
            continue
        number = trip_at(route, time)
        amounts = [*goods[route["vehicle"]].values()]
        amounts += [initial[route["vehicle"]]] if number == 0 else []
        _, stops = list(trips(route))[number]
        served = [demands[stop] for stop, _ in stops if any(demands.get(stop, ()))]
        if any(begin >= time - TINY and any(demands.get(stop, ())) for stop, begin in stops):
            have, given = (
                [sum(each) for each in zip(*rows, strict=True)] for rows in (amounts, served)
            )
            if any(own > most + TINY for own, most in itertools.zip_longest(given, have)):
                yield f"{route['vehicle']} delivers {given} of {have}"


def overloads(route, day, goods, time):
    """Where more is on board in the trip under way than there is room for."""
    customers = {each["id"]: each for each in day["customers"]}
    amounts = {each["id"]: listed(each["amount"]) for each in day.get("shipments", ())}
    (van,) = (each for each in day["vehicles"] if each["id"] == route["vehicle"])
    room, number = listed(van["capacity"]), trip_at(route, time)
    board = [sum(each) for each in zip(*goods.values(), [0] * len(room), strict=True)]
    if number == 0:
        board = plus(board, listed(van.get("initial_load", [0] * len(room))), 1)
    _, stops = list(trips(route))[number]
    for stop, _ in [(None, 0), *stops]:
        name, _, end = str(stop).partition(":")
        if end:
            board = plus(board, amounts[name], 1 if end == "pickup" else -1)
        elif stop is not None:
            board = plus(board, listed(customers[stop].get("demand", [0] * len(room))), -1)
            board = plus(board, listed(customers[stop].get("pickup", [0] * len(room))), 1)
        if any(own > most + TINY for own, most in zip(board, room, strict=True)):
            yield f"{route['vehicle']} has {board} on board after {stop!r}, and room for {room}"
        if any(own > most + TINY for own, most in zip(board, listed(route["load"]), strict=True)):
            yield f"{route['vehicle']} has {board} on board, and states {route['load']}"


def plus(board, own, sign):
    return [each + sign * more for each, more in zip(board, own, strict=True)]


def listed(value):
    return value if isinstance(value, list) else [value]


def enough(goods, stop, asked):
    """Whether there is as much on board for a stop as it asks for."""
    have = goods.get(stop, [-1] * len(asked))
    return all(own >= need - TINY for own, need in zip(have, asked, strict=True))


def trips(route):
    """Of each trip when it is loaded, and its stops with their begins."""
    calls = route.get("reloads", [])
    cuts = [0, *(each["after"] for each in calls), len(route["customers"])]
    loads = [route["departure"], *(each["begin"] for each in calls)]
    stops = list(zip(route["customers"], route["begins"], strict=True))
    for load, (first, last) in zip(loads, itertools.pairwise(cuts), strict=True):
        yield load, stops[first:last]


def trip_at(route, time):
    """The number of the trip that was loaded last before some time."""
    return sum(each["begin"] < time - TINY for each in route.get("reloads", []))


def cargo(route, plan, time, known):
    """What a van that has left was loaded with for its trip: by the plan's own words.

    Without what was delivered to orders that are over and not in the day any more.
    """
    served = {
        stop
        for stop, begin in zip(route["customers"], route["begins"], strict=True)
        if begin < time and stop not in known
    }
    found = loaded_with(route, plan, time)
    return {stop: own for stop, own in found.items() if stop not in served}


def loaded_with(route, plan, time):
    """What the trip was loaded with that was under way."""
    number = trip_at(route, time)
    earlier = plan.get("freeze")
    loaded = None if earlier is None else route.get("loaded")
    if loaded is not None and trip_at(route, earlier) == number:
        return {each["id"]: listed(each["amount"]) for each in loaded}
    _, stops = list(trips(route))[number]
    own = dict(zip(route["customers"], map(listed, route.get("amounts", [])), strict=False))
    return {stop: own[stop] for stop, _ in stops if any(own.get(stop, ()))}
