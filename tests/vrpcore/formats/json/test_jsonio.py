import gzip
import io
import json
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.json import jsonio
from vrpcore.formats.json.jsonio import iter_instances, read_instances, read_sources
from vrpcore.instance.instance import Instance, InvalidInstance

GOOD = {"capacity": 9, "depot": [0.5, 0.5], "coords": [[0, 1], [1, 0]], "demands": [1, 2]}
BAD = {**GOOD, "capacity": -4, "name": "bad"}
VRP = """NAME : tiny
TYPE : CVRP
DIMENSION : 2
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 5
NODE_COORD_SECTION
1 0 0
2 3 4
DEMAND_SECTION
1 0
2 5
DEPOT_SECTION
1
-1
EOF
"""
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
            code="CAPACITY_NOT_POSITIVE",
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
    "duplicate key": (b'{"name": "x", "name": "y"}', "DUPLICATE_KEY"),
    "deep": (DEEP.encode(), "TOO_DEEP"),
    "not UTF-8": (b'{"name": "\xff"}', "INVALID_UTF8"),
    "surrogate": (b'{"name": "\\ud800"}', "LONE_SURROGATE"),
    "long integer": (b'{"capacity": ' + b"7" * 5000 + b"}", "NUMBER_TOO_LARGE"),
    "NaN": (b'{"capacity": NaN}', "NOT_FINITE"),
    "1e400": (b'{"capacity": 1e400}', "NOT_FINITE"),
    "long string": (b'{"name": "' + b"a" * (2**22 + 1) + b'"}', "TOO_LARGE"),
    "null": (b"null", "WRONG_TYPE"),
    "list": (b"[]", "WRONG_TYPE"),
}


@pytest.mark.parametrize(("bad", "code"), SPOILED.values(), ids=SPOILED.keys())
def test_what_spoils_one_instance_spoils_no_other(bad, code):
    good = text(GOOD)
    envelope = b'{"instances": [' + good + b"," + bad + b",\n" + good + b"]}"
    for data in (envelope, good + b"\n" + bad + b"\n" + good):
        first, second, third = read_instances(data)
        assert isinstance(first, Instance)
        assert isinstance(third, Instance)
        assert second.code == code
        assert second.error.startswith("instances[1]")
        assert second.error.isprintable()
        assert second.name.encode()


def test_a_line_that_is_not_json_is_one_invalid_instance():
    _, second, third = read_instances(text(GOOD) + b"\n{'a': 1}\n" + text(GOOD))
    assert second.code == "JSON_SYNTAX"
    assert second.error.startswith("instances[1]: line 2, column 2: not JSON: ")
    assert third.name == "instance-2"
    _, last = read_instances(text(GOOD) + b"\n" + text(GOOD)[:-9])
    assert last.error.startswith(
        "instances[1]: line 2, column 1: not JSON: the value that begins here never"
    )


NOT_PARSED = {
    "nothing": (b"", "EMPTY", "the input is empty, expected a JSON object or list"),
    "white space": (b" \n\t\n", "EMPTY", "the input is empty"),
    "null": (b"null", "PARSE", "line 1: cannot parse 'null', expected a JSON object or list"),
    "words": (b"\nhello\x1b world\n", "PARSE", r"line 2: cannot parse 'hello\\x1b world'"),
    "bytes": (b"\x07\xe2\xff\x00", "PARSE", "line 1: cannot parse bytes that are not UTF-8"),
    "zeros": (bytes(10**6), "PARSE", "line 1: cannot parse bytes that are not UTF-8"),
    "UTF-16": ("[]".encode("utf-16"), "PARSE", "cannot parse UTF-16 text"),
    "UTF-32": ("[]".encode("utf-32"), "INVALID_UTF8", ": UTF-32 text; save it as UTF-8"),
    "UTF-32 CSV": ("\ufeffid,x".encode("utf-32-be"), "INVALID_UTF8", "UTF-32 text; save it"),
    "zip": (b"PK\x03\x04", "NPZ", r"not a readable \.npz: File is not a zip file"),
    "pickle": (b"\x80\x04\x95", "PICKLE", "a pickle: reading one can run any code"),
    "gzip twice": (gzip.compress(gzip.compress(b"[]")), "PARSE", "gzip within gzip"),
    "single quotes": (b"{'instances': []}", "JSON_SYNTAX", "line 1, column 2: not JSON"),
    "one bad line": (b'{"capacity": tru}', "JSON_SYNTAX", "line 1, column 14: not JSON"),
    "bad element": (b'[{"capacity": 1},\n tru]', "JSON_SYNTAX", "line 2, column 2: not JSON"),
    "truncated": (text([GOOD, GOOD])[:-20], "JSON_SYNTAX", "is it truncated"),
    "two documents": (text([]) + text([]), "JSON_SYNTAX", "column 3: not JSON: extra data"),
    "two envelopes": (lines({"instances": []}, {"instances": []}), "JSON_SYNTAX", "extra data"),
    "null list": (b'{"instances": null}', "WRONG_TYPE", "instances: null, expected a list"),
    "format alone": (b'{"format": "vrp-instances/1"}', "MISSING_KEY", "instances: missing"),
    "other format": (b'{"format": "vrp-x/1", "instances": []}', "FORMAT", "'vrp-x/1', expected"),
    "key twice": (b'{"instances": [], "instances": []}', "DUPLICATE_KEY", "instances: duplicate"),
    "key after": (b'{"instances": [], "extra": 1}', "UNKNOWN_KEY", "'instances': unknown key 'ex"),
    "key before": (b'{"forma": 1, "instances": []}', "UNKNOWN_KEY", "did you mean 'format'"),
    "many keys": (b'{"a":1' + b',"a":1' * 2000 + b"}", "JSON_SYNTAX", "more than 1000 keys"),
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


def test_vrp_files(tmp_path):
    for name, pack in (("x.vrp", bytes), ("y.json", gzip.compress)):
        (tmp_path / name).write_bytes(pack(VRP.encode()))
        (found,) = read_instances(tmp_path / name)
        assert (found.name, found.ids, found.metric) == ("tiny", (1,), "euc_2d")
    (tmp_path / "bad.vrp").write_text(VRP.replace("2 3 4", "2 nan 4"))
    (found,) = read_instances(tmp_path / "bad.vrp")
    assert (found.name, found.code) == ("bad", "NOT_A_NUMBER")
    assert found.error.startswith(f"{tmp_path}/bad.vrp: line 8: NODE_COORD_SECTION: 'nan' is not")
    (found,) = read_instances(b"\n" + VRP.replace("tiny", "\xff").encode("latin-1"))
    assert (found.name, found.code) == ("instance-0", "INVALID_UTF8")
    assert found.error.startswith("input: line 2: invalid UTF-8")


def test_json_lines_are_streamed():
    def endless():
        yield text(GOOD) + b"\n"
        raise AssertionError("read ahead")

    reader = jsonio.ByteReader(endless(), "x", None)
    assert next(jsonio.read_elements(reader, jsonio.INSTANCES)) == GOOD
    stream = iter_instances(lines(GOOD, BAD), position=5, label="x.jsonl")
    assert next(stream).name == "instance-5"
    assert next(stream).error.startswith("x.jsonl: instances[1].capacity")


def test_too_many_instances(monkeypatch):
    monkeypatch.setattr(jsonio, "MAX_INSTANCES", 3)
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


def test_the_published_sets_are_read(test_data):
    files = sorted((test_data / "cvrplib").glob("*/*.vrp"))
    assert len(files) > 100
    for file, found in zip(files, read_instances(*files), strict=True):
        assert isinstance(found, Instance), found
        assert found.name == file.stem
        assert found.ids == tuple(range(1, found.num_customers + 1))


@pytest.mark.parametrize("number", ["Infinity", "1e999"])
def test_no_number_of_a_file_is_infinite(number):
    text = f'{{"capacity": 1, "demands": [1], "distances": [[0, {number}], [1, 0]]}}'
    (found,) = read_instances(text.encode())
    said = (
        "inf is not a finite number; leave it out, or in a list write null, where there is no limit"
    )
    assert found.error == f"instances[0].distances[0][1]: {said}"


def test_a_vrp_with_tabs_is_no_spreadsheet():
    (found,) = read_instances(VRP.replace("NAME : tiny", "NAME\t:\tx").encode())
    assert (found.name, found.kind) == ("x", None)
