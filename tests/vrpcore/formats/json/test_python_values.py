"""Numbers, arrays and data frames that callers in Python hand in."""

import re

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import Instance
from vrpcore.modelling.builder import ModelBuilder


def test_numpy_numbers_at_the_deepest_places():
    one = np.int64(1)
    rests = [{"duration": one, "windows": [[one, np.int64(5)]]}]
    source = {
        "depot": {},
        "vehicles": [{"id": "van", "matrix": "m", "breaks": rests}],
        "matrices": {"m": {"distances": [[np.int64(0), one], [one, np.int64(0)]]}},
        "customers": [{"windows": [[one, np.float32(4)]]}],
    }
    (found,) = read_instances(source)
    assert isinstance(found, Instance), found.error
    assert found.own_constraints.windows.tolist() == [[[1, 4]]]
    assert found.own_constraints.vehicles[0].breaks[0].duration == 1


@pytest.mark.parametrize("kind", [np.array, list])
def test_amounts_in_float32_are_read_as_what_they_stand_for(kind):
    tenth = np.float32(0.1)
    rows = [{"id": n, "x": tenth, "y": 0, "demand": tenth} for n in range(10)]
    compact = {"demands": kind(np.full(10, tenth)), "coords": np.zeros((10, 2), np.float32)}
    for source in ({"customers": rows}, compact):
        (found,) = read_instances({"depot": [0, 0], "capacity": np.float32(0.9), **source})
        assert (found.capacity, found.demand.tolist()) == (0.9, [0, *[0.1] * 10])
        assert found.coords[1, 0] in (0, float(tenth))  # only amounts


def test_labels_of_frames_are_ids_in_any_order():
    pandas = pytest.importorskip("pandas", reason="needs the extra frame")
    rows, columns = ["a", "s:delivery", "hub", "s:pickup"], ["s:pickup", "a", "hub", "s:delivery"]
    expected = 10.0 * np.arange(4)[:, None] + np.arange(4)  # hub, a, s:pickup, s:delivery
    frame = pandas.DataFrame(expected[np.ix_([1, 3, 0, 2], [2, 1, 0, 3])], rows, columns)
    frame.loc["a", "s:pickup"] = np.inf
    model = ModelBuilder(matrices={"car": {"durations": frame}})
    model.add_depot(id="hub")
    model.add_vehicle(matrix="car", capacity=1)
    model.add_shipment(id="s", amount=1, pickup={}, delivery={})
    model.add_customer(id="a")
    expected[1, 2] = np.inf
    np.fill_diagonal(expected, 0)
    for found in (model.instance(), read_instances(model.document())[0]):
        assert np.array_equal(found.own_constraints.matrices["car"].durations, expected)


@pytest.mark.parametrize(
    ("labels", "ids", "said"),
    [
        ([0, 1, 2], ["7", "b"], None),
        ([0, 1, 2], [1, 2], None),
        ([0, 1, 2], [2, 1], "its labels 0, 1, ... may be ids or positions, which have another"),
        (["0", "b", "c"], ["a", "b"], "label 'c' is no id of a depot or a stop, or there twice"),
        (["0", "b", "b"], ["a", "b"], "label 'b' is no id of a depot or a stop, or there twice"),
        ([1, 0, 2], ["a", "b"], "label '1' is no id of a depot or a stop"),
    ],
)
def test_labels_that_are_no_ids_are_refused(labels, ids, said):
    pandas = pytest.importorskip("pandas", reason="needs the extra frame")
    frame = pandas.DataFrame(np.arange(9.0).reshape(3, 3), labels, labels)
    model = ModelBuilder(distances=frame)
    model.add_depot()
    model.add_vehicle(count=2, capacity=1)
    customers = [{"id": name, "demand": 1} for name in ids]
    for row in customers:
        model.add_customer(**row)
    (parsed,) = read_instances({"distances": frame, "capacity": 1, "customers": customers})
    if said is None:
        assert model.instance().distances[0].tolist() == [0, 1, 2] == parsed.distances[0].tolist()
        return
    with pytest.raises(InstanceError, match=re.escape(f"Model.distances: {said}")):
        model.instance()
    assert f"instances[0]: distances: {said}" in parsed.error
