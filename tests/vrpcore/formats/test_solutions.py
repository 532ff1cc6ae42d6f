import json

import pytest

from tests.build import plain
from vrpcore.errors import InstanceError
from vrpcore.formats import solutions
from vrpcore.formats.answers.solution_json import DOCUMENT_HEAD, document_tail
from vrpcore.formats.solutions import read_solutions, with_own_ids

LINE = b'{"name": "a", "status": "invalid"}\n'
SOL = b"Route #1: 21 31 19\nRoute #2: 12\r\nCost 784\n"


WRONG_TEXT = [
    (b"", "EMPTY", "input: the input is empty, expected vrp-solutions/1"),
    (b"hello", "FORMAT", "input: line 1: cannot parse 'hello', expected vrp-solutions/1 JSON"),
    (b"\xff\xfe", "FORMAT", "input: line 1: cannot parse bytes that are not UTF-8"),
    (SOL + b"Cost 9\n", "FORMAT", "input: line 4: cannot parse 'Cost 9'"),
    (SOL.replace(b"784", b"nan"), "WRONG_TYPE", "input: line 3: Cost: 'nan' is not a finite"),
    (b"Route #1: 1 x\n", "FORMAT", "input: line 1: cannot parse 'Route #1: 1 x'"),
    (b"Route #1: " + b"9" * 5000, "UNKNOWN", "input: line 1: '99999"),
    (b"Route #1: " + b"1 " * 2**24, "TOO_LARGE", "input: line 1 is larger than 16777216 bytes"),
    (b'{"depot": [0, 0]}', "FORMAT", "input: solutions[0]: instances, expected solutions"),
    (b"[1]", "WRONG_TYPE", "input: solutions[0]: 1, expected an object"),
    (b'{"solutions": 1}', "WRONG_TYPE", "input: solutions: 1, expected a list of solutions"),
    (
        b'{"format": "vrp-x/1", "solutions": []}',
        "FORMAT",
        "input: format: 'vrp-x/1', expected 'vrp",
    ),
    (
        b'{"name": "a"',
        "SYNTAX",
        "input: line 1, column 13: not JSON: Expecting ',' delimiter, but",
    ),
    (b"[" * 5000 + b"]" * 5000, "TOO_LARGE", "input: solutions[0]: line 1, column 2: nested too"),
    (b'{"name": "a", "name": "b"}', "DUPLICATE", "input: solutions[0]: duplicate key 'name'"),
]


@pytest.mark.parametrize(("text", "code", "message"), WRONG_TEXT)
def test_each_error_of_a_file_by_its_message(text, code, message):
    with pytest.raises(InstanceError) as caught:
        read_solutions(text)
    assert str(caught.value).startswith(message)
    assert caught.value.code == code


def test_what_follows_the_solutions_is_checked():
    text = DOCUMENT_HEAD + document_tail(None, {})
    with pytest.raises(InstanceError, match="unknown key 'sumary'; did you mean 'summary'"):
        read_solutions(text.replace("summary", "sumary").encode())
    with pytest.raises(InstanceError, match="is it truncated"):
        read_solutions(text[:-3].encode())


def test_too_many_solutions(monkeypatch):
    monkeypatch.setattr(solutions, "MAX_INSTANCES", 2)
    assert len(read_solutions(LINE * 2)) == 2
    with pytest.raises(InstanceError, match="more than 2 solutions; split the input") as caught:
        read_solutions(LINE * 3)
    assert caught.value.code == "TOO_LARGE"


def test_ids_of_json_are_compared_as_texts():
    def read(*ids):
        routes = [{"customers": ids, "load": 2, "cost": 2}]
        left = [{"id": "8", "reason": "FLEET"}, {"id": 9, "reason": "FLEET"}]
        answer = {"name": "a", "status": "partial", "routes": routes, "unserved": left}
        return read_solutions(json.dumps(answer).encode())[0]

    instance = plain(demand=(1, 1, 1), capacity=9, ids=("a", 7, 8))
    own = with_own_ids(instance, read("7", "a", "x", 12))
    assert own.routes[0].customers == (7, "a", "x", 12)
    assert [each.id for each in own.unserved] == [8, 9]
    alike = plain(demand=(1, 1), capacity=9, ids=("7", 7))  # from Python, not from a file
    assert with_own_ids(alike, read(7, "7")).routes[0].customers == (7, "7")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_csv_answers_are_read_in_the_encodings_of_spreadsheets(encoding):
    heading = "instance,route,type,vehicle,customer,arrival,begin,departure,return,start,end"
    rows = f"{heading},status,reason,detail,code,error\nday,1,customer,,7,,,,,,,solved,,,,\n"
    (found,) = read_solutions(rows.encode(encoding))
    assert (found.kind, found.name, found.routes[0].customers) == ("csv", "day", ("7",))
