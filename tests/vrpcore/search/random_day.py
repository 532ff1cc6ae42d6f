"""Random working days of any size: trips, lateness, alternatives and relations together."""

import random

from tests.build import constrained


def random_day(seed, size):
    """An instance of some of the new keys, and tight limits."""
    draw = random.Random(seed)
    vehicle = {"count": draw.randint(1, 2), "capacity": draw.randint(5, 9), "reloads": ["0"]}
    if draw.random() < 0.4:
        vehicle |= {"max_duration": draw.randint(30, 60), "overtime_cost": draw.randint(1, 3)}
    if draw.random() < 0.3:
        vehicle |= {"duration_cost": 1}
    customers = []
    for _ in range(size):
        begin = draw.randint(0, 60)
        each = {"x": draw.randint(0, 20), "y": draw.randint(0, 20), "demand": draw.randint(1, 4)}
        each |= {"window": [begin, begin + draw.randint(5, 60)]}
        if draw.random() < 0.6:
            each |= {"late_cost": draw.randint(0, 3)}
        if draw.random() < 0.3:
            each |= {"release": draw.randint(0, 40)}
        customers.append(each)
    keys = {}
    if draw.random() < 0.5:
        keys["groups"] = [{"members": draw.sample(range(1, size + 1), 2)}]
    else:
        kind = draw.choice(["together", "apart", "order", "chain"])
        keys["relations"] = [{"kind": kind, "stops": draw.sample(range(1, size + 1), 2)}]
    return constrained(customers=customers, vehicles=[vehicle], **keys)
