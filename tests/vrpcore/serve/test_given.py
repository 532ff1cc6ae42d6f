import json

import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.solutions import parts_of
from vrpcore.instance.instance import InvalidInstance
from vrpcore.serve.given import starts_of

ONE = {"name": "a", "status": "solved", "cost": 2, "routes": []}


def items(*names):
    return [InvalidInstance(name=name, code="X", error="x") for name in names]


def starts(earlier, *names):
    parts = parts_of(json.dumps({"warm_start": earlier, "instances": []}).encode())
    return [start and start.name for start in starts_of(items(*names), parts.earlier)]


@pytest.mark.parametrize(
    "body",
    [
        {"capacity": 1, "warm_start": []},
        {"instances": []},
        {"instances": [], "warm_start": [], "more": 1},
        [{"warm_start": 1}],
    ],
)
def test_other_bodies_have_no_parts(body):
    assert parts_of(json.dumps(body).encode()) is None


def test_values_are_files_texts_too():
    parts = parts_of(b' {"instances": {"a": [1]}, "warm_start": "instance,route\\n"}')
    assert (parts.instances.rest(), parts.earlier.rest()) == (b'{"a": [1]}', b"instance,route\n")
    with pytest.raises(InstanceError, match=r"^line 1, column 33: not JSON: Expecting value"):
        parts_of(b'{"instances": [], "warm_start": ]}')


def test_answers_are_found_by_name_else_by_position():
    assert starts([ONE, {**ONE, "name": "b"}], "b", "a") == ["b", "a"]
    assert starts([ONE], "other") == ["a"]
    assert starts(json.dumps(ONE), "a") == ["a"]


@pytest.mark.parametrize(
    ("earlier", "said"),
    [
        ([ONE, ONE], "warm_start: 2 solutions for 1 instances; give one for each"),
        ([{"depot": [0, 0]}], "warm_start: solutions[0]: instances, expected solutions; give"),
        ("tint", "warm_start: "),
        (
            "UEsDB",
            "warm_start: an archive, but no whole workbook; expected .xlsx or .ods in base64",
        ),
    ],
)
def test_what_is_wrong_names_the_answers(earlier, said):
    with pytest.raises(InstanceError) as caught:
        starts(earlier, "a")
    assert str(caught.value).startswith(said)
