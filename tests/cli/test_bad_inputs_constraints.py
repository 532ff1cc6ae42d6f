"""Bad and odd instances with constraints, many in one file: none costs another its answer."""

import json
import re

import pytest

from tests.cli.runs import solve, vrp
from tests.vrpcore.formats.json.cases import FULL, WRONG, with_

# From the depot to (3, 4), to (3, 0) and back: 5 + 4 + 3.
GOOD = {
    "capacity": 9,
    "depot": [0, 0],
    "customers": [{"x": 3, "y": 4, "demand": 2, "service": 1}, {"x": 3, "y": 0, "demand": 3}],
}
A = ("customers", 0)
# What only a text can say: what is replaced in FULL, and how the message begins and goes on.
TEXTS = [
    ('"count": 4', '"count": 4, "count": 5', "i.vehicles[0]: duplicate key 'count'; keep only one"),
    ('"shipments": [', '"shipments": [], "shipments": [', "i: duplicate key 'shipments'; keep"),
    ('"prize": 12.5', '"prize": 1, "prize": 12.5', "i.customers[1]: duplicate key 'prize'; keep"),
    ('"service": 5', '"service": 5, "service": 6', "i.shipments[0].pickup: duplicate key 'servi"),
    ('"id": "n"', '"id": "n", "id": "n"', "i.depots[0]: duplicate key 'id'; keep only one"),
    ('{"depots"', '{"matrices": {"a": {}, "a": {}}, "depots"', "i.matrices: duplicate key 'a'"),
    ('"id": "van"', '"id": "\\ud800"', "i.vehicles[0].id: '\\ud800' contains a lone surrogate"),
    ("12.5", "1e400", "i.customers[1].prize: inf is not a finite number"),
    ("12.5", "1" * 5000, "i.customers[1].prize: an integer of about 400 digits is not a finite"),
    ("420", "-" + "1" * 5000, "i.vehicles[0].max_duration: an integer of about 400 digits is not"),
    ("[60, 120]", "[" * 20 + "]" * 20, "i.customers[0].window: a list of 1, expected two times"),
    ("[60, 120]", "[" * 5000 + "]" * 5000, "i: line ... nested too deeply"),
    ("[40, 12]", '{"a": ' * 5000 + "1" + "}" * 5000, "i: line ... nested too deeply"),
]
BAD = [(json.dumps(with_(base, *path, **changes)), said) for base, path, changes, said in WRONG]
BAD += [(json.dumps(FULL).replace(old, new, 1), said) for old, new, said in TEXTS]
EIGHT = {"capacity": [9] * 8, "customers": [{"x": 6, "y": 8, "demand": [1] * 8}]}
MANY = [str(number) for number in range(256)]
FAR = [{"x": 1e100, "y": 0, "service": 0}, {"x": -1e100, "y": 0}]
SHIPMENT = {"id": "a", "amount": 2, "pickup": {"x": 3, "y": 4}, "delivery": {"x": 3, "y": 0}}


def with_vehicle(**keys):
    """GOOD with one vehicle type."""
    return with_(GOOD, capacity=..., vehicles=[keys])


# Odd instances, and the status and cost of their answers.
ODD = [
    (with_(GOOD, *A, service=-0.0), "solved", 12),
    (with_(GOOD, *A, service=1e100), "solved", 12),
    (with_(GOOD, *A, window=[5, 5]), "solved", 12),
    (with_(GOOD, *A, window=[-0.0, 4.9]), "infeasible", 6),
    (with_(GOOD, *A, window=[-100, -1]), "infeasible", 6),
    (with_(GOOD, *A, window=[-1e100, 1e100]), "solved", 12),
    (with_(GOOD, *A, window=[1e100, 1e100]), "solved", 12),
    (with_(GOOD, *A, windows=[[10 * k, 10 * k + 5] for k in range(10)]), "solved", 12),
    (with_(GOOD, *A, release=-1e100), "solved", 12),
    (with_(GOOD, *A, release=1e100), "solved", 12),
    (with_(GOOD, *A, release=20, window=[0, 10]), "infeasible", 6),
    (with_(GOOD, *A, prize=0), "solved", 6),
    (with_(GOOD, *A, prize=1e100), "solved", 12),
    (with_(GOOD, *A, priority=100), "solved", 12),
    (with_(GOOD, *A, skills=[]), "solved", 12),
    (with_(GOOD, *A, skills=[""]), "infeasible", 6),
    (with_(GOOD, *A, id="a:pickup"), "solved", 12),
    (with_(GOOD, *A, id="=cmd()\u0000\n"), "solved", 12),
    (with_(GOOD, *A, x=0, y=0), "solved", 6),
    (with_(GOOD, *A, x=-1e100, y=0), "solved", 2e100),
    (with_(GOOD, depot={"x": 0, "y": 0, "window": [0, 12]}), "solved", 16),
    (with_(GOOD, depot={"x": 0, "y": 0, "window": [0, 0]}), "infeasible", 0),
    (with_(GOOD, depot=..., depots=[[0, 0]] * 1000), "solved", 12),
    (with_(GOOD, return_to_depot=False), "solved", 7),
    (with_(GOOD, shipments=[]), "solved", 12),
    (with_(GOOD, customers=..., shipments=[SHIPMENT]), "solved", 12),
    (with_(GOOD, customers=..., shipments=[with_(SHIPMENT, amount=None)]), "solved", 12),
    (with_(GOOD, customers=FAR), "solved", 4e100),
    (with_(GOOD, customers=FAR, metric="euc_2d"), "solved", 4e100),
    (
        with_(with_vehicle(speed=1e-50, travel_cost=1e100), customers=FAR, speed=1e-50),
        "solved",
        4e300,
    ),
    (with_(GOOD, customers=[], speed=3), "solved", 0),
    (with_(GOOD, speed=1e100), "solved", 12),
    (with_(GOOD, durations=[[0] * 3] * 3), "solved", 12),
    (with_(GOOD, distances=[[0] * 3] * 3), "solved", 0),
    (with_(GOOD, matrices={}), "solved", 12),
    (with_(GOOD, backhauls="last", pickup_only_routes=False), "solved", 12),
    (with_(EIGHT, depot=[0, 0]), "solved", 20),
    (with_vehicle(), "solved", 12),
    (with_vehicle(count=0), "infeasible", 0),
    (with_vehicle(count=2**62), "solved", 12),
    (with_vehicle(max_customers=0), "infeasible", 0),
    (with_vehicle(max_customers=1), "solved", 16),
    (with_vehicle(max_distance=10), "solved", 16),
    (with_vehicle(max_duration=11), "solved", 16),
    (with_vehicle(capacity=0), "infeasible", 0),
    (with_vehicle(count=1, start=None, end=None), "solved", 4),
    (with_vehicle(distance_cost=0), "solved", 0),
    (with_vehicle(fixed_cost=1e100), "solved", 1e100),
    (with_vehicle(distance_cost=1e100), "solved", 12e100),
    (with_vehicle(window=[-5, -5]), "infeasible", 0),
    (with_vehicle(skills=MANY), "solved", 12),
    (with_(with_vehicle(skills=MANY), *A, skills=MANY), "solved", 12),
    (with_(GOOD, capacity=..., vehicles=[{}] * 1000), "solved", 12),
    (
        {
            "vehicles": [{"matrix": "slow", "duration_cost": 1}],
            "customers": [{}],
            "matrices": {"slow": {"durations": [[0, 3], [4, 0]]}},
        },
        "solved",
        14,
    ),
    (
        {
            "vehicles": [{"matrix": "slow", "max_duration": 6}],
            "customers": [{}],
            "matrices": {"slow": {"durations": [[0, 3], [4, 0]]}},
        },
        "infeasible",
        0,
    ),
]


def turns():
    """Texts of a good instance, a bad one, a good one, and so on."""
    good = json.dumps(GOOD)
    return [good, *(each for text, _ in BAD for each in (text, good))]


def written(folder, name, text):
    """A file with this text."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def answers(file):
    """What was written for it."""
    return json.loads(file.with_name("out.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What is written for `turns`."""
    folder = tmp_path_factory.mktemp("bad")
    file = written(folder, "batch.json", f"[{','.join(turns())}]")
    solve(file, "-o", file.with_name("out.json"), code=4)
    return answers(file)


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Answers to odd instances, with search."""
    text = json.dumps([each for each, _, _ in ODD])
    file = written(tmp_path_factory.mktemp("odd"), "batch.json", text)
    vrp("solve", file, "-o", file.with_name("out.json"), "--device", "cpu", code=6)
    return answers(file)["solutions"]


def test_each_is_refused_with_its_place(refused):
    for number, (_, said) in enumerate(BAD):
        place = 2 * number + 1
        begins, *goes_on = said.split(" ... ")
        answer = refused["solutions"][place]
        assert answer["status"] == "invalid", said
        assert answer["code"].isupper(), said
        assert answer["error"].startswith(re.sub(r"\bi(?=[.:])", f"instances[{place}]", begins))
        assert all(words in answer["error"] for words in goes_on), (said, answer["error"])
        assert answer["error"].isprintable(), said
        assert answer["name"] == f"instance-{place}"


def test_all_others_are_solved(refused):
    others = refused["solutions"][::2]
    assert [(item["status"], item["cost"]) for item in others] == [("solved", 12)] * len(others)
    counts = {key: refused["summary"][key] for key in ("instances", "solved", "invalid")}
    assert counts == {"instances": 2 * len(BAD) + 1, "solved": len(BAD) + 1, "invalid": len(BAD)}
    assert len(BAD) > 80


def test_the_same_line_by_line(refused, tmp_path):
    file = written(tmp_path, "batch.jsonl", "\n".join(turns()))
    solve(file, "-o", file.with_name("out.json"), code=4)
    keys = ("name", "status", "code", "cost")
    lines, listed = (
        [[item.get(key) for key in keys] for item in each["solutions"]]
        for each in (answers(file), refused)
    )
    assert lines == listed


def test_odd_but_legal_ones_are_answered(odd):
    for answer, (_, status, cost) in zip(odd, ODD, strict=True):
        expected = status, pytest.approx(cost, rel=1e-9)
        assert (answer["status"], answer["cost"]) == expected, answer["name"]
