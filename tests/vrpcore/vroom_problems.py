"""Random problems as VROOM's documents, of all that its format has."""

import math
import random
from copy import deepcopy

ABSENT = object()

# What a document may ask for; each has some of it.
FEATURES = (
    "windows", "several_windows", "shipments", "pickups", "skills", "priorities", "open_ends",
    "depots", "shifts", "capacities", "profiles", "distances", "costs", "max_tasks",
    "max_travel_time", "max_distance", "speed_factor", "locations", "descriptions", "fixed",
    "same_places", "steps", "few_vehicles", "amount", "breaks", "setup", "per_type",
    "per_task_hour", "cost_matrices", "several_breaks", "break_loads",
)  # fmt: skip
DAY = 8 * 3600
FIRST = 1_600_000_000  # of days that do not begin at 0
_SIDE_M = 20_000


def vroom_problem(seed, size, features=FEATURES, chance=0.5):
    """A document.

    Args:
        seed: Equal seeds give equal documents.
        size: Number of tasks; a shipment has two.
        features: Names of `FEATURES` that it may ask for.
        chance: That it asks for one of them.
    """
    return _Maker(seed, size, features, chance).document()


class _Maker:
    def __init__(self, seed, size, features, chance):
        self.draw = random.Random(f"{seed} {size}")
        self.size = size
        self.has = {name for name in FEATURES if self.draw.random() < chance}
        self.has &= set(features)
        self.start = FIRST if self.draw.random() < 0.3 else 0
        self.dimensions = self.draw.randint(1, 3) if "capacities" in self.has else 0
        if "amount" in self.has and not self.dimensions:
            self.dimensions = 1
        self.types = ["van", "truck"] if "per_type" in self.has else []
        self.points = []

    def document(self):
        pairs = self.draw.randint(1, max(1, self.size // 3)) if "shipments" in self.has else 0
        pairs = min(pairs, self.size // 2)
        jobs = [self._job(number) for number in range(self.size - 2 * pairs)]
        shipments = [self._shipment(number) for number in range(pairs)]
        vehicles = self._vehicles()
        if "steps" in self.has:
            self._add_steps(vehicles, jobs, shipments)
        document = {"vehicles": vehicles, "matrices": self._matrices()}
        if jobs or not shipments:
            document["jobs"] = jobs
        if shipments:
            document["shipments"] = shipments
        return document

    def _spot(self):
        """A location, now and then one that others have, too."""
        if not ("same_places" in self.has and self.points and self.draw.random() < 0.3):
            self.points.append((self.draw.random(), self.draw.random()))
            index = len(self.points) - 1
        else:
            index = self.draw.randrange(len(self.points))
        x, y = self.points[index]
        return index, [round(2.2 + 0.3 * x, 5), round(48.7 + 0.2 * y, 5)]

    def _placed(self):
        index, point = self._spot()
        found = {"location_index": index}
        return found | ({"location": point} if "locations" in self.has else {})

    def _described(self, text):
        if "descriptions" in self.has and self.draw.random() < 0.5:
            return {"description": f"{text} \u00e9 \u4eac"}
        return {}

    def _visit(self, identifier):
        found = {"id": identifier, **self._placed(), **self._described(f"task {identifier}")}
        found["service"] = self.draw.choice([0, 60, 300, 600])
        if "setup" in self.has:
            found["setup"] = self.draw.choice([0, 60, 200])
        for key in ("setup_per_type", "service_per_type"):
            if "per_type" in self.has and self.draw.random() < 0.4:
                found[key] = {self.draw.choice(self.types): self.draw.choice([0, 30, 900])}
        if "windows" in self.has and self.draw.random() < 0.6:
            number = self.draw.randint(1, 3) if "several_windows" in self.has else 1
            found["time_windows"] = self._windows(number)
        return found

    def _windows(self, number):
        times = sorted(self.draw.sample(range(DAY // 60), 2 * number))
        times = [self.start + 60 * time for time in times]
        if number == 1 and times[1] - times[0] < 1800:
            times[1] += 1800
        return [times[2 * place : 2 * place + 2] for place in range(number)]

    def _wanted(self):
        found = {}
        if "skills" in self.has and self.draw.random() < 0.3:
            found["skills"] = self.draw.sample(range(1, 5), self.draw.randint(1, 2))
        if "priorities" in self.has and self.draw.random() < 0.4:
            found["priority"] = self.draw.choice([1, 5, 10, 50, 100])
        return found

    def _amounts(self, most):
        return [self.draw.randint(0, most) for _ in range(self.dimensions)]

    def _job(self, number):
        job = self._visit(10 * number + 7) | self._wanted()
        if self.dimensions:
            if "amount" in self.has and self.draw.random() < 0.5:
                return job | {"amount": self._amounts(5)}
            if self.draw.random() < 0.8:
                job["delivery"] = self._amounts(5)
            if "pickups" in self.has and self.draw.random() < 0.4:
                job["pickup"] = self._amounts(5)
        return job

    def _shipment(self, number):
        shipment = {
            "pickup": self._visit(3 * number),
            "delivery": self._visit(3 * number + self.draw.randint(0, 2)),
            **self._wanted(),
        }
        if self.dimensions:
            shipment["amount"] = self._amounts(5)
        return shipment

    def _vehicles(self):
        many = math.ceil(self.size / self.draw.choice([6, 10, 14])) + 1
        if "few_vehicles" in self.has:
            many = max(1, many // 2)
        depots = [self._placed() for _ in range(self.draw.randint(2, 3))]
        if "depots" not in self.has:
            depots = depots[:1]
        kinds = [self._kind(depots) for _ in range(self.draw.randint(1, 4))]
        return [self._vehicle(number, self.draw.choice(kinds)) for number in range(many)]

    def _vehicle(self, number, kind):
        vehicle = {"id": 3 * number + 1, **kind, **self._described(f"vehicle {number}")}
        if "breaks" in self.has and self.draw.random() < 0.7:
            many = self.draw.randint(1, 3) if "several_breaks" in self.has else 1
            opens = self.start + self.draw.randrange(DAY // 4, 3 * DAY // 8)
            vehicle["breaks"] = [
                self._break(10 * number + row, opens + 3600 * row) for row in range(many)
            ]
        return vehicle

    def _break(self, number, opens):
        """A break that ends, where it begins at its first moment, within an hour."""
        found = {
            "id": number,
            "time_windows": [[opens, opens + self.draw.choice([1800, 7200])]],
            "service": self.draw.choice([0, 900, 2700]),
        }
        if "several_breaks" in self.has and self.draw.random() < 0.3:
            found["time_windows"].append([opens + 9000, opens + 10_800])
        if "break_loads" in self.has and self.dimensions and self.draw.random() < 0.4:
            found["max_load"] = self._amounts(40)
        return found

    def _kind(self, depots):
        """What several vehicles have in common."""
        draw, kind = self.draw, {}
        ends = [draw.choice(depots), draw.choice(depots)]
        if "open_ends" in self.has and draw.random() < 0.5:
            ends[draw.randint(0, 1)] = None
        for name, end in zip(("start", "end"), ends, strict=True):
            if end is not None:
                kind[f"{name}_index"] = end["location_index"]
                if "location" in end:
                    kind[name] = end["location"]
        if self.dimensions:
            kind["capacity"] = [draw.choice([15, 30, 60]) for _ in range(self.dimensions)]
        shift = [self.start, self.start + DAY]
        if "shifts" in self.has:
            shift = [shift[0] + draw.randrange(DAY // 4), shift[1] - draw.randrange(DAY // 4)]
        if self.start or draw.random() < 0.8:
            kind["time_window"] = shift
        chances = (
            ("skills", "skills", lambda: draw.sample(range(1, 5), draw.randint(2, 4))),
            ("profiles", "profile", lambda: draw.choice(["car", "bike"])),
            ("max_tasks", "max_tasks", lambda: draw.randint(2, 12)),
            ("max_travel_time", "max_travel_time", lambda: draw.randint(DAY // 8, DAY // 2)),
            ("speed_factor", "speed_factor", lambda: draw.choice([0.8, 1.25, 1.5, 2.0])),
            ("per_type", "type", lambda: draw.choice(self.types)),
        )
        for feature, key, value in chances:
            if feature in self.has and draw.random() < 0.7:
                kind[key] = value()
        if {"max_distance", "distances"} <= self.has and draw.random() < 0.7:
            kind["max_distance"] = draw.randint(30_000, 150_000)
        costs = self._costs()
        return kind | ({"costs": costs} if costs else {})

    def _costs(self):
        costs = {}
        if "fixed" in self.has:
            costs["fixed"] = self.draw.choice([0, 500, 3000])
        if "costs" in self.has and "cost_matrices" not in self.has:
            costs["per_hour"] = self.draw.choice([0, 1000, 3600])
            if "distances" in self.has:
                costs["per_km"] = self.draw.choice([10, 200])
        if "per_task_hour" in self.has:
            costs["per_task_hour"] = self.draw.choice([0, 1801])
        return costs

    def _matrices(self):
        size = len(self.points)
        profiles = {"car": 12.0} | ({"bike": 5.0} if "profiles" in self.has else {})
        found = {}
        for name, speed in profiles.items():
            detour = [[1 + 0.3 * self.draw.random() for _ in range(size)] for _ in range(size)]
            lengths = [
                [0 if a == b else self._length(a, b, detour[a][b]) for b in range(size)]
                for a in range(size)
            ]
            found[name] = {"durations": [[round(each / speed) for each in row] for row in lengths]}
            if "distances" in self.has:
                found[name]["distances"] = lengths
            if "cost_matrices" in self.has:
                found[name]["costs"] = [
                    [round(0.7 * each + 30 * (a != b)) for b, each in enumerate(row)]
                    for a, row in enumerate(lengths)
                ]
        return found

    def _length(self, first, last, detour):
        (x, y), (u, v) = self.points[first], self.points[last]
        return round(_SIDE_M * detour * math.hypot(x - u, y - v))

    def _add_steps(self, vehicles, jobs, shipments):
        """One task each for some vehicles, as far as that keeps all limits."""
        left = [job for job in jobs if not job.get("skills") and "time_windows" not in job]
        for vehicle in vehicles:
            small = left and self.draw.random() < 0.5 and vehicle.get("max_tasks", 1) > 0
            if small:
                vehicle["steps"] = [
                    {"type": "start"},
                    {"type": "job", "id": left.pop()["id"]},
                    {"type": "end"},
                ]


def replaced(document, path, value):
    """A copy of a document with the part at a path of keys replaced, or with ABSENT taken out."""
    found = deepcopy(document)
    *way, last = path
    part = found
    for key in way:
        part = part[key]
    if value is ABSENT:
        del part[last]
    else:
        part[last] = value
    return found
