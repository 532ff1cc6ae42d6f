import gzip
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.answers import references
from vrpcore.formats.answers.references import read_references, with_gap
from vrpcore.formats.answers.solution_json import solution_to_line, solutions_to_json
from vrpcore.formats.json import jsonparse
from vrpcore.instance.solution import Solution

SOLVED = Solution(name="north", status="solved", cost=12.5)
INVALID = Solution(name="bad", status="invalid", code="X", error="y")
SOL = b"Route #1: 21 31 19\nRoute #2: 12\r\nCost 784\n"
NAMES = st.text(st.characters(codec="utf-8"), max_size=5)


def test_a_table():
    assert read_references(b'{"a": 784, "b": 1.5}') == {"a": 784.0, "b": 1.5}
    assert read_references(gzip.compress(b'\n {"a": -1}\n')) == {"a": -1.0}
    assert read_references(b"{}") == {}
    # Names that keys of solutions have, too.
    assert read_references(b'{"cost": 1, "name": 2}') == {"cost": 1.0, "name": 2.0}


@given(st.dictionaries(NAMES, st.integers(-(10**20), 10**20) | st.floats(-1e100, 1e100)))
def test_any_table(costs):
    found = read_references(json.dumps(costs).encode())
    assert found == {name: float(cost) for name, cost in costs.items()}


def test_a_table_larger_than_an_instance(monkeypatch):
    monkeypatch.setattr(jsonparse, "MAX_PARTS", 100)
    costs = {f"instance-{index}": index / 8 for index in range(500)}
    assert read_references(json.dumps(costs).encode()) == costs


def test_solutions():
    document = solutions_to_json(map(solution_to_line, [SOLVED, INVALID, SOLVED]), {}, {}).encode()
    assert read_references(document) == {"north": 12.5}
    lines = f"{solution_to_line(SOLVED)}\n{solution_to_line(INVALID)}\n".encode()
    assert read_references(lines) == {"north": 12.5}
    assert read_references(solution_to_line(SOLVED).encode()) == {"north": 12.5}
    assert read_references(b"[]") == {}


def test_cvrplib_solutions(tmp_path):
    (tmp_path / "A-n32-k5.sol").write_bytes(SOL)
    assert read_references(tmp_path / "A-n32-k5.sol") == {"A-n32-k5": 784}
    assert read_references(b"Route #1: 1\n") == {}


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (b'{"a": 1, "a": 2}', "DUPLICATE", r"references: duplicate key 'a'"),
        (b'{"a": 1e400}', "OUT_OF_RANGE", r"references\['a'\]: inf is not a finite number"),
        (b'{"a": NaN}', "OUT_OF_RANGE", r"references\['a'\]: nan is not a finite number"),
        (b'{"name": Infinity}', "OUT_OF_RANGE", r"references\['name'\]: inf is not a finite"),
        (b'{"a": 1e101}', "OUT_OF_RANGE", r"references\['a'\]: 1e\+101 is not"),
        (b'{"a": ' + b"9" * 5000 + b"}", "OUT_OF_RANGE", r"an integer of about \d+ digits"),
        (b'{"a": 1, "b": "1"}', "WRONG_TYPE", r"references\['b'\]: '1', expected a number"),
        (b'{"a": null}', "WRONG_TYPE", r"references\['a'\]: null, expected a number"),
        (b'{"a": true}', "WRONG_TYPE", r"references\['a'\]: true, expected a number"),
        (b'{"a": {"cost": 1}}', "WRONG_TYPE", r"references\['a'\]: an object, expected"),
        (b'{"\\ud800": 1}', "ENCODING", r"references: '\\ud800' contains a lone surrogate"),
        (b'{"name": "a", "stauts": 1}', "UNKNOWN", r"solutions\[0\]"),
        (b'{"format": "vrp-instances/1"}', "FORMAT", "format: instances, expected"),
        (b'{"a": 1', "SYNTAX", "not JSON"),
        (b'{"a": 1} x', "SYNTAX", "extra data"),
        (b'{"a": \xff}', "SYNTAX", r"line 1, column \d"),
        (b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}", "TOO_LARGE", "nested too deeply"),
        (b"", "EMPTY", "the input is empty"),
        (b"hello", "FORMAT", "line 1: cannot parse 'hello'"),
    ],
)
def test_what_is_no_reference(text, code, message):
    with pytest.raises(InstanceError, match=f"^input: .*{message}") as caught:
        read_references(text)
    assert caught.value.code in code.split("|")


def test_one_name_with_two_costs():
    other = Solution(name=SOLVED.name, status="solved", cost=13.0)
    text = solutions_to_json(map(solution_to_line, [SOLVED, other]), {}, {}).encode()
    with pytest.raises(InstanceError, match=r"^input: references: 'north' has two different"):
        read_references(text)


def test_too_many_names(monkeypatch):
    monkeypatch.setattr(references, "MAX_INSTANCES", 2)
    assert len(read_references(b'{"a": 1, "b": 2}')) == 2
    with pytest.raises(InstanceError, match=r"^input: references: more than 2 names"):
        read_references(b'{"a": 1, "b": 2, "c": 3}')


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(OutputError, match="cannot be read"):
        read_references(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("cost", "reference", "gap"),
    [
        (12.5, 10.0, 0.25),
        (792, 784.0, 8 / 784),
        (784, 784.0, 0.0),
        (9.0, 10.0, -0.1),
        (0, 10.0, -1.0),
        (0.0, 0.0, 0.0),
        (0, 0, 0.0),
        (1.0, 0.0, None),
        (0.0, -1.0, None),
        (1.0, -1.0, None),
        (-1.0, -1.0, None),
        (1.0, 5e-324, None),
        (1e100, 1e-100, None),
    ],
)
def test_gaps(cost, reference, gap):
    answer = Solution(name="a", status="solved", cost=cost, warnings=("W",))
    found = with_gap(answer, {"a": reference, "b": 3.0})
    assert (found.gap, found.cost, found.warnings) == (gap, cost, ("W",))


def test_what_has_no_gap():
    costs = {"north": 1.0, "bad": 1.0}
    unknown = Solution(name="south", status="solved", cost=1.0)
    no_cost = Solution(name="north", status="solved")
    for answer in (INVALID, unknown, no_cost):
        assert with_gap(answer, costs) is answer


@given(st.floats(0, 1e100), st.floats(0, 1e100))
def test_gaps_can_be_written_and_mean_what_they_say(cost, reference):
    found = with_gap(Solution(name="a", status="solved", cost=cost), {"a": reference})
    assert '"gap": ' in solution_to_line(found)
    if found.gap is not None:
        assert math.isclose(
            reference * (1 + found.gap), cost, rel_tol=1e-12, abs_tol=1e-12 * reference
        )
