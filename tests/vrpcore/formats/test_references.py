import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.formats.answers.written import document_of
from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats import solutions
from vrpcore.formats.answers.solution_json import solution_to_line
from vrpcore.formats.json import jsonparse
from vrpcore.formats.solutions import read_references, reference_cost, reference_costs
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
    document = document_of([SOLVED, INVALID, SOLVED]).encode()
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
    text = document_of([SOLVED, other]).encode()
    with pytest.raises(InstanceError, match=r"^input: references: 'north' has two different"):
        read_references(text)


def test_too_many_names(monkeypatch):
    monkeypatch.setattr(solutions, "MAX_INSTANCES", 2)
    assert len(read_references(b'{"a": 1, "b": 2}')) == 2
    with pytest.raises(InstanceError, match=r"^input: references: more than 2 names"):
        read_references(b'{"a": 1, "b": 2, "c": 3}')


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(OutputError, match="cannot be read"):
        read_references(tmp_path / "missing.json")


def refused(call, *arguments):
    """The message of an argument of the wrong type."""
    with pytest.raises(InstanceError) as raised:
        call(*arguments)
    return str(raised.value)


def test_references_are_costs_by_name():
    assert reference_costs(None) == {}
    assert reference_costs({"a": 3, "b": np.int64(4)}) == {"a": 3.0, "b": 4.0}
    said = "references: a list of 1, expected costs by instance name: {name: cost}"
    assert refused(reference_costs, [("a", 3)]) == said
    assert refused(reference_costs, {"a": "9"}) == (
        "references['a']: '9', expected a number; write it without quotes, with a decimal point"
    )
    said = "reference: '1200', expected a number; write it without quotes, with a decimal point"
    assert refused(reference_cost, "1200", "reference") == said
