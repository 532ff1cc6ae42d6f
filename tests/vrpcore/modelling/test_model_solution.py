import json

import pytest

from tests.vrpcore.plot.pictures import answer, day
from vrpcore import errors
from vrpcore.errors import ConfigError, InstanceError, MissingExtraError, OutputError
from vrpcore.formats.answers.solution_json import solution_to_line
from vrpcore.formats.read import read_instances
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.modelling.model_solution import ModelSolution


@pytest.fixture
def found():
    return ModelSolution.of(day(), answer())


def test_it_is_the_solution_with_its_instance(found):
    assert isinstance(found, Solution)
    assert solution_to_line(found) == solution_to_line(answer())
    assert found.instance.name == "day"


def test_its_repr_is_short(found):
    shown = f"{found.status}, cost={found.cost}, routes=2, unserved=2"
    assert repr(found) == f"ModelSolution('day', {shown})"
    plain = ModelSolution.of(day(), Solution(name="b", status="partial", code="X", gap=0.5))
    assert repr(plain) == "ModelSolution('b', partial, routes=0, gap=0.5, code=X)"


def test_its_document_is_read_again(found):
    (again,) = read_solutions(json.dumps([found.document()]).encode())
    assert again == answer()


def test_rows_are_the_stops_and_those_who_are_not_served(found):
    rows = found.to_rows()
    assert rows[0] == {
        "route": 1, "stop": 1, "vehicle": "van", "customer": 7, "x": 3, "y": 4, "arrival": 6,
        "begin": 8, "finish": 10, "reason": None, "detail": None,
    }  # fmt: skip
    assert [(row["customer"], row["route"], row["stop"]) for row in rows] == [
        (7, 1, 1), ("s:pickup", 2, 1), ("s:delivery", 2, 2), (8, None, None), (9, None, None),
    ]  # fmt: skip
    assert rows[3]["reason"] == "PRIZE"


def test_the_timeline_is_what_vehicles_do(found):
    first = [row for row in found.timeline() if row["route"] == 1]
    assert [(row["activity"], row["begin"], row["end"], row["customer"]) for row in first] == [
        ("travel", 1, 6, 7),
        ("waiting", 6, 8, 7),
        ("service", 8, 10, 7),
        ("travel", 10, 15, None),
    ]
    assert [row["activity"] for row in found.timeline() if row["route"] == 2] == ["travel"] * 2


def test_plain_instances_have_no_times():
    one = {"capacity": 5, "depot": [0, 0], "coords": [[3, 4]], "demands": [2]}
    (instance,) = read_instances([one])
    solved = Solution(name="a", status="solved", cost=10, routes=(RouteReport((1,), 2, 10),))
    found = ModelSolution.of(instance, solved)
    assert found.timeline() == []
    (row,) = found.to_rows()
    assert (row["x"], row["arrival"], row["vehicle"]) == (3, None, None)


def test_pictures(found, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    assert len(found.plot().axes) == 2
    found.plot(tmp_path / "day.png", clock="min")
    assert (tmp_path / "day.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(OutputError, match=r"day\.gif: expected \.png, \.svg, \.pdf"):
        found.plot("day.gif")


@pytest.mark.parametrize("clock", ["foo", "", 3, ["min"]])
def test_clocks_are_known(found, clock):
    with pytest.raises(ConfigError, match=r"^clock: .* is not one of s, min, h$"):
        found.plot(clock=clock)


def test_a_path_is_the_name_of_a_file(found):
    with pytest.raises(OutputError, match=r"^path: 5, expected the name of a file$"):
        found.plot(5)


def test_frames(found):
    pytest.importorskip("pandas", reason="needs the extra frame")
    frame = found.to_frame()
    assert list(frame["customer"]) == [7, "s:pickup", "s:delivery", 8, 9]
    assert frame["begin"].iloc[0] == 8


def test_what_is_missing_is_reported(found, monkeypatch):
    monkeypatch.setattr(errors.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"to_frame\(\) needs the extra 'frame'"):
        found.to_frame()
    with pytest.raises(MissingExtraError, match=r"plot\(\) needs the extra 'plot'"):
        found.plot()


def test_an_invalid_instance_has_nothing_to_show():
    invalid = InvalidInstance(name="bad", code="X", error="wrong")
    found = ModelSolution.of(invalid, Solution(name="bad", status="invalid", code="X"))
    assert found.to_rows() == found.timeline() == []
    assert repr(found) == "ModelSolution('bad', invalid, routes=0, code=X)"
    with pytest.raises(InstanceError, match=r"^bad: it is invalid, so there is nothing to draw$"):
        found.plot()


def test_equal_answers_are_equal(found):
    assert found == ModelSolution.of(day(), answer())
    assert found != ModelSolution.of(day(), Solution(name="day", status="partial"))
