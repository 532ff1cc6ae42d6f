"""Random instances with constraints as JSON has them, in all forms that may be read."""

import random

from vrpcore.instance.instance import METRICS


class RandomInstances:
    """Random objects of instances, in all forms that may be read."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.dimensions = self.draw.choice([None, 1, 3])
        self.points = self.draw.random() < 0.8

    def some(self, **keys):
        return {key: value for key, value in keys.items() if self.draw.random() < 0.5}

    def number(self):
        return self.draw.choice([0, 1, 0.1, self.draw.uniform(0, 5), 1e-9, 12345678])

    def amount(self, most=4):
        numbers = [self.draw.choice([0, 1, 2.5, most]) for _ in range(self.dimensions or 1)]
        return numbers if self.dimensions else numbers[0]

    def point(self):
        return {"x": self.draw.uniform(-9, 9), "y": -self.number()} if self.points else {}

    def window(self):
        first = self.draw.uniform(-3, 9)
        return [first, first + self.number()]

    def times(self):
        windows = [[0, 1.5], [2, 3], [7, 7.25]][: self.draw.randint(1, 3)]
        opening = self.draw.choice([{}, {"window": self.window()}, {"windows": windows}])
        times = self.some(service=self.number(), setup=self.number(), place=self.draw.randint(0, 3))
        late = self.some(max_late=self.number(), late_cost=self.number()) if opening else {}
        return {**self.point(), **opening, **times, **late}

    def by_vehicle(self, names):
        """Times of a stop for single types."""
        found = {name: self.number() for name in names}
        return self.some(service_by_vehicle=found, setup_by_vehicle=found)

    def permitted(self, names):
        """Which types may serve somebody, and what it costs more."""
        few = self.draw.sample(names, self.draw.randint(1, len(names)))
        return self.some(vehicles=few, vehicle_cost={name: self.number() for name in few})

    def rest(self, row):
        """A break."""
        windows = {"windows": [[0, 1.5], [2, 3]]} if row else {"window": self.window()}
        return self.some(id=f"b{row}", duration=self.number(), max_load=self.amount()) | windows

    def wanted(self):
        return self.some(
            release=self.number() - 2, prize=self.number(), priority=self.draw.randint(0, 100),
            skills=self.draw.choice([[], ["b", "a"], ["a", "a"]]),
        )  # fmt: skip

    def customer(self, order):
        kinds = {
            "mixed": ("demand", "pickup"),
            "last": self.draw.choice([("demand",), ("pickup",)]),
        }
        amounts = {kind: self.amount() for kind in kinds[order]}
        return {**self.times(), **self.some(**amounts), **self.wanted()}

    def vehicle(self, depots):
        names = ("max_duration", "max_travel_time", "max_distance", "fixed_cost", "distance_cost")
        places = [*depots, None]
        found = self.some(
            count=self.draw.randint(0, 3), capacity=self.amount(), window=self.window(),
            start=self.draw.choice(places), end=self.draw.choice(places), speed=1.5, matrix="m",
            max_customers=self.draw.randint(0, 9), skills=["b", "a"],
            duration_cost=self.number(), travel_cost=self.number(), service_cost=self.number(),
            breaks=[self.rest(row) for row in range(self.draw.randint(0, 2))],
            latest_start=self.number() - 2,
            **{name: self.number() for name in names},
        )  # fmt: skip
        if self.draw.random() < 0.5:
            found["reloads"] = self.draw.sample(depots, self.draw.randint(0, len(depots)))
            found |= self.some(max_reloads=self.draw.randint(0, 3))
        if "max_duration" in found:
            found |= self.some(max_overtime=self.number(), overtime_cost=self.number())
        if "window" in found:
            found |= self.some(max_late=self.number(), late_cost=self.number())
        most = found.get("capacity", self.amount())
        return found | self.some(initial_load=most, lost=True)

    def between(self, customers, shipments, names):
        """Groups, relations and a price of uneven work; `customers`: with their ids."""
        units = [each for each in (*customers, *shipments) if not {"prize", "priority"} & {*each}]
        members = self.draw.sample([each["id"] for each in units], len(units) // 2)
        parts = [members[:2], *([each] for each in members[2:])]
        groups = [{"members": part, **self.some(prize=3, priority=2)} for part in parts if part]
        named = self.draw.random() < 0.5
        groups = [{"id": f"g{i}", **each} if named else each for i, each in enumerate(groups)]
        stops = [each["id"] for each in customers]
        for each in shipments:
            ends = ("pickup", "delivery") if "pickup" in each else ("delivery",)
            stops += [f"{each['id']}:{end}" for end in ends]
        ends = self.some(at=self.draw.choice(["start", "end"]))
        ends |= self.some(vehicle=self.draw.choice(names)) if names else {}
        relations = [
            {"kind": "chain", "stops": stops, **ends},
            {"kind": "together", "stops": stops[:2]},
            {"kind": "order", "stops": []},
            {"kind": "apart", "stops": stops[:1]},
        ]
        return self.some(groups=groups, relations=relations, balance=self.balance())

    def balance(self):
        keys = ("duration", "distance", "customers", "load")
        return self.some(**{key: self.number() for key in keys}) or {"load": 0}

    def matrices(self, size):
        def matrix():
            rows = [[self.number() for _ in range(size)] for _ in range(size)]
            return [[value * (i != j) for j, value in enumerate(row)] for i, row in enumerate(rows)]

        kinds = self.draw.choice([("distances",), ("durations",), ("distances", "durations")])
        return {kind: matrix() for kind in kinds} | self.some(costs=matrix())

    def fleet(self, depots):
        if self.draw.random() < 0.7:
            vehicles = [self.vehicle(depots) for _ in range(self.draw.randint(1, 3))]
            named = self.draw.random() < 0.5
            return {
                "vehicles": [
                    {"id": f"v{i}", **each} if named else each for i, each in enumerate(vehicles)
                ]
            }
        capacity = [4] * self.dimensions if self.dimensions else 4
        return {"capacity": capacity, **self.some(max_vehicles=2, return_to_depot=False)}

    def instance(self):
        draw = self.draw
        order = draw.choice(["mixed", "mixed", "last"])
        named, ids = draw.random() < 0.5, draw.sample(["a", 7, "7b", -1, "ä\n"], 5)
        places = [
            self.point()
            | self.some(window=self.window(), place=draw.randint(0, 2), service=self.number())
            for _ in range(draw.randint(1, 3))
        ]
        depots = [{"id": f"d{i}", **row} if named else row for i, row in enumerate(places)]
        customers = [self.customer(order) for _ in range(draw.randint(0, 5))]
        if draw.random() < 0.5:
            customers = [{"id": own, **row} for own, row in zip(ids, customers, strict=False)]
        shipments = [
            {"id": f"s{i}", "pickup": self.times(), "delivery": self.times(), **self.wanted()}
            | self.some(amount=self.amount())
            for i in range(0 if order == "last" else draw.randint(0, 2))
        ]
        fleet = self.fleet([row.get("id", str(i)) for i, row in enumerate(depots)])
        types = fleet.get("vehicles", [])
        names = [row.get("id", str(place)) for place, row in enumerate(types)]
        single = [name for name, row in zip(names, types, strict=True) if row.get("count") == 1]
        for row in shipments if single else ():
            if draw.random() < 0.5:
                row.pop("pickup"), row.pop("release", None)
                row["on_board"] = draw.choice(single)
        size = len(depots) + len(customers) + sum(1 + ("pickup" in row) for row in shipments)
        found = {
            "name": draw.choice(["x", "ä"]), "depots": depots, "customers": customers,
            "shipments": shipments, "matrices": {"m": self.matrices(size)},
            "metric": draw.choice(METRICS[:3]), "backhauls": order,
            **self.some(speed=2.5, pickup_only_routes=draw.random() < 0.5, goods="any"),
            **self.some(routes=[[f"{row['id']}:delivery"] * 2 for row in shipments]),
            **fleet,
        }  # fmt: skip
        if not self.points or draw.random() < 0.2:
            found |= self.matrices(size)
        visits = [own[end] for own in shipments for end in ("pickup", "delivery") if end in own]
        for row in [*customers, *visits]:
            row |= self.by_vehicle(names) if names else {}
        for row in [*customers, *shipments]:
            row |= self.permitted(names) if names else {}
        named = [{**row, "id": row.get("id", i)} for i, row in enumerate(customers, 1)]
        return found | self.between(named, shipments, names)
