"""`vrp solve` with problems of VROOM's, which are answered in kind."""

import json

import pytest

from tests.cli.runs import ONE, lines, one_line, vrp
from tests.vrpcore.vroom_oracle import check_vroom
from tests.vrpcore.vroom_problems import vroom_problem


def untimed(answer):
    """An answer of VROOM's without what differs from run to run."""
    del answer["summary"]["computing_times"]
    return answer


def vroom(tmp_path, count, **changes):
    """A file of problems of VROOM's, one a line, and the documents."""
    documents = [vroom_problem(seed, 6) | changes for seed in range(count)]
    file = tmp_path / "problem.json"
    file.write_text(lines(documents))
    return file, documents


def test_problems_of_vrooms_are_answered_in_kind(tmp_path):
    file, (document,) = vroom(tmp_path, 1)
    found = json.loads(vrp("solve", file).stdout)
    assert check_vroom(document, found) == []
    out = tmp_path / "answer.json"
    vrp("solve", file, "-o", out)
    assert untimed(json.loads(out.read_text())) == untimed(found)
    ours = json.loads(vrp("solve", file, "--format", "json").stdout)
    assert ours["format"] == "vrp-solutions/1"
    vrp("solve", file, "-o", tmp_path / "answer.jsonl")
    assert "status" in json.loads((tmp_path / "answer.jsonl").read_text())


def test_keys_that_are_not_vrooms_are_ignored_with_a_message(tmp_path):
    file, (document,) = vroom(tmp_path, 1, extra={"g": False})
    result = vrp("solve", file)
    assert "instance-0: keys that are not VROOM's are ignored: extra\n" in result.stderr
    assert check_vroom(document, json.loads(result.stdout)) == []


def test_each_problem_is_solved_by_its_own_options(tmp_path):
    """The first asks for no search, the last for an unknown option."""
    problem = {**vroom_problem(3, 20, ()), "options": {"x": 0, "t": 1}}
    documents = [problem, {**problem, "options": {"l": 0.2}}, {**problem, "options": {"y": 1}}]
    file = tmp_path / "problem.json"
    file.write_text(lines(documents))
    told = vrp("solve", file, code=4).stdout.splitlines()
    first, second, third = map(json.loads, told)
    times = [each["summary"]["computing_times"]["solving"] for each in (first, second)]
    assert times[0] < 200 <= times[1]
    assert second["summary"]["cost"] <= first["summary"]["cost"]
    error = "instances[2].options: unknown key 'y'; known are g, x, t, l, c"
    assert third == {"code": 2, "error": error}


def test_windows_in_any_order_and_a_closed_bridge(tmp_path):
    none = 4294967295
    durations = [[0, 600, none], [600, 0, none], [none, none, 0]]
    windows = [[28800, 30000], [3600, 7200]]
    document = {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "time_window": [0, 36000]}],
        "jobs": [
            {"id": 1, "location_index": 1, "time_windows": windows},
            {"id": 2, "location_index": 2},
        ],
        "matrices": {"car": {"durations": durations}},
    }
    file, out = tmp_path / "problem.json", tmp_path / "answer.json"
    file.write_text(json.dumps(document))
    vrp("solve", file, "-o", out)
    answer = json.loads(out.read_text())
    assert answer["summary"]["cost"] == 1200
    assert [(each["id"], each["reason"]) for each in answer["unassigned"]] == [(2, "NO_ROAD")]
    assert vrp("check", file, out).stdout.startswith("ok")


def test_several_problems_of_vrooms_are_a_line_each(tmp_path):
    file, documents = vroom(tmp_path, 3)
    text = vrp("solve", file, file).stdout
    answers = [json.loads(line) for line in text.splitlines()]
    answers = list(map(untimed, answers))
    assert answers[:3] == answers[3:]
    for document, answer in zip(documents, answers[:3], strict=True):
        assert check_vroom(document, answer) == []


def test_who_is_unassigned_changes_no_code_in_kind(tmp_path):
    few = [{"id": 1, "start_index": 0, "max_tasks": 1}]
    document = vroom_problem(1, 4, ()) | {"vehicles": few}
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(document))
    answer = json.loads(vrp("solve", file).stdout)
    assert answer["summary"]["unassigned"] == 3
    vrp("solve", file, "--format", "json", code=6)


def test_errors_in_kind(tmp_path):
    file, _ = vroom(tmp_path, 1, vehicles=[])
    found = json.loads(vrp("solve", file, code=4).stdout)
    assert found == {"code": 2, "error": "instances[0].vehicles: 0 vehicles, expected 1 to 10000"}
    file.write_text("[")
    assert vrp("solve", file, code=4).stdout == ""
    found = json.loads(vrp("solve", file, "--format", "vroom", code=4).stdout)
    assert found["code"] == 2
    assert "not JSON" in found["error"]


def test_an_answer_of_vrooms_is_not_replaced_by_an_error(tmp_path):
    file, _ = vroom(tmp_path, 1)
    out = tmp_path / "answer.json"
    vrp("solve", file, "-o", out)
    kept = out.read_bytes()
    file.write_text("[")
    said = vrp("solve", file, "--format", "vroom", "-o", out, code=4).stderr
    assert f"{out}: not replaced" in one_line(said)
    assert out.read_bytes() == kept
    assert json.loads((tmp_path / "answer.json.part").read_text())["code"] == 2


def test_problems_of_vrooms_beside_ours_get_answers_of_ours(tmp_path):
    file, _ = vroom(tmp_path, 1)
    own = tmp_path / "own.json"
    own.write_text(json.dumps(ONE))
    for files in ((own, file), (file, own)):
        found = json.loads(vrp("solve", *files).stdout)
        assert [each["status"] for each in found["solutions"]] == ["solved", "solved"]
    told = vrp("solve", file, own, file, "--format", "vroom", code=4)
    first, second, third = map(json.loads, told.stdout.splitlines())
    assert first["code"] == third["code"] == 0
    assert second["code"] == 2
    words = "instance-1: not a problem of VROOM's, so that it has no answer of that kind"
    assert second["error"] == f"{words}; --format json answers all"
    assert second["error"] in told.stderr


@pytest.mark.parametrize("words", [[], ["--format", "vroom"]])
@pytest.mark.parametrize(
    ("place", "broken"),
    [(1, '{"vehicles": ['), (1, "7"), (2, '{"name": "x"}'), (0, '{"name": "x"}')],
)
def test_a_line_that_cannot_be_read_costs_no_other_problem(tmp_path, words, place, broken):
    file, _ = vroom(tmp_path, 2)
    rows = file.read_text().splitlines()
    rows.insert(place, broken)
    file.write_text("\n".join(rows))
    told = vrp("solve", file, *words, code=4)
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    error = answers.pop(place)
    assert [each["code"] for each in answers] == [0, 0]
    assert error["code"] == 2 and error["error"].startswith(f"instances[{place}]")


def test_flags_that_end_searches_go_with_problems_that_ask_for_none(tmp_path):
    file, documents = vroom(tmp_path, 3)
    documents[1]["options"] = {"x": 0}
    file.write_text(lines(documents))
    told = vrp("solve", file, "--iterations", "1000", "--target-cost", "1").stdout
    for document, line in zip(documents, told.splitlines(), strict=True):
        assert check_vroom(document, json.loads(line)) == []


def test_answers_of_vrooms_are_warm_starts(tmp_path):
    file, _ = vroom(tmp_path, 2)
    out = tmp_path / "answer.json"
    vrp("solve", file, "-o", out)
    again = vrp("solve", file, "--warm-start", out, "--improve", "none").stdout
    assert [json.loads(line)["summary"]["cost"] for line in again.splitlines()] == [
        json.loads(line)["summary"]["cost"] for line in out.read_text().splitlines()
    ]


def test_steps_are_kept_for_a_price(tmp_path):
    """Two vehicles that are alike serve every other job of a line; one could serve all."""
    ends = {"start_index": 0, "end_index": 0, "capacity": [4]}
    durations = [[60 * abs(one - other) for other in range(5)] for one in range(5)]
    problem = {
        "vehicles": [
            {"id": vehicle, **ends, "steps": [{"type": "job", "id": job} for job in jobs]}
            for vehicle, jobs in ((1, [1, 3]), (2, [2, 4]))
        ],
        "jobs": [{"id": n, "location_index": n, "delivery": [1]} for n in range(1, 5)],
        "matrices": {"car": {"durations": durations}},
    }
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(problem))
    for price, cost in (("50", 480), ("1e6", 840)):
        found = json.loads(vrp("solve", file, "--keep", price).stdout)
        assert found["summary"]["cost"] == cost
    jobs = {
        route["vehicle"]: [step["id"] for step in route["steps"] if step["type"] == "job"]
        for route in found["routes"]
    }
    assert jobs == {1: [1, 3], 2: [2, 4]}
