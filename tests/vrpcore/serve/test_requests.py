import gzip
import io
import json
from unittest.mock import Mock

import numpy as np
import pytest

from tests.vrpcore.serve.doubles import BAD
from tests.vrpcore.serve.process import GOOD
from tests.vrpcore.solve.doubles import NearestFirst, no_search
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.errors import DeviceError, InstanceError, ModelError
from vrpcore.formats.solutions import parts_of
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions
from vrpcore.serve.requests import (
    Answered,
    Given,
    NothingValidError,
    Requests,
    TooLargeError,
)
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.answer import failed, refused
from vrpcore.solve.memory_limit import SessionLimits
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions


@pytest.fixture
def requests(tmp_path):
    """At a clock that stands still."""
    settings = ServeSettings(jobs=tmp_path / "jobs.sqlite", max_customers=2)
    capacity = SessionLimits(workers=2, threads=2, shared=True)
    with Session(NearestFirst(), capacity, no_search, lambda: 100.0) as session:
        yield Requests(session, [NearestFirst.info], settings)


def body(*instances):
    return json.dumps(instances).encode()


def document(requests, items, solutions, **how):
    """What is answered, parsed."""
    answered = Answered(items, solutions, 0.5, "fast")
    return json.loads(requests.document(answered, **how).content)


def test_what_is_invalid_or_too_large_keeps_its_place(requests):
    larger = {**GOOD, "name": "l", "coords": [[1, 0]] * 3, "demands": [1] * 3}
    first, second, third = requests.read(body(GOOD, larger, BAD), 3).items
    assert first.demand.tolist() == [0.0, 3.0, 4.0]
    assert (second.name, second.code) == ("l", "TOO_LARGE")
    assert second.error == "3 customers, this server takes at most 2"
    assert (third.name, third.code) == ("<b>", "OUT_OF_RANGE")
    assert requests.read(b"[]", 3).items == []


def test_bodies_that_are_refused(requests):
    with pytest.raises(TooLargeError, match="more than 2 instances; send fewer at once, or submit"):
        requests.read(body(GOOD, GOOD, GOOD), 2)
    with pytest.raises(InstanceError, match="the body is gzipped; send it uncompressed"):
        requests.read(gzip.compress(body(GOOD)), 2)
    form = b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n{}\r\n--x--\r\n'
    with pytest.raises(InstanceError, match="a form; send the file itself, as curl --data-binary"):
        requests.read(form, 2)
    with pytest.raises(InstanceError, match="a workbook of stops, or the text of Solomon") as told:
        requests.read(b"hello", 2)
    assert "npz" not in str(told.value)
    arrays = io.BytesIO()
    np.savez(arrays, coords=np.zeros((1, 2, 2)), demand=np.zeros((1, 2)), capacity=1)
    for before in (b"", b"\n", b"\xef\xbb\xbf"):
        with pytest.raises(InstanceError, match=r"an archive \(\.npz\), which is not read here; s"):
            requests.read(before + arrays.getvalue(), 2)
    with pytest.raises(InstanceError, match="a workbook that cannot be read"):
        requests.read(b"PK\x03\x04..[Content_Types].xml", 2)
    words = r"none of the instances is valid; instances\[0\]\.capacity: -1"
    with pytest.raises(NothingValidError, match=words) as caught:
        requests.read(body(BAD, {**GOOD, "demands": [99, 0]}), 2)
    assert caught.value.code == "OUT_OF_RANGE"
    assert [answer.status for answer in caught.value.solutions] == ["invalid"] * 2
    assert caught.value.solutions[1].code != caught.value.code


SMALL = {
    "vehicles": [{"id": 1, "start_index": 0}],
    "jobs": [{"id": 1, "location_index": 1}],
    "matrices": {"car": {"durations": [[0, 1], [1, 0]]}},
}
SHARED = {
    "vehicles": [{"id": 1, "start_index": 0}],
    "jobs": [{"id": number, "location_index": 0} for number in range(200)],
    "matrices": {"car": {"durations": [[0]]}},
}


def small_memory(tmp_path, roads=None, **more):
    settings = ServeSettings(jobs=tmp_path / "jobs.sqlite", max_memory_bytes=2**20, **more)
    return Requests(None, [NearestFirst.info], settings, roads)


def test_matrices_that_a_body_makes_are_limited_together(tmp_path):
    """Each has 201 * 201 numbers of eight bytes, of ten kilobytes of text."""
    requests = small_memory(tmp_path)
    assert len(requests.read(body(SHARED, SHARED, SHARED), 9).items) == 3
    words = "instances of more than 1 MB, with their matrices; send fewer at once"
    with pytest.raises(TooLargeError, match=words):
        requests.read(body(*[SHARED] * 4), 9)


def test_roads_that_instances_will_get_count_before_they_are_asked_for(tmp_path):
    """Each gets two times 101 * 101 numbers."""
    places = [[13 + number / 1000, 52] for number in range(100)]
    plain = {"capacity": 100, "depot": [13, 52], "coords": places, "demands": [1] * 100}
    with Roads(RoadOptions(matrix="haversine"), 50.0) as roads:
        requests = small_memory(tmp_path, roads)
        assert len(requests.read(body(*[plain] * 6), 9).items) == 6
        with pytest.raises(TooLargeError, match="of more than 1 MB"):
            requests.read(body(*[plain] * 7), 9)
        few = small_memory(tmp_path, roads, max_routed=99)  # they will get none
        assert len(few.read(body(*[plain] * 7), 9).items) == 7
    assert len(small_memory(tmp_path).read(body(*[plain] * 7), 9).items) == 7


def test_jobs_are_due_later_than_requests(requests):
    items, options = requests.read(body(GOOD), 1), SolveOptions(improve="none")
    assert requests.submit(items, options).due == 102.0
    assert requests.submit(items, options, job=True).due == 160.0


@pytest.mark.parametrize("error", [DeviceError("no longer responds"), ModelError("damaged")])
def test_a_device_that_is_lost_is_told(tmp_path, monkeypatch, error):
    told, capacity = [], SessionLimits(workers=2, threads=2, shared=True)
    monkeypatch.setattr(NearestFirst, "construct", Mock(side_effect=error))
    settings = ServeSettings(jobs=tmp_path / "jobs.sqlite")
    with Session(NearestFirst(), capacity, no_search) as session:
        desk = Requests(session, [NearestFirst.info], settings, None, told.append)
        order = desk.submit(desk.read(body(GOOD), 1), SolveOptions(improve="none"))
        with pytest.raises(type(error)):
            order.future.result()
    assert told == [error] * isinstance(error, DeviceError)


def test_problems_of_vrooms_alone_are_answered_in_kind(requests):
    wrong = {"vehicles": [], "jobs": []}
    with pytest.raises(NothingValidError) as caught:
        requests.read(body(wrong, wrong), 2)
    items, solutions = caught.value.items, caught.value.solutions
    told = {"code": 2, "error": "instances[0].vehicles: 0 vehicles, expected 1 to 10000"}
    assert document(requests, items[:1], solutions[:1]) == told
    assert document(requests, items, solutions)[0] == told
    mixed = requests.read(body(wrong, GOOD), 2).items
    answers = [solutions[0], Solution(name="b", status="solved", cost=1)]
    assert document(requests, mixed, answers)["format"] == "vrp-solutions/1"


def test_what_came_as_nothing_is_answered_as_the_problems_of_vrooms_with_it(requests):
    lines = [json.dumps(vroom_problem(1, 2)), "7", json.dumps(vroom_problem(2, 2))]
    items = requests.read("\n".join(lines).encode(), 9).items
    answers = [refused(item) for item in items if isinstance(item, InvalidInstance)]
    first, broken, last = items
    solutions = [failed(first.name, KeyError("lost")), *answers, failed(last.name, KeyError())]
    found = document(requests, items, solutions)
    assert [each["code"] for each in found] == [1, 2, 1]
    assert found[1]["error"] == broken.error == "instances[1]: 7, expected an object"


def test_problems_of_vrooms_that_are_too_large_stay_vrooms(requests):
    large = vroom_problem(1, 3)
    (item,) = requests.read(body(GOOD, large), 2).items[1:]
    assert (item.kind, type(item)) == ("vroom", InvalidInstance)
    assert item.code == "TOO_LARGE"


def test_one_problem_of_vrooms_and_nothing_else(requests):
    assert requests.read_vroom(body(SMALL), 9).items[0].kind == "vroom"
    for content in (b"[]", body(SMALL, SMALL), body(GOOD)):
        with pytest.raises(InstanceError, match="the body is not one problem of VROOM's") as raised:
            requests.read_vroom(content, 9)
        assert raised.value.code == "NOT_VROOM"
    with pytest.raises(NothingValidError, match="expected 1 to"):
        requests.read_vroom(body({**SMALL, "vehicles": []}), 9)


def test_options_of_a_document_keep_the_limits_and_are_shared(requests):
    fine, long = ({**SMALL, "options": {"l": limit}} for limit in (300, 300.5))
    first, second = requests.read(body(fine, long), 2).items
    assert first.origin.options.limit_s == 300
    assert (second.code, second.kind) == ("OUT_OF_RANGE", "vroom")
    assert second.error.endswith("options.l: 300.5 seconds, this server allows at most 300")
    order = requests.submit(Given([first]), SolveOptions())
    assert order.options.time_per_instance == 300
    with pytest.raises(InstanceError, match="have different 'options'; send them in requests"):
        requests.submit(Given([first, *requests.read(body(SMALL), 1).items]), SolveOptions())


def test_without_a_routing_service_nothing_is_asked_for(requests):
    items = requests.read(body(GOOD), 1).items
    assert not requests.lacks_roads(items)
    assert requests.routed(items, print) is items


def test_spreadsheets_that_are_too_large_stay_spreadsheets(requests):
    sheets = {"stops": "x,y\n1,1\n1,2\n1,3\n", "depot": [0, 0]}
    (item,) = requests.read_all(body(sheets), 1)
    assert (type(item), item.kind, item.code) == (InvalidInstance, "csv", "TOO_LARGE")


def test_csv_without_a_depot_is_told_in_keys_not_flags(requests):
    (item,) = requests.read_all(b"id,lat,lon,demand,open\n1,52.5,13.4,3,08:00\n", 1)
    assert (item.kind, type(item)) == ("csv", InvalidInstance)
    assert "no depot: give depot, or a row of type depot" in item.error
    assert "give speed, or the fleet a column speed" in item.error
    assert "--" not in item.error


def test_both_answers_to_what_is_invalid(requests):
    wrong = {"vehicles": [], "jobs": []}
    items = requests.read_all(body(wrong), 1)
    solutions = [Solution(name="a", status="invalid", code="X", error="no vehicles")]
    found = document(requests, items, solutions, both=True)
    assert found["solutions"]["solutions"][0]["code"] == "X"
    assert json.loads(found["in_kind"]["text"])["code"] == 2


def test_a_document_by_hand(requests):
    solved = Solution(name="a", status="solved", cost=3, constructor="t")
    solutions = [solved, Solution(name="b", status="invalid")]
    items = [InvalidInstance(name=each.name, code="X", error="x") for each in solutions]
    found = document(requests, items, solutions)
    assert found["model"] == NearestFirst.info.identity()
    assert found["summary"] == {
        "instances": 2, "solved": 1, "invalid": 1, "infeasible": 0, "cost": 3, "seconds": 0.5,
        "instances_per_second": 4.0, "improve": "fast", "partial": 0,
    }  # fmt: skip
    assert [each["name"] for each in found["solutions"]] == ["a", "b"]


def starts(requests, earlier, *names):
    instances = [{**GOOD, "name": name} for name in names]
    content = json.dumps({"warm_start": earlier, "instances": instances}).encode()
    return [start and start.name for start in requests.read(content, 9).starts]


@pytest.mark.parametrize(
    "content",
    [
        {"capacity": 1, "warm_start": []},
        {"instances": []},
        {"instances": [], "warm_start": [], "more": 1},
        [{"warm_start": 1}],
    ],
)
def test_other_bodies_have_no_parts(content):
    assert parts_of(json.dumps(content).encode()) is None


def test_values_are_files_texts_too():
    parts = parts_of(b' {"instances": {"a": [1]}, "warm_start": "instance,route\\n"}')
    assert (parts.instances.rest(), parts.earlier.rest()) == (b'{"a": [1]}', b"instance,route\n")
    with pytest.raises(InstanceError, match=r"^line 1, column 33: not JSON: Expecting value"):
        parts_of(b'{"instances": [], "warm_start": ]}')


EARLIER = {"name": "a", "status": "solved", "cost": 2, "routes": []}


def test_answers_are_found_by_name_else_by_position(requests):
    assert starts(requests, [EARLIER, {**EARLIER, "name": "b"}], "b", "a") == ["b", "a"]
    assert starts(requests, [EARLIER], "other") == ["a"]
    assert starts(requests, json.dumps(EARLIER), "a") == ["a"]
    assert starts(requests, None, "a") == []  # null is as left out


@pytest.mark.parametrize(
    ("earlier", "said"),
    [
        ([EARLIER, EARLIER], "warm_start: 2 solutions for 1 instances; give one for each"),
        ([{"depot": [0, 0]}], "warm_start: solutions[0]: instances, expected solutions; give"),
        ("tint", "warm_start: "),
        (
            "UEsDB",
            "warm_start: an archive, but no whole workbook; expected .xlsx or .ods in base64",
        ),
    ],
)
def test_what_is_wrong_names_the_answers(requests, earlier, said):
    with pytest.raises(InstanceError) as caught:
        starts(requests, earlier, "a")
    assert str(caught.value).startswith(said)
