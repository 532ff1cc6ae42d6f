import gzip
import io
import json
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.formats.tiny_vrp import VRP
from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats import read
from vrpcore.formats.json import jsonparse
from vrpcore.formats.read import iter_instances, read_instances, read_sources
from vrpcore.formats.write import instance_to_dict
from vrpcore.instance.instance import Instance, InvalidInstance

GOOD = {"capacity": 9, "depot": [0.5, 0.5], "coords": [[0, 1], [1, 0]], "demands": [1, 2]}
BAD = {**GOOD, "capacity": -4, "name": "bad"}
DEEP = '{"name": ' + "[" * 5000 + "]" * 5000 + "}"


def text(value, **options):
    return json.dumps(value, **options).encode()


def lines(*values):
    return b"\n".join(text(value) for value in values)


def names(items):
    return [item.name for item in items]


FORMS = {
    "one object": text(GOOD),
    "one object over lines": text(GOOD, indent=1),
    "list": text([GOOD]),
    "envelope": text({"format": "vrp-instances/1", "instances": [GOOD]}),
    "envelope without format": text({"instances": [GOOD]}, indent=2),
    "envelope in another order": text({"instances": [GOOD], "format": "vrp-instances/1"}),
    "lines": lines(GOOD) + b"\n\n",
    "byte order mark": b"\xef\xbb\xbf" + text([GOOD]),
    "white space before": b"\r\n \t" + text([GOOD]),
}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_every_form_gives_the_same_instance(data, pack, tmp_path):
    file = tmp_path / "misleading.vrp"
    file.write_bytes(pack(data))
    for source in (pack(data), file, str(file)):
        (found,) = read_instances(source)
        assert isinstance(found, Instance)
        assert (found.name, found.ids, found.capacity) == ("instance-0", (1, 2), 9.0)
        assert found.coords.tolist() == [[0.5, 0.5], [0, 1], [1, 0]]
        assert found.demand.tolist() == [0, 1, 2]


def test_parsed_objects_and_numpy_in_them():
    array = {**GOOD, "coords": np.array([[0, 1], [1, 0]]), "capacity": np.int64(9)}
    for source in (GOOD, [GOOD], {"instances": [GOOD]}, array, (array,)):
        (found,) = read_instances(source)
        assert found.coords.tolist() == [[0.5, 0.5], [0, 1], [1, 0]]


@pytest.mark.parametrize("data", [b"[]", b'{"instances": []}', b'{"instances":[]}\n', [], ()])
def test_an_empty_list_is_an_empty_answer(data):
    assert read_instances(data) == []


def test_one_invalid_among_others_keeps_its_place():
    for source in (text([GOOD, BAD, GOOD]), lines(GOOD, BAD, GOOD), [GOOD, BAD, GOOD]):
        first, second, third = read_instances(source)
        assert isinstance(first, Instance)
        assert second == InvalidInstance(
            name="bad",
            code="OUT_OF_RANGE",
            error="instances[1].capacity: -4 is not a positive number",
        )
        assert third.name == "instance-2"


def test_positions_run_over_all_sources_and_places_name_theirs(tmp_path):
    (tmp_path / "a.json").write_bytes(text([GOOD, GOOD]))
    (tmp_path / "b.jsonl").write_bytes(lines(GOOD, {"capacity": 1}))
    (tmp_path / "c.vrp").write_text(VRP.replace("NAME : tiny\n", ""))
    found = read_instances(tmp_path / "a.json", tmp_path / "b.jsonl", tmp_path / "c.vrp")
    assert names(found) == ["instance-0", "instance-1", "instance-2", "instance-3", "c"]
    assert found[3].error.startswith(f"{tmp_path}/b.jsonl: instances[1].customers: missing")


SPOILED = {
    "duplicate key": (b'{"name": "x", "name": "y"}', "DUPLICATE"),
    "deep": (DEEP.encode(), "TOO_LARGE"),
    "not UTF-8": (b'{"name": "\xff"}', "ENCODING"),
    "surrogate": (b'{"name": "\\ud800"}', "ENCODING"),
    "long integer": (b'{"capacity": ' + b"7" * 5000 + b"}", "OUT_OF_RANGE"),
    "NaN": (b'{"capacity": NaN}', "OUT_OF_RANGE"),
    "1e400": (b'{"capacity": 1e400}', "OUT_OF_RANGE"),
    "1e-101": (b'{"capacity": 0.01e-99}', "OUT_OF_RANGE"),
    "VROOM's": (b'{"jobs": 5, "vehicles": []}', "WRONG_TYPE"),
    "key within": (b'{"customers": [{"x": null, "x": 1}]}', "DUPLICATE"),
    "null": (b"null", "WRONG_TYPE"),
    "list": (b"[]", "WRONG_TYPE"),
}


@pytest.mark.parametrize(("bad", "code"), SPOILED.values(), ids=SPOILED.keys())
def test_what_spoils_one_instance(bad, code):
    (found,) = read_instances(b"[" + bad + b"]")
    assert found.code == code
    assert found.error.startswith("instances[0]")
    assert found.error.isprintable()
    assert found.name.encode()


PARTS = [text(GOOD), text(BAD), *(bad for bad, _ in SPOILED.values() if len(bad) < 2**20)]
SHAPES = [(b"[\n", b",\n", b"]"), (b'{"instances": [\n', b",\n", b"]}"), (b"\n", b"\n", b"\n")]


@given(
    st.lists(st.sampled_from(PARTS), max_size=5),
    st.sampled_from(SHAPES),
    st.sampled_from([bytes, gzip.compress, b"\xef\xbb\xbf".__add__]),
)
def test_each_is_read_as_if_it_were_alone(parts, shape, pack):
    begin, between, end = shape
    parts = [text(GOOD), *parts]  # JSON Lines begin with an object
    found = read_instances(pack(begin + between.join(parts) + end))
    for index, (item, part) in enumerate(zip(found, parts, strict=True)):
        (alone,) = read_instances(b"[\n" + part + b"]")
        if isinstance(alone, InvalidInstance):
            said = alone.error.replace("instances[0]", f"instances[{index}]")
            assert item.error == said.replace("line 2,", f"line {index + 2},")
            assert item.code == alone.code
        else:
            name = f"instance-{index}"
            assert instance_to_dict(item) == instance_to_dict(alone) | {"name": name}


@pytest.mark.parametrize("bad", [b"{'a': 1}", b"{'jobs': 1, \"jobs\": 2}"])
def test_a_line_that_is_not_json_is_one_invalid_instance(bad):
    _, second, third = read_instances(b"\n".join((text(GOOD), bad, text(GOOD))))
    assert second.code == "SYNTAX"
    assert second.error.startswith("instances[1]: line 2, column 2: not JSON: ")
    assert third.name == "instance-2"
    _, last = read_instances(text(GOOD) + b"\n" + text(GOOD)[:-9])
    assert last.error.startswith(
        "instances[1]: line 2, column 75: not JSON: Expecting ':' delimiter, but the text"
    )


NOT_PARSED = {
    "nothing": (b"", "EMPTY", "the input is empty, expected a JSON object or list"),
    "white space": (b" \n\t\n", "EMPTY", "the input is empty"),
    "null": (b"null", "FORMAT", "line 1: cannot parse 'null', expected a JSON object or list"),
    "words": (b"\nhello\x1b world\n", "FORMAT", r"line 2: cannot parse 'hello\\x1b world'"),
    "bytes": (b"\x07\xe2\xff\x00", "FORMAT", "line 1: cannot parse bytes that are not UTF-8"),
    "zeros": (bytes(10**6), "FORMAT", "line 1: cannot parse bytes that are not UTF-8"),
    "UTF-16": ("[]".encode("utf-16"), "FORMAT", "cannot parse UTF-16 text"),
    "UTF-32": ("[]".encode("utf-32"), "ENCODING", ": UTF-32 text; save it as UTF-8"),
    "UTF-32 CSV": ("\ufeffid,x".encode("utf-32-be"), "ENCODING", "UTF-32 text; save it"),
    "zip": (b"PK\x03\x04", "FORMAT", r"not a readable \.npz: File is not a zip file"),
    "pickle": (b"\x80\x04\x95", "FORMAT", "a pickle: reading one can run any code"),
    "gzip twice": (gzip.compress(gzip.compress(b"[]")), "FORMAT", "gzip within gzip"),
    "single quotes": (b"{'instances': []}", "SYNTAX", "line 1, column 2: not JSON"),
    "one bad line": (b'{"capacity": tru}', "SYNTAX", "line 1, column 14: not JSON"),
    "bad element": (b'[{"capacity": 1},\n tru]', "SYNTAX", "line 2, column 2: not JSON"),
    "truncated": (text([GOOD, GOOD])[:-20], "SYNTAX", "is it truncated"),
    "two documents": (text([]) + text([]), "SYNTAX", "column 3: not JSON: extra data"),
    "two envelopes": (lines({"instances": []}, {"instances": []}), "SYNTAX", "extra data"),
    "null list": (b'{"instances": null}', "WRONG_TYPE", "instances: null, expected a list"),
    "format alone": (b'{"format": "vrp-instances/1"}', "MISSING", "instances: missing"),
    "other format": (b'{"format": "vrp-x/1", "instances": []}', "FORMAT", "'vrp-x/1', expected"),
    "format null": (b'{"format": null, "instances": []}', "FORMAT", "format: null, expected"),
    "key twice": (b'{"instances": [], "instances": []}', "DUPLICATE", "instances: duplicate"),
    "key after": (b'{"instances": [], "extra": 1}', "UNKNOWN", "'instances': unknown key 'ex"),
    "key before": (b'{"forma": 1, "instances": []}', "UNKNOWN", "did you mean 'format'"),
}


@pytest.mark.parametrize(("data", "code", "message"), NOT_PARSED.values(), ids=NOT_PARSED.keys())
def test_a_file_that_cannot_be_parsed_at_all(data, code, message, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(data)
    with pytest.raises(InstanceError, match=message) as caught:
        read_instances(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert str(caught.value).isprintable()
    assert caught.value.code == code


@pytest.mark.parametrize(
    "value", [{"instances": 5}, {"format": "vrp-instances/1"}, {"instances": [], "x": 1}]
)
def test_parsed_objects_of_another_shape(value):
    with pytest.raises(InstanceError, match="instances"):
        read_instances(value)


def test_good_sources_are_kept_beside_bad_ones(tmp_path):
    (tmp_path / "bad").write_bytes(text([GOOD, GOOD])[:-1])
    found = read_sources([GOOD], tmp_path / "bad", tmp_path / "missing", [GOOD])
    assert names(found.items) == ["instance-0", "instance-1"]
    assert [type(error) for error in found.errors] == [InstanceError, OutputError]
    with pytest.raises(InstanceError):
        read_instances([GOOD], tmp_path / "bad", tmp_path / "missing")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text(GOOD))))
    assert names(read_instances("-")) == ["instance-0"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InstanceError, match=r"^<stdin>: the input is empty"):
        read_instances("-")


def test_json_lines_are_streamed():
    def endless():
        yield text(GOOD) + b"\n"
        raise AssertionError("read ahead")

    reader = read.ByteReader(endless(), "x", None)
    assert next(read.read_elements(reader, read.INSTANCES)).parsed() == GOOD
    stream = iter_instances(lines(GOOD, BAD), position=5, label="x.jsonl")
    assert next(stream).name == "instance-5"
    assert next(stream).error.startswith("x.jsonl: instances[1].capacity")


def test_too_many_instances(monkeypatch):
    monkeypatch.setattr(read, "MAX_INSTANCES", 3)
    assert len(read_instances([GOOD] * 3)) == 3
    with pytest.raises(InstanceError, match="more than 3 instances; split"):
        read_instances([GOOD] * 2, lines(GOOD, GOOD))


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode), st.booleans())
def test_junk_never_escapes(data, as_vrp):
    source = b"NAME : x\n" + data if as_vrp else data
    for item in read_sources(source).items:
        assert isinstance(item, Instance | InvalidInstance)


@given(st.integers(0, 400), st.binary(min_size=1, max_size=3))
def test_a_damaged_file_never_escapes(position, damage):
    for whole in (VRP.encode(), text([GOOD, BAD], indent=1), lines(GOOD, BAD)):
        cut = position % len(whole)
        result = read_sources(whole[:cut] + damage + whole[cut + len(damage) :])
        assert all(item.error.isprintable() for item in result.items if hasattr(item, "error"))
        assert all(str(error).isprintable() for error in result.errors)


def test_the_folder_of_bad_inputs(test_data):
    index = json.loads((test_data / "bad" / "index.json").read_text(encoding="utf-8"))
    for case in index:
        started = time.monotonic()
        result = read_sources(test_data / "bad" / case["file"])
        assert time.monotonic() - started < 10, case
        invalid = [item for item in result.items if isinstance(item, InvalidInstance)]
        messages = [item.error for item in invalid] + [str(error) for error in result.errors]
        assert all(message.isprintable() for message in messages), case
        if case["expect"] == "refuse":
            said = " ".join(messages).lower()
            assert len(messages) > 0, case
            assert len(invalid) == len(result.items), case
            assert any(hint.lower() in said for hint in case["hint"]), (case, messages)
        elif case["expect"] == "solve":
            assert not messages, (case, messages)
        elif case["expect"] == "partial":
            assert 0 < len(invalid) < len(result.items), case


@pytest.mark.parametrize("number", ["Infinity", "1e999"])
def test_no_number_of_a_file_is_infinite(number):
    text = f'{{"capacity": 1, "demands": [1], "distances": [[0, {number}], [1, 0]]}}'
    (found,) = read_instances(text.encode())
    said = (
        "inf is not a finite number; leave it out, or in a list write null, where there is no limit"
    )
    assert found.error == f"instances[0].distances[0][1]: {said}"


def test_a_problem_of_vrooms_that_is_too_large_is_refused_in_kind(monkeypatch):
    monkeypatch.setattr(jsonparse, "MAX_PARTS", 1)
    text = b'{"vehicles": [], "jobs": []}'
    (found,) = read_instances(b"[" + text[:-1] + b" " * 2**22 + b"}]")
    assert (found.kind, found.code) == ("vroom", "TOO_LARGE")
