"""Malformed, hostile and odd-but-legal inputs, through `vrp solve` itself."""

import json
import time

import pytest
from typer.testing import CliRunner

from vrpcore.cli.main import app

# One customer at distance 1, to be bent; what is wrong, and what the message has to say.
GOOD = '{"capacity": 5, "depot": [0, 0], "customers": [{"x": 0, "y": 1, "demand": 2}]}'
HOSTILE = [
    (GOOD.replace("5", "-5"), "capacity: -5 is not a positive number"),
    (GOOD.replace("5", '"5"'), "capacity: '5', expected a number"),
    (GOOD.replace("5", "NaN"), "capacity"),
    (GOOD.replace("5", '5, "capacity": 6'), "duplicate key 'capacity'"),
    (GOOD.replace("2}", "true}"), "customers[0].demand: true, expected a number"),
    (GOOD.replace("2}", "9}"), "customers[0].demand: 9 exceeds capacity 5"),
    (GOOD.replace("2}", "1" * 5000 + "}"), "customers[0].demand"),
    (GOOD.replace(', "demand": 2', ""), "customers[0].demand: missing"),
    (GOOD.replace('"y": 1, ', ""), "customers[0].y: missing"),
    (GOOD.replace('"x": 0', '"x": 1e400'), "customers[0].x"),
    (GOOD.replace('"x": 0', '"x": Infinity'), "customers[0].x"),
    (GOOD.replace("[0, 0]", "[0]"), "depot"),
    (GOOD.replace('"depot": [0, 0], ', ""), "depot: missing"),
    (GOOD.replace("capacity", "capcity"), "did you mean 'capacity'?"),
    (GOOD[:40], "line 1"),
    ("[" * 5000, "line 1, column 5001: not JSON"),
    (f'{{"name": {"[" * 5000}{"]" * 5000}, {GOOD[1:]}', "nested too deeply"),
    ("", "the input is empty"),
    (" \n\t\n", "the input is empty"),
    ("null", "instances"),
    ("{'capacity': 5}", "line 1"),
    (GOOD.replace("5", '5, "distances": [[0, -1], [1, 0]]'), "distances[0][1]: -1 is negative"),
    (GOOD.replace("5", '5, "distances": [[0, 1, 2]]'), "expected a square matrix, 2 x 2"),
    (GOOD.replace("5", '5, "max_vehicles": 0'), "max_vehicles: 0, expected at least 1"),
    (GOOD.replace("5", '5, "name": "\\ud800"'), "lone surrogate"),
    (
        "TYPE : CVRP\nDIMENSION : 2000000000\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 5\nEOF\n",
        "DIMENSION",
    ),
    ("NAME : x\nTYPE : TSPTW\nDIMENSION : 2\nCAPACITY : 5\nEOF\n", "TYPE"),
]
ODD = [
    (GOOD, 2.0),
    ("\ufeff" + GOOD, 2.0),
    (f"[{GOOD}]", 2.0),
    (GOOD.replace("5", str(2**62)), 2.0),
    (GOOD.replace("2}", "0}"), 2.0),
    (GOOD.replace("2}", "5}"), 2.0),
    (GOOD.replace('"y": 1', '"y": 0'), 0.0),
    (GOOD.replace('"y": 1', '"y": 1e-9'), 2e-9),
    (GOOD.replace("5", '5, "distances": [[0, 3], [4, 0]]'), 7.0),
    (GOOD.replace("5", '5, "name": "../../=cmd()\\u0000"'), 2.0),
]
SECONDS = 60  # far above what any takes: a hang, not a slow machine


@pytest.fixture(scope="module")
def cases(test_data):
    folder = test_data / "bad"
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [(folder / case["file"], case) for case in index]


def solve(file, folder):
    """Exit code, words and the document of solving one file."""
    started = time.monotonic()
    out = folder / "solutions.json"
    result = CliRunner().invoke(
        app, ["solve", str(file), "-o", str(out), "--device", "cpu", "--iterations", "1000"]
    )
    assert time.monotonic() - started < SECONDS, file
    assert isinstance(result.exception, SystemExit | None), (file, result.exception)
    names = [path.name for path in folder.iterdir()]
    assert names in ([], ["solutions.json"]), (file, names)
    document = json.loads(out.read_text(encoding="utf-8")) if names else None
    out.unlink(missing_ok=True)
    return result.exit_code, result.output, document


def solve_text(text, folder):
    """The same of solving a file with this text."""
    file, out = folder / "input.json", folder / "out"
    file.write_text(text, encoding="utf-8")
    out.mkdir()
    return solve(file, out)


def solved_costs(document):
    return [item["cost"] for item in document["solutions"] if item["status"] == "solved"]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_input_is_refused_with_its_place(number, tmp_path):
    text, said = HOSTILE[number]
    code, words, document = solve_text(text, tmp_path)
    assert code == 4
    assert said in " ".join(words.split())
    assert document is None or not solved_costs(document)


@pytest.mark.parametrize("number", range(len(ODD)))
def test_odd_but_legal_input_is_solved(number, tmp_path):
    text, cost = ODD[number]
    code, words, document = solve_text(text, tmp_path)
    assert code == 0, words
    assert solved_costs(document) == pytest.approx([cost], rel=1e-9)


def test_every_case(cases, tmp_path):
    assert len(cases) > 50
    for file, case in cases:
        code, words, document = solve(file, tmp_path)
        if case["expect"] == "refuse":
            assert code == 4, (file, code, words)
            assert document is None or not solved_costs(document), file
            said = words.lower()
            assert any(hint.lower() in said for hint in case["hint"]), (file, words)
        elif case["expect"] == "solve":
            assert code == 0, (file, code, words)
            if "cost" in case:
                assert solved_costs(document) == pytest.approx([case["cost"]], rel=1e-9), file
        elif case["expect"] == "partial":
            assert code == 4, (file, code, words)
            assert solved_costs(document), file
        else:
            assert code in (0, 4), (file, code, words)
            if code == 0 and "cost" in case:
                assert solved_costs(document) == pytest.approx([case["cost"]], rel=1e-9), file
