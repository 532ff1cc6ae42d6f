"""Random JSON documents of instances that mix all that an instance may ask for.

Half of them have whole numbers alone, so that limits are met exactly and ties are common.
"""

import math
import random

FAR = 40  # latest end of most windows
MOST_SHORTEST = 50  # nodes; more would take seconds
SIDE = 10  # of the square of the places
SKILLS = "abc"
METRICS = (None, None, None, "euclidean", "euc_2d", "ceil_2d", "haversine")


def mixed_document(seed, size):
    """A document of `size` stops, of which a shipment has two.

    Args:
        seed: Equal seeds give equal documents.
        size: At least 1.
    """
    draw = _Draw(seed)
    pairs = draw.choice([0, 0, 0, size // 4, size // 2])
    short, count = draw.random() < 0.25, size - 2 * pairs
    depots = [] if short else _depots(draw)
    nodes = (len(depots) or 1) + size
    ways = _ways(draw, nodes)
    given = ways.get("distances") or ways.get("durations")
    placed = not given or draw.random() < 0.6
    names = list(ways.get("matrices", {}))
    document = {"name": f"mixed-{seed}", **ways}
    if short:
        document |= _short(draw, placed)
    else:
        document["depots"] = [_placed(draw, each) if placed else each for each in depots]
        ids = [each.get("id") or str(place) for place, each in enumerate(depots)]
        document["vehicles"] = [
            _vehicle(draw, number, ids, names) for number in range(draw.randint(1, 3))
        ]
    last = pairs == 0 and draw.random() < 0.3
    compact = count > 0 and draw.random() < 0.15
    stops = [_customer(draw, number, last, compact) for number in range(count)]
    if placed:
        stops = [_placed(draw, each) for each in stops]
    document |= _compact(stops, placed, draw.dimensions) if compact else {"customers": stops}
    if pairs:
        document["shipments"] = [_shipment(draw, number, placed) for number in range(pairs)]
    if last or draw.random() < 0.1:
        document["backhauls"] = "last" if last else "mixed"
    return document | draw.perhaps(0.3, "pickup_only_routes", lambda: draw.random() < 0.3)


def detailed_document(seed, size):
    """The same with breaks, setups, times and costs of single vehicle types, and costs of legs."""
    document, draw = mixed_document(seed, size), _Draw(-1 - seed)
    vehicles = document.get("vehicles", [])
    names = [str(each.get("id") or place) for place, each in enumerate(vehicles)]
    draw.dimensions = _dimensions_of(document)
    for vehicle in vehicles:
        vehicle |= draw.perhaps(0.6, "breaks", lambda: _breaks(draw))
        vehicle |= draw.perhaps(0.3, "service_cost", lambda: draw.choice([0.1, 0.5, 1]))
    visits = [*(document.get("customers") or [])]
    visits += [row[end] for row in document.get("shipments", []) for end in ("pickup", "delivery")]
    share, places = draw.choice([0.0, 0.5]), draw.random() < 0.5
    for visit in visits:
        visit |= draw.perhaps(share, "setup", lambda: draw.number(0, 5))
        for key in ("service_by_vehicle", "setup_by_vehicle") if names else ():
            times = {name: draw.number(0, 5) for name in names if draw.random() < 0.7}
            visit |= draw.perhaps(0.15 + 0.2 * share, key, lambda times=times: times)
    for row in [*visits, *(each for each in document.get("depots", []) if isinstance(each, dict))]:
        if places:
            row |= draw.perhaps(0.6, "place", lambda: draw.randint(0, 2))
    nodes = len(document.get("depots", [0])) + size
    for owner in (document, *document.get("matrices", {}).values()):
        owner |= draw.perhaps(0.2, "costs", lambda: _fees(draw, nodes))
    return document


def plain_document(seed, size):
    """A document with a capacity, demands and distances alone."""
    draw = random.Random(seed)
    rows = [[draw.randint(1, 12) for _ in range(size + 1)] for _ in range(size + 1)]
    demands = [draw.randint(0, 3) for _ in range(size)]
    few = {"max_vehicles": draw.randint(1, 3)} if draw.random() < 0.4 else {}
    return {"capacity": draw.choice([4, 6, 9]), "demands": demands, "distances": rows, **few}


def without_roads(document, seed):
    """A document that lacks legs: a share of each of its matrices, now and then whole rows.

    Args:
        document: Any; it is changed. Without matrices it stays as it is.
        seed: Equal seeds remove the same legs.
    """
    draw = random.Random(seed)
    for owner in (document, *(document.get("matrices") or {}).values()):
        for key in ("distances", "durations", "costs"):
            share, closed = draw.choice([0.0, 0.05, 0.2, 0.5]), draw.choice([0.0, 0.0, 0.15])
            for place, row in enumerate(owner.get(key) or []):
                gone = draw.random() < closed
                for other in range(len(row)):
                    if gone or draw.random() < share:
                        row[other] = 0 if other == place and draw.random() < 0.5 else None
    return document


def _fees(draw, nodes):
    return [[draw.number(0, 12) for _ in range(nodes)] for _ in range(nodes)]


def _breaks(draw):
    """One or two, with one window, several, or none."""
    breaks = []
    for number in range(draw.choice([1, 1, 2])):
        windows = _windows(draw) if draw.random() < 0.8 else {}
        if "window" in windows and draw.random() < 0.7:
            windows["window"][1] += 20
        rest = windows | draw.perhaps(0.9, "duration", lambda: draw.number(0, 6))
        rest |= draw.perhaps(0.3, "id", lambda number=number: f"rest {number}")
        breaks.append(rest | draw.perhaps(0.2, "max_load", lambda: draw.amounts([0, 2, 3, 4])))
    return breaks


def _dimensions_of(document):
    """How many numbers an amount has; None where it is a number."""
    rows = [*(document.get("vehicles") or []), *(document.get("customers") or [])]
    for row in [*rows, *document.get("shipments", []), document]:
        for key in ("capacity", "demand", "pickup", "amount", "demands"):
            value = row.get(key)
            value = value[0] if key == "demands" and value else value
            if value is not None and not isinstance(value, dict):
                return len(value) if isinstance(value, list) else None
    return None


class _Draw(random.Random):
    """Random values of one document."""

    def __init__(self, seed):
        super().__init__(seed)
        self.whole = self.random() < 0.5
        self.dimensions = self.choice([None, None, 1, 2, 3])
        self.optional = self.choice([0.0, 0.3, 1.0])  # share of those who may be left out
        self.late = self.choice([0.0, 0.0, 0.2])  # share of those who have a release
        self.tight = self.choice([0.2, 0.8])  # share of those who have windows

    def number(self, least, most):
        """Whole, or with three digits."""
        if self.whole:
            return self.randint(math.ceil(least), math.floor(most))
        return round(self.uniform(least, most), 3)

    def perhaps(self, share, key, value):
        """A key with its value, or none; now and then null, which means none."""
        chance = self.random()
        if chance < share:
            return {key: value()}
        return {key: None} if chance > 0.98 else {}

    def amounts(self, kinds):
        """A number, or one for each load dimension."""
        if self.dimensions is None:
            return self.choice(kinds)
        return [self.choice(kinds) for _ in range(self.dimensions)]

    def skills(self, share):
        """Some of all skills."""
        return [name for name in SKILLS if self.random() < share]


def _placed(draw, row):
    return row | {"x": draw.number(0, SIDE), "y": draw.number(0, SIDE)}


def _depots(draw):
    def depot(number):
        own = draw.perhaps(0.4, "id", lambda: draw.choice([f"depot {number}", 100 + number]))
        return own | draw.perhaps(0.3, "window", lambda: _window(draw, 0.1 * FAR, 1.2 * FAR))

    return [depot(number) for number in range(draw.randint(1, 3))]


def _window(draw, opens, closes):
    """A wide one: open around `opens`, closed around `closes`."""
    return [draw.number(0, 2 * opens), draw.number(0.7 * closes, 1.3 * closes)]


def _short(draw, placed):
    """One capacity and one depot; it says whether to return, so that it is not plain."""
    depot = draw.perhaps(0.5, "window", lambda: _window(draw, 0.1 * FAR, 1.2 * FAR))
    depot = _placed(draw, depot) if placed else depot
    if placed and draw.random() < 0.5:
        depot = [depot["x"], depot["y"]]
    capacity = draw.choice([4, 6, 9.5])
    if draw.dimensions is not None:
        capacity = [draw.choice([4, 6, 9.5]) for _ in range(draw.dimensions)]
    return {
        "depot": depot,
        "capacity": capacity,
        "return_to_depot": draw.random() < 0.5,
        **draw.perhaps(0.4, "max_vehicles", lambda: draw.randint(1, 4)),
    }


def _vehicle(draw, number, depots, matrices):
    """A type with each limit and cost now and then."""
    chances = [
        (0.5, "id", lambda: f"vehicle {number}"),
        (0.6, "count", lambda: draw.choice([0, 1, 1, 1, 2, 3])),
        (0.8, "capacity", lambda: draw.amounts([3, 4, 6, 9.5, 20])),
        (0.4, "window", lambda: _window(draw, 0.1 * FAR, FAR)),
        (0.3, "max_duration", lambda: draw.number(10, 60)),
        (0.2, "max_travel_time", lambda: draw.number(10, 40)),
        (0.2, "max_distance", lambda: draw.number(10, 40)),
        (0.2, "max_customers", lambda: draw.choice([0, 1, 2, 3, 4, 6, 9])),
        (0.3, "speed", lambda: draw.choice([0.5, 1.3, 2])),
        (0.4 if matrices else 0.0, "matrix", lambda: draw.choice(matrices)),
        (0.4, "fixed_cost", lambda: draw.number(0, 20)),
        (0.4, "distance_cost", lambda: draw.choice([0, 0.5, 1, 2])),
        (0.4, "duration_cost", lambda: draw.choice([0.1, 0.5, 1])),
        (0.2, "travel_cost", lambda: draw.choice([0.1, 0.5, 1])),
        (0.7, "skills", lambda: draw.skills(0.85)),
    ]
    vehicle = {}
    for chance in chances:
        vehicle |= draw.perhaps(*chance)
    for key in ("start", "end"):
        if draw.random() < 0.5:
            vehicle[key] = draw.choice([*depots, *depots, None])
    return vehicle


def _windows(draw):
    """One window or several, in order without overlap."""
    if draw.random() < 0.6:
        opens = draw.number(0.1 * FAR, 0.9 * FAR)
        return {"window": [opens, opens + draw.number(0, 16)]}
    times = sorted({draw.number(0, FAR) for _ in range(2 * draw.randint(1, 3))})
    pairs = zip(times[::2], times[1::2], strict=False)
    return {"windows": [list(pair) for pair in pairs] or [[0, FAR]]}


def _visit(draw):
    windows = _windows(draw) if draw.random() < draw.tight else {}
    return windows | draw.perhaps(0.5, "service", lambda: draw.number(0, 4))


def _wanted(draw):
    return {
        **draw.perhaps(draw.late, "release", lambda: draw.number(0, 0.4 * FAR)),
        **draw.perhaps(
            draw.optional, "prize", lambda: draw.choice([0, draw.number(1, 20), draw.number(1, 40)])
        ),
        **draw.perhaps(0.4, "priority", lambda: draw.choice([0, 1, 5, 100])),
        **draw.perhaps(0.15, "skills", lambda: draw.skills(0.3)),
    }


def _customer(draw, number, last, compact):
    """One with a demand, a pickup or both; `last`: with one of them at most."""
    keys = ["demand", "pickup"]
    if last:
        keys = [draw.choice(["demand", "demand", "pickup"])]
    customer = {}
    for key in keys:
        share = 0.8 if key == "demand" or last else 0.3
        customer |= draw.perhaps(share, key, lambda: draw.amounts([0, 1, 1, 2, 3]))
    if not draw.whole and "demand" in customer and draw.dimensions is None:
        customer["demand"] = draw.choice([0.1, 0.5, 1.25, 3])
    customer |= _visit(draw) | _wanted(draw)
    if not compact:
        customer |= draw.perhaps(0.4, "id", lambda: draw.choice([f"c{number}", 1000 + number]))
    return customer


def _compact(stops, placed, dimensions):
    """Customers as arrays, which carry less."""

    def pick(key, missing=None):
        return [missing if stop.get(key) is None else stop[key] for stop in stops]

    zero = 0 if dimensions is None else [0] * dimensions
    document = {"demands": pick("demand", zero)}
    if any(stop.get("pickup") is not None for stop in stops):
        document["pickups"] = pick("pickup", zero)
    if any("window" in stop for stop in stops):
        document["windows"] = pick("window")
    if any("prize" in stop for stop in stops):
        document["prizes"] = pick("prize")
    if any("service" in stop for stop in stops):
        document["services"] = pick("service", 0)
    if placed:
        document["coords"] = [[stop["x"], stop["y"]] for stop in stops]
    return document


def _shipment(draw, number, placed):
    ends = [_visit(draw) for _ in range(2)]
    if placed:
        ends = [_placed(draw, end) for end in ends]
    return {
        "id": draw.choice([f"s{number}", 2000 + number]),
        "pickup": ends[0],
        "delivery": ends[1],
        **draw.perhaps(0.9, "amount", lambda: draw.amounts([0, 1, 2, 3])),
        **_wanted(draw),
    }


def _ways(draw, nodes):
    """How far it is: by a metric, by matrices, or by both; a speed, and matrices with names."""

    def matrix():
        rows = [[draw.number(0.5, 12) for _ in range(nodes)] for _ in range(nodes)]
        for place, row in enumerate(rows):
            row[place] = 0
        return _shortest(rows) if draw.random() < 0.5 and nodes <= MOST_SHORTEST else rows

    ways = {}
    if (metric := draw.choice(METRICS)) is not None:
        ways["metric"] = metric
    if metric == "haversine":  # metres: some 100 km a degree
        ways["speed"] = draw.choice([1e5, 2e5])
    else:
        ways |= draw.perhaps(0.3, "speed", lambda: draw.choice([0.5, 1.3, 2]))
    ways |= draw.perhaps(0.25, "distances", matrix) | draw.perhaps(0.2, "durations", matrix)
    if draw.random() < 0.3:
        own = {"distances": matrix(), "durations": matrix()}
        known = {"durations": not ways.get("durations"), "distances": bool(ways.get("distances"))}
        if (spare := [key for key, told in known.items() if told]) and draw.random() < 0.5:
            del own[draw.choice(spare)]  # it follows from the others
        ways["matrices"] = {"truck": own, "bike": {"distances": matrix(), "durations": matrix()}}
    return ways


def _shortest(rows):
    """The same where each way may go through others: no way is longer than round about."""
    rows = [row[:] for row in rows]
    for place, onward in enumerate(rows):
        for row in rows:
            there = row[place]
            row[:] = [
                min(way, round(there + more, 3)) for way, more in zip(row, onward, strict=True)
            ]
    return rows
