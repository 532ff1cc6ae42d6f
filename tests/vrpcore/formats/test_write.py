import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import plain
from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.read import read_instances
from vrpcore.formats.write import (
    form_name,
    form_of,
    instance_to_dict,
    instances_to_json,
    npz_bytes,
    sol_file_name,
    write_instances,
)
from vrpcore.instance.constraints import Constraints, plain_columns
from vrpcore.instance.instance import METRICS, InvalidInstance
from vrpcore.instance.plan import Plan
from vrpcore.instance.solution import Solution, summarise
from vrpcore.instance.vehicle_types import Depot, VehicleType

CONSTRAINTS = Constraints(
    depots=(Depot(id="0"),),
    vehicles=(VehicleType(id="0", capacity=(9.0,), end=None),),
    listed_vehicles=False,
    **plain_columns(2),
)


def make(name="t", size=2, **changes):
    places = np.arange(2.0 * size + 2).reshape(size + 1, 2) / 8
    fields = {"coords": places, "demand": range(1, size + 1), "capacity": 9}
    return plain(name=name, **fields | changes)


@st.composite
def instances(draw):
    size = draw(st.integers(0, 4))
    number = st.floats(-1e6, 1e6).map(lambda x: x if abs(x) > 1e-100 else 0.0) | st.integers(
        -(2**70), 2**70
    ).map(float)
    nodes = st.lists(st.tuples(number, number), min_size=size + 1, max_size=size + 1)
    ids = draw(st.permutations(["a", 7, "\u00e4\n", -1]))[:size] if draw(st.booleans()) else None
    matrix = draw(st.booleans())
    distances = np.abs(np.arange((size + 1.0) ** 2).reshape(size + 1, size + 1))
    np.fill_diagonal(distances, 0)
    plan = Plan.of([i] for i in range(1, size + 1))
    return make(
        draw(st.text(st.characters(codec="utf-8"))),
        size,
        capacity=draw(st.floats(10, 1e100)),
        coords=None if matrix and draw(st.booleans()) else np.array(draw(nodes)).reshape(-1, 2),
        ids=tuple(ids) if ids is not None else tuple(range(1, size + 1)),
        distances=distances if matrix else None,
        metric=draw(st.sampled_from(METRICS[:3])),
        max_vehicles=draw(st.none() | st.integers(size + 1, 9)),
        plan=draw(st.none() | st.just(plan)),
    )


def equal(ours, theirs):
    if ours is None or theirs is None:
        return ours is theirs
    return np.array_equal(ours, theirs)


@given(st.lists(instances(), max_size=3), st.sampled_from(["x.json", "x.jsonl", "x.json.gz"]))
def test_reading_gives_back_what_was_written(tmp_path_factory, written, name):
    file = tmp_path_factory.mktemp("w") / name
    write_instances(file, written)
    if name == "x.jsonl" and not written:
        assert file.read_bytes() == b""
        return
    for ours, theirs in zip(written, read_instances(file), strict=True):
        for key in ("coords", "demand", "distances"):
            assert equal(getattr(ours, key), getattr(theirs, key)), key
        for key in ("name", "capacity", "ids", "metric", "max_vehicles", "plan"):
            assert getattr(ours, key) == getattr(theirs, key), key


def test_hand_written():
    found = make(ids=("a", "b"), plan=Plan.of([[2, 1]]), max_vehicles=3, metric="ceil_2d")
    assert json.loads(json.dumps(instance_to_dict(found))) == {
        "name": "t",
        "capacity": 9,
        "depot": [0, 0.125],
        "customers": [
            {"id": "a", "x": 0.25, "y": 0.375, "demand": 1},
            {"id": "b", "x": 0.5, "y": 0.625, "demand": 2},
        ],
        "metric": "ceil_2d",
        "max_vehicles": 3,
        "routes": [["b", "a"]],
    }
    assert instances_to_json([]) == '{"format": "vrp-instances/1", "instances": []}\n'


def test_packed_files_are_the_same_every_time(tmp_path):
    for name in ("a.json.gz", "b.json.gz"):
        write_instances(tmp_path / name, [make()])
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.json.gz").read_bytes())


def test_arrays_of_one_size():
    pair = [make(plan=Plan.of([[1, 2]])), make(plan=Plan.of([[2], [1]]))]
    with np.load(io.BytesIO(npz_bytes(pair, np.array([1.5, 2.5])))) as found:
        assert found["coords"].dtype == np.float32
        assert found["coords"].tolist() == [pair[0].coords.tolist()] * 2
        assert found["demand"].dtype == np.uint8
        assert found["demand"].tolist() == [[0, 1, 2]] * 2
        assert (found["capacity"].shape, int(found["capacity"])) == ((), 9)
        assert found["tour"].dtype == np.uint8
        assert found["tour"].tolist() == [[1, 2, 0], [2, 0, 1]]
        assert found["cost"].tolist() == [1.5, 2.5]
        assert "num_customers" not in found


def test_arrays_of_several_sizes():
    mixed = [make(size=1, capacity=300.0), make(size=3, demand=[300, 1, 1])]
    with np.load(io.BytesIO(npz_bytes(mixed))) as found:
        assert found["num_customers"].tolist() == [1, 3]
        assert found["capacity"].tolist() == [300, 9]
        assert found["demand"].tolist() == [[0, 1, 0, 0], [0, 300, 1, 1]]
        assert found["demand"].dtype == np.uint16
        assert found["coords"].shape == (2, 4, 2)
        assert not {"tour", "cost"} & set(found.files)


def test_arrays_of_nothing(tmp_path):
    write_instances(tmp_path / "x.npz", [])
    with np.load(tmp_path / "x.npz") as found:
        assert found["coords"].shape == (0, 1, 2)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"distances": np.zeros((3, 3))}, "a distance matrix"),
        ({"metric": "euc_2d"}, "the metric euc_2d"),
        ({"max_vehicles": 3}, "max_vehicles"),
        ({"constraints": CONSTRAINTS}, "constraints"),
        ({"capacity": 2.5}, "a capacity that is not a whole number"),
        ({"demand": [0.5, 1]}, "demands that are not whole numbers"),
        ({"coords": np.full((3, 2), -1e39)}, "coordinates beyond float32"),
    ],
)
def test_what_arrays_cannot_hold(changes, reason):
    with pytest.raises(InstanceError, match=f"'t' has {reason}.*write .json"):
        npz_bytes([make(), make(**changes)])


def test_a_vrp_has_one_instance(tmp_path):
    write_instances(tmp_path / "x.vrp", [make()])
    (found,) = read_instances(tmp_path / "x.vrp")
    assert (found.name, found.capacity) == (make().name, make().capacity)
    with pytest.raises(OutputError, match=r"y\.vrp: 2 instances, a \.vrp has one; write \.json"):
        write_instances(tmp_path / "y.vrp", [make(), make()])


def test_unknown_ending(tmp_path):
    with pytest.raises(OutputError, match=r"x\.txt: unknown ending, expected \.json"):
        write_instances(tmp_path / "x.txt", [])
    assert not list(tmp_path.iterdir())


def test_constraints_are_written(tmp_path):
    found = make(constraints=CONSTRAINTS, ids=("a", "b"))
    write_instances(tmp_path / "x.jsonl", [found, make()])
    first, second = (json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines())
    assert first == instance_to_dict(found)
    assert (first["return_to_depot"], first["customers"][0]["id"]) == (False, "a")
    assert "depots" not in second


def test_answers_are_vrooms_where_no_valid_instance_came_as_anything_else():
    ours = InvalidInstance(name="a", code="b", error="c", kind="vroom")
    broken = InvalidInstance(name="a", code="b", error="c")
    assert form_name([ours]) == form_name([broken, ours]) == "vroom"
    assert form_name([]) == form_name([broken]) == form_name([ours, make()]) == "json"


@pytest.mark.parametrize("name", ["json", "jsonl", "csv", "geojson", "vroom", "sol"])
def test_an_answer_in_each_form(name):
    refused = Solution(name="a", status="invalid", code="X", error="wrong")
    form = form_of(name, lambda: {"name": "m"})
    item = InvalidInstance(name="a", code="X", error="wrong")
    text = form.head + form.text(item, refused) + form.tail(summarise([refused], 1.0, "none"))
    assert ("wrong" in text) is not form.or_nothing
    assert ('"model": {"name": "m"}' in text) is (name == "json")


@pytest.mark.parametrize(
    ("position", "name", "expected"),
    [
        (0, "A-n32-k5", "0-A-n32-k5.sol"),
        (12, "../../x", "12-_.._x.sol"),
        (3, "", "3-instance.sol"),
        (3, "...", "3-instance.sol"),
        (1, "=cmd()", "1-_cmd__.sol"),
        (1, "a/b\\c:d\0e\n", "1-a_b_c_d_e_.sol"),
        (1, "\u00e4\u4e2d\U0001f69a", "1-___.sol"),
        (7, "CON", "7-CON.sol"),
        (7, "x.tar.", "7-x.tar.sol"),
    ],
)
def test_names_of_sol_files(position, name, expected):
    assert sol_file_name(position, name) == expected


@given(st.integers(0, 10**6), st.text() | st.text().map(lambda text: text * 1000))
def test_a_name_of_a_sol_file_is_never_a_path(position, name):
    found = sol_file_name(position, name)
    assert Path(found).name == found
    assert found.isascii()
    assert found.isprintable()
    assert len(found) <= 100
    assert found.startswith(f"{position}-")
