"""Tiny random documents of a working day, whose limits bind, for a search of all answers.

Each draws a few attributes, old and new; each eighth draws from all of them.
"""

import random

SIDE = 6  # of the square of the places; about 4 from place to place
NEW = (
    *("reloads", "reloads", "initial_load", "latest_start", "overtime", "late_return", "loading"),
    *("late_stops", "only", "vehicle_cost", "on_board", "groups", "relations", "balance"),
)
OLD = (
    *("release", "breaks", "pickup", "shipments", "backhauls", "prize", "priority", "skills"),
    *("max_customers", "max_distance", "ends", "fixed_cost", "duration_cost", "window", "service"),
    *("setup", "travel_cost", "dimensions", "two_depots", "short_roads"),
)


# Keys whose numbers are no times, lengths or prices.
_WHOLE = {"count", "priority", "max_customers", "max_reloads", "capacity", "demand", "amount"}
_WHOLE |= {"initial_load", "balance", "max_load"}


def small_day(seed, always=()):
    """A document with three to six customers and shipments.

    Args:
        seed: Equal seeds give equal documents.
        always: Attributes that it has in any case.
    """
    draw = random.Random(f"small day {seed}")
    size = draw.randint(1, 6) if seed % 8 else 20
    asked = set(draw.sample(NEW, min(len(NEW), max(1, size - draw.randint(0, 3)))))
    asked |= set(draw.sample(OLD, min(len(OLD), draw.randint(0, size))))
    day = _Day(draw, asked.union(always))
    if day.has("groups"):
        day.document["groups"] = day.groups()
    if day.has("relations"):
        day.document["relations"] = day.relations()
    if day.has("balance"):
        kinds = draw.sample(["duration", "distance", "customers", "load"], draw.randint(1, 2))
        day.document["balance"] = {kind: draw.choice([0.5, 1, 3]) for kind in kinds}
    return day.document


def in_tenths(document, key=""):
    """The document with all times, lengths and prices in tenths, summed up with their rounding."""
    if isinstance(document, dict):
        return {key: in_tenths(value, key) for key, value in document.items()}
    if key in _WHOLE or (key == "pickup" and not isinstance(document, dict)):
        return document
    if isinstance(document, list):
        return [in_tenths(value, key) for value in document]
    if isinstance(document, int | float) and not isinstance(document, bool):
        return sum([0.1] * int(document)) + document % 1 / 10
    return document


class _Day:
    """A document that is being drawn."""

    def __init__(self, draw, asked):
        self.draw, self.asked = draw, asked
        self.size = 2 if self.has("dimensions") else 1
        units = draw.randint(3, 5 if self.has("reloads", "shipments") else 6)
        pairs = draw.randint(1, 2) if self.has("shipments") else 0
        boarded = draw.randint(1, 2) if self.has("on_board") else 0
        depots = [self.depot(number) for number in range(1 + self.has("two_depots"))]
        types = draw.choice([1, 1, 2])
        self.names = [f"van-{number}" for number in range(types)]
        vehicles = [self.vehicle(number) for number in range(types)]
        units = max(1, units - 2 * pairs - boarded)
        customers = [self.customer(number) for number in range(units)]
        shipments = [self.shipment(number) for number in range(pairs)]
        shipments += [self.boarded(number + pairs, vehicles) for number in range(boarded)]
        self.document = {"depots": depots, "vehicles": vehicles, "customers": customers}
        if shipments:
            self.document["shipments"] = shipments
        if self.has("backhauls") and not shipments:
            self.document["backhauls"] = "last"
            self.document["pickup_only_routes"] = draw.random() < 0.5
        if not self.has("short_roads"):
            self.document["distances"] = self.blocks()

    def has(self, *names):
        """Whether one of these is asked for."""
        return bool(self.asked.intersection(names))

    def perhaps(self, share, key, values):
        """A key with one of some values, or none."""
        return {key: self.draw.choice(values)} if self.draw.random() < share else {}

    def amount(self, values):
        """A number, or one for each load dimension."""
        found = [self.draw.choice(values) for _ in range(self.size)]
        return found if self.size > 1 else found[0]

    def point(self):
        """A place with whole coordinates."""
        return {"x": self.draw.randint(0, SIDE), "y": self.draw.randint(0, SIDE)}

    def blocks(self):
        """Distances along the axes, so that ties are common."""
        own = self.document
        places = [*own["depots"], *own["customers"]]
        for row in own.get("shipments", []):
            places += [row[end] for end in ("pickup", "delivery") if end in row]
        return [[abs(a["x"] - b["x"]) + abs(a["y"] - b["y"]) for b in places] for a in places]

    def depot(self, number):
        """A depot that may be open for a while only."""
        found = {"id": f"hub-{number}", **self.point()}
        if self.has("loading"):
            found |= self.perhaps(0.8, "service", [1, 2, 3])
        if self.has("loading", "window"):
            found |= self.perhaps(0.3, "window", [[0, 12], [3, 30], [5, 40]])
        return found

    def vehicle(self, number):
        """A type with some limits."""
        draw = self.draw
        found = {"id": self.names[number], "count": draw.choice([1, 1, 2])}
        found |= {"capacity": self.amount([2, 3, 4, 6])}
        if self.has("reloads"):
            depots = [f"hub-{each}" for each in range(1 + self.has("two_depots"))]
            found["reloads"] = draw.sample(depots, draw.choice([1, len(depots)]))
            found |= self.perhaps(0.5, "max_reloads", [0, 1, 1, 2])
        if self.has("initial_load"):
            found["initial_load"] = self.amount([0, 1, 2])
        if self.has("latest_start"):
            found |= self.perhaps(0.8, "latest_start", [0, 3, 8])
        if self.has("overtime"):
            found["max_duration"] = draw.choice([8, 14, 20])
            found |= self.perhaps(0.6, "max_overtime", [2, 6, 20])
            share = 0.8 if "max_overtime" in found else 1
            found |= self.perhaps(share, "overtime_cost", [0, 0.5, 2, 5])
        if self.has("window", "late_return"):
            opens = draw.choice([0, 0, 4])
            found["window"] = [opens, opens + draw.choice([12, 20, 30])]
        if self.has("late_return"):
            found |= self.perhaps(0.6, "max_late", [3, 8])
            share = 0.8 if "max_late" in found else 1
            found |= self.perhaps(share, "late_cost", [0, 0.5, 2])
        return found | self.old_keys(number)

    def old_keys(self, number):
        """What a type may have had before the working day."""
        found = {}
        if self.has("breaks"):
            opens = self.draw.randint(0, 12)
            found["breaks"] = [{"window": [opens, opens + 12], "duration": self.draw.randint(1, 4)}]
            found["breaks"][0] |= self.perhaps(0.3, "max_load", [self.amount([1, 2])])
        if self.has("skills") and number == 0:
            found["skills"] = ["cold"]
        if self.has("ends"):
            found |= self.perhaps(0.5, "start", [None, "hub-0"])
            found |= self.perhaps(0.7, "end", [None, "hub-0"])
        for key, values in (
            ("max_customers", [2, 3, 4]),
            ("max_distance", [10, 16, 24]),
            ("fixed_cost", [2, 10]),
            ("duration_cost", [0.5, 1]),
            ("travel_cost", [0.5, 1]),
        ):
            if self.has(key):
                found |= self.perhaps(0.8, key, values)
        return found

    def visit(self):
        """Where and when somebody is served."""
        found, draw = self.point(), self.draw
        if self.has("service"):
            found["service"] = draw.randint(0, 3)
        if self.has("setup"):
            found |= self.perhaps(0.7, "setup", [1, 2])
        if self.has("window", "late_stops") and draw.random() < 0.7:
            opens = draw.randint(0, 16)
            found["window"] = [opens, opens + draw.randint(0, 6)]
            if draw.random() < 0.3:
                opens = found["window"][1] + draw.randint(1, 6)
                found["windows"] = [found.pop("window"), [opens, opens + draw.randint(0, 4)]]
        if self.has("late_stops") and ("window" in found or "windows" in found):
            found |= self.perhaps(0.5, "max_late", [0, 2, 6])
            found |= self.perhaps(0.7, "late_cost", [0.5, 2, 4])
        return found

    def wanted(self):
        """What a customer or a shipment asks for as a whole."""
        found, draw = {}, self.draw
        if self.has("prize"):
            found |= self.perhaps(0.6, "prize", [2, 5, 9])
        if self.has("priority"):
            found |= self.perhaps(0.6, "priority", [1, 5])
        if self.has("skills"):
            found |= self.perhaps(0.3, "skills", [["cold"]])
        if self.has("release"):
            found |= self.perhaps(0.6, "release", [2, 5, 9])
        if self.has("only"):
            found |= {"vehicles": [draw.choice(self.names)]} if draw.random() < 0.5 else {}
        if self.has("vehicle_cost") and draw.random() < 0.6:
            found["vehicle_cost"] = {draw.choice(self.names): draw.choice([1, 4, 9])}
        return found

    def customer(self, number):
        """One with a demand, a pickup, or both."""
        found = {"id": f"c{number}", **self.visit(), **self.wanted()}
        if self.has("pickup", "backhauls"):
            if self.draw.random() < 0.5:
                return found | {"pickup": self.amount([1, 2])}
            if not self.has("backhauls"):
                found |= self.perhaps(0.3, "pickup", [self.amount([0, 1])])
        return found | {"demand": self.amount([0, 1, 1, 2])}

    def shipment(self, number):
        """One that is picked up."""
        ends = {"pickup": self.visit(), "delivery": self.visit()}
        return {"id": f"s{number}", "amount": self.amount([1, 2]), **ends, **self.wanted()}

    def boarded(self, number, vehicles):
        """One that is on board; there is one vehicle of its type."""
        vehicle = self.draw.choice(vehicles)
        vehicle["count"] = 1
        found = {"id": f"s{number}", "amount": self.amount([0, 1, 1]), **self.wanted()}
        found.pop("release", None)
        return found | {"delivery": self.visit(), "on_board": vehicle["id"]}

    def groups(self):
        """One group or two, whose members have neither prize nor priority of their own."""
        rows = [*self.document["customers"], *self.document.get("shipments", [])]
        self.draw.shuffle(rows)
        found = []
        for number in range(self.draw.randint(1, 2)):
            members = [rows.pop() for _ in range(min(len(rows), self.draw.randint(1, 3)))]
            for row in members:
                row.pop("prize", None)
                row.pop("priority", None)
            group = {"members": [row["id"] for row in members]}
            group |= self.perhaps(0.4, "prize", [3, 8]) | self.perhaps(0.3, "priority", [1, 5])
            if members:
                found.append(group | self.perhaps(0.4, "id", [f"one of {number}"]))
        return found

    def relations(self):
        """One to three that do not contradict each other; those that do are passed over."""
        names = [row["id"] for row in self.document["customers"]]
        for row in self.document.get("shipments", []):
            names += [f"{row['id']}:{end}" for end in ("pickup", "delivery") if end in row]
        found = []
        for _ in range(self.draw.randint(1, 3)):
            kind = self.draw.choice(["together", "apart", "order", "chain", "chain"])
            stops = self.draw.sample(names, min(len(names), self.draw.randint(1, 3)))
            if kind in ("order", "chain"):  # in the order of the document: no circles
                stops.sort(key=names.index)
            row = {"kind": kind, "stops": stops}
            if kind != "apart":
                row |= self.perhaps(0.4, "vehicle", self.names)
            if kind == "chain":
                row |= self.perhaps(0.5, "at", ["start", "end"])
            if not any(_clash(row, other) for other in found) and not _splits_a_shipment(row):
                found.append(row)
        return found


def _clash(one, other):
    """Whether two relations may contradict each other."""
    if (one["kind"] == "apart") != (other["kind"] == "apart"):
        return len({*one["stops"]} & {*other["stops"]}) > 1
    return "at" in one and one["at"] == other.get("at")


def _splits_a_shipment(row):
    units = [name.split(":")[0] for name in row["stops"]]
    return row["kind"] == "apart" and len(set(units)) < len(units)
