"""Requests that were changed at random are all answered, and leave no room taken."""

import copy
import json
import random

import pytest

from tests.fuzz.seeds import seeds
from tests.fuzz.targets import Http

HEADS = (b"v1/solve", b"v1/solve", b"v1/instances", b"v1/jobs", b"")
QUERIES = ("improve=none", "improve=deep", "fewest_vehicles=true", "both=true", "freeze=2", "x=1")
VALUES = (None, -1, 0, 1.5, 10**9, 1e308, "", "7:00", [], {}, True, [[0, 9]], [1, 2])


def mutated_request(rng):
    """A request of a seed's form, one or several of them in its body, changed in places."""
    found = [_value(text) for target in ("instances", "vroom") for text in seeds(target)]
    found = [each for each in found if each is not None]
    items = [_changed(rng, rng.choice(found)) for _ in range(rng.choice((1, 1, 2, 4)))]
    body = json.dumps(items if len(items) > 1 else items[0]).encode()
    other = rng.choice([*seeds("instances"), *seeds("sheets")]) if rng.random() < 0.3 else body
    body = bytearray(other)
    for _ in range(rng.choice((0, 0, 0, 1, 3))):
        body[rng.randrange(len(body))] = rng.randrange(256)
    chosen = rng.sample(QUERIES, rng.choice((0, 0, 1, 2)))
    query = "&".join([*chosen, "time_limit=1"]).encode()
    return b"POST " + rng.choice(HEADS) + b"?" + query + b"\n" + bytes(body)


def _value(text):
    try:
        return json.loads(text.partition(b"\n{")[0])
    except ValueError:
        return None


def _changed(rng, value):
    """The same with a part of it replaced, left out or given twice, now and then."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        part, keys = value, ()
        while isinstance(part, dict | list) and part:
            keys = (part, rng.choice(list(part) if isinstance(part, dict) else range(len(part))))
            if rng.random() < 0.3:
                break
            part = part[keys[1]]
        if not keys:
            continue
        holder, key = keys
        if isinstance(holder, list) and rng.random() < 0.3:
            holder.append(copy.deepcopy(holder[key]))
        elif rng.random() < 0.3:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
    return value


@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.slow)])
def test_each_is_answered_and_gives_its_room_back(count):
    ask, rng = Http(searches=True), random.Random(0)
    for _ in range(count):
        ask(mutated_request(rng))
    assert ask.load == 0
    ask.close()
