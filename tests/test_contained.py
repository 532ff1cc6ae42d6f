"""A bug that one instance meets costs that instance alone, wherever it is met."""

import csv
import io
import json
import math
from dataclasses import replace

import pytest

from tests.cli.runs import lines, named, vrp
from vrpcore.api import Model, read_instances
from vrpcore.errors import InternalError
from vrpcore.formats import write
from vrpcore.formats.answers.solution_json import solution_to_dict, solution_to_line
from vrpcore.formats.solutions import read_solutions
from vrpcore.formats.vroom import vroom_answer
from vrpcore.referee.referee import CheckResult, check_solution
from vrpcore.replan import going_on
from vrpcore.solve import admission, answer, construction, known_plans, order, searching

GUILTY = "i2"
SAID = "a bug in vrp, please report it with the instance 'i2': KeyError: 'lost'"
VAN = {"count": 1, "capacity": 9}
CUSTOMERS = [{"x": 1, "y": 2, "demand": 4}, {"x": 2, "y": 1, "demand": 4}]


def constrained(count, **more):
    """Instances i1, i2, ...: of three customers, one van has room for two."""
    customers = [*CUSTOMERS, {"x": 3, "y": 3, "demand": 4}]
    one = {"depot": [0, 0], "vehicles": [VAN], "customers": customers}
    return [{"name": f"i{number}", **one, **more} for number in range(1, count + 1)]


def names_in(arguments):
    """Names of the instances and solutions among arguments, in lists too."""
    for each in arguments:
        if isinstance(each, list | tuple):
            yield from names_in(each)
        yield getattr(getattr(each, "instance", each), "name", None)


def broken(monkeypatch, place, name, times=math.inf, guilty=GUILTY):
    """Makes a function raise where it is called for the instance, the first so many times."""
    whole, left = getattr(place, name), [times]

    def raises(*arguments, **named_ones):
        if guilty in names_in(arguments) and left[0] > 0:
            left[0] -= 1
            raise KeyError("lost")
        return whole(*arguments, **named_ones)

    monkeypatch.setattr(place, name, raises)


def refusing(monkeypatch, times=math.inf):
    """Makes the check refuse the answers to the instance, the first so many times."""
    left = [times]

    def check(instance, solution, *known):
        if instance.name == GUILTY and left[0] > 0:
            left[0] -= 1
            return CheckResult(ok=False, cost=None, problems=("routes[0]: too long",))
        return check_solution(instance, solution, *known)

    monkeypatch.setattr(answer, "check_solution", check)


# Where a bug may be, and whether there is an answer all the same.
PLAIN = {
    "fleet": (admission, "settled", True),
    "roads": (admission, "suspected_no_road", True),
    "known routes": (known_plans, "own_routes", True),
    "policy": (construction, "construct", True),
    "ranking": (order, "rank_of", True),
    "search": (searching, "search_instance", True),
    "cost": (answer, "route_costs", False),
    "check": (answer, "check_solution", False),
}
CONSTRAINED = {
    "coverage": (admission, "why_not_covered", True),
    "known routes": (known_plans, "own_routes", True),
    "policy": (construction, "construct", True),
    "search": (searching, "search_instance", True),
    "insertion": (order, "search_instance", False),
    "times": (going_on, "AnswerTimes", False),
    "reasons": (answer, "Reasons", False),
    "proofs": (answer, "too_few_vehicles", False),
    "check": (answer, "check_solution", False),
}


def test_a_plan_that_goes_on_is_not_begun_anew(solver, monkeypatch):
    refusing(monkeypatch, times=2)  # what was found, and what was known
    instances = read_instances(constrained(2, routes=[[1], [2]]))
    _, answer = solver.solve(instances, improve="fast", freeze=0.0)
    assert (answer.code, answer.routes) == ("INTERNAL", ())
    assert "routes[0]: too long" in answer.fault


@pytest.mark.parametrize("stage", PLAIN)
def test_plain_instances_in_python(solver, monkeypatch, stage):
    place, name, is_answered = PLAIN[stage]
    documents = named(5, max_vehicles=2, capacity=9, routes=[[1], [2, 3]])
    options = {"improve": "fast", "augment": 2, "batch": 5}
    guards(solver, monkeypatch, documents, (place, name), is_answered, options)


@pytest.mark.parametrize("stage", CONSTRAINED)
def test_instances_with_constraints_in_python(solver, monkeypatch, stage):
    place, name, is_answered = CONSTRAINED[stage]
    more = {} if stage == "policy" else {"routes": [[1], [2]]}
    improve = "none" if stage in ("policy", "insertion") else "fast"
    options = {"improve": improve, "batch": 5}
    guards(solver, monkeypatch, constrained(5, **more), (place, name), is_answered, options)


def guards(solver, monkeypatch, documents, place, is_answered, options):
    """All others are answered as without the bug; the guilty one says what happened."""
    instances = read_instances(documents)
    expected = solver.solve(instances, workers=2, threads=2, **options)
    assert [each.fault for each in expected] == [None] * 5
    with monkeypatch.context() as patch:
        broken(patch, *place)
        found = solver.solve(instances, workers=2, threads=2, **options)
    assert [found[row] for row in (0, 2, 3, 4)] == [expected[row] for row in (0, 2, 3, 4)]
    guilty = found[1]
    assert (guilty.name, guilty.fault) == (GUILTY, SAID)
    if is_answered:
        assert guilty.status == expected[1].status
        assert guilty.warnings[-1] == f"INTERNAL: {SAID}"
        assert check_solution(instances[1], guilty).ok
    else:
        assert (guilty.status, guilty.code, guilty.error) == ("invalid", "INTERNAL", SAID)
        assert not guilty.has_routes
    assert solver.solve(instances, workers=2, threads=2, **options) == expected


@pytest.mark.parametrize("documents", [named(3), constrained(3)], ids=["plain", "constrained"])
def test_a_plan_that_the_check_refuses_gives_way_to_the_one_before(solver, monkeypatch, documents):
    instances = read_instances(documents)
    refusing(monkeypatch, times=1)
    found = solver.solve(instances, improve="fast", workers=1)
    assert [each.fault is not None for each in found] == [False, True, False]
    assert "fails its check: ('routes[0]: too long',)" in found[1].fault
    assert all(check_solution(*pair).ok for pair in zip(instances, found, strict=True))
    refusing(monkeypatch)
    lost = solver.solve(instances, improve="fast", workers=1)[1]
    assert (lost.status, lost.code, lost.routes) == ("invalid", "INTERNAL", ())


def test_a_batch_that_fails_only_as_a_whole_is_constructed_one_by_one(solver, monkeypatch):
    whole, said = construction.construct, []

    def failing(instances, *others):
        if len(instances) > 1:
            raise RuntimeError("together")
        return whole(instances, *others)

    instances = read_instances(named(4))
    options = {"improve": "none", "batch": 4}
    expected = solver.solve(instances, **options)
    monkeypatch.setattr(construction, "construct", failing)
    found = solver.solve(instances, report=lambda stage: said.append(stage.note), **options)
    assert found == expected
    assert [each.constructor for each in found] == ["base"] * 4
    assert "RuntimeError with 4 instances per batch: continuing one by one" in said


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_what_is_no_bug_still_stops_the_run(solver, monkeypatch, error):
    def stops(*_):
        raise error

    monkeypatch.setattr(answer, "check_solution", stops)
    with pytest.raises(error):
        list(solver.stream(read_instances(named(3)), improve="none"))


def test_a_model_raises_its_own_error(monkeypatch):
    model = Model(name=GUILTY)
    depot = model.add_depot(x=0, y=0)
    model.add_vehicle(capacity=9, start=depot)
    model.add_customer(x=3, y=4, demand=2)
    model.add_customer(x=4, y=3, demand=2)
    with monkeypatch.context() as patch:
        broken(patch, answer, "check_solution")
        with pytest.raises(InternalError, match="please report it with the instance 'i2'") as said:
            model.solve(improve="none")
    assert said.value.code == "INTERNAL"
    with monkeypatch.context() as patch:
        broken(patch, searching, "search_instance")
        assert model.solve().warnings == (f"INTERNAL: {SAID}",)
    assert model.solve().fault is None


def statuses(solutions):
    return [each.status for each in solutions]


@pytest.mark.parametrize("documents", [named(3), constrained(3)], ids=["plain", "constrained"])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_json_of_a_run(tmp_path, monkeypatch, documents, ending):
    file, out = tmp_path / "in.jsonl", tmp_path / f"out.{ending}"
    file.write_text(lines([*documents, {"capacity": -1}]))
    vrp("solve", file, "-o", out, code=4)
    expected = read_solutions(out)
    broken(monkeypatch, answer, "check_solution")
    said = vrp("solve", file, "-o", out, "--quiet", code=1).stderr
    found = read_solutions(out)
    assert [found[row] for row in (0, 2, 3)] == [expected[row] for row in (0, 2, 3)]
    assert (found[1].code, found[1].error) == ("INTERNAL", SAID)
    assert f"error: i2: {SAID}" in said
    assert "Traceback" not in out.read_text()


def test_an_answer_all_the_same_ends_the_run_with_1(tmp_path, monkeypatch):
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    file.write_text(lines(named(3)))
    broken(monkeypatch, searching, "search_instance")
    said = vrp("solve", file, "-o", out, code=1).stderr
    assert statuses(read_solutions(out)) == ["solved"] * 3
    assert f"error: i2: {SAID}" in said and "solved  3 of 3" in said


def test_a_resumed_run_keeps_the_answer_and_its_code(tmp_path, monkeypatch):
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    file.write_text(lines(named(4)))
    with monkeypatch.context() as patch:
        broken(patch, answer, "check_solution")
        vrp("solve", file, "-o", out, "--improve", "none", code=1)
    whole = out.read_text()
    part = out.with_name("out.jsonl.part")
    part.write_text("".join(whole.splitlines(keepends=True)[:2]) + '{"name": "i3", "sta')
    out.unlink()
    vrp("solve", file, "-o", out, "--improve", "none", "--resume", code=1)
    assert out.read_text() == whole


def failing_answers(monkeypatch, place, name):
    """Makes a function that writes fail for answers of the instance that have routes."""
    whole = getattr(place, name)

    def writes(*arguments):
        if any(getattr(each, "name", "") == GUILTY and each.routes for each in arguments[-1:]):
            raise KeyError("lost")
        return whole(*arguments)

    monkeypatch.setattr(place, name, writes)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


WRITERS = {
    "json": ("solution_to_line", lambda text: solutions_of(json.loads(text)["solutions"])),
    "jsonl": ("solution_to_line", lambda text: solutions_of(map(json.loads, text.splitlines()))),
}


def solutions_of(values):
    return [(each["name"], each["status"], each.get("code")) for each in values]


@pytest.mark.parametrize("form", WRITERS)
def test_writing_json(tmp_path, monkeypatch, form):
    file, out = tmp_path / "in.jsonl", tmp_path / f"out.{form}"
    file.write_text(lines(named(3)))
    name, read = WRITERS[form]
    failing_answers(monkeypatch, write, name)
    vrp("solve", file, "-o", out, "--improve", "none", code=1)
    assert read(out.read_text()) == [
        ("i1", "solved", None), ("i2", "invalid", "INTERNAL"), ("i3", "solved", None),
    ]  # fmt: skip
    if form == "json":
        assert json.loads(out.read_text())["summary"]["invalid"] == 1


def test_writing_csv_geojson_and_sol(tmp_path, monkeypatch):
    from vrpcore.formats.answers import sol_files, solutionformats
    from vrpcore.formats.sheets import sheet_routes

    file = tmp_path / "in.jsonl"
    file.write_text(lines(named(3)))
    failing_answers(monkeypatch, sheet_routes, "solution_to_csv")
    failing_answers(monkeypatch, solutionformats, "geojson_features")
    failing_answers(monkeypatch, sol_files, "solution_to_sol")
    for name in ("out.csv", "out.geojson", "out/"):
        vrp("solve", file, "-o", f"{tmp_path}/{name}", "--improve", "none", code=1)
    table = rows((tmp_path / "out.csv").read_text())
    assert {(row["instance"], row["status"], row["code"]) for row in table} == {
        ("i1", "solved", ""), ("i2", "invalid", "INTERNAL"), ("i3", "solved", ""),
    }  # fmt: skip
    features = json.loads((tmp_path / "out.geojson").read_text())["features"]
    assert {(each["properties"]["instance"], each["geometry"] is None) for each in features} == {
        ("i1", False), ("i2", True), ("i3", False),
    }  # fmt: skip
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["0-i1.sol", "2-i3.sol"]


def test_spreadsheets(tmp_path, monkeypatch):
    for name in ("i1", GUILTY):
        (tmp_path / f"{name}.csv").write_text("id,x,y,demand\na,1,2,3\nb,2,1,3\n")
    files = (tmp_path / "i1.csv", tmp_path / "i2.csv")
    short = ("--depot", "0,0", "--capacity", "9")
    out = tmp_path / "out.csv"
    broken(monkeypatch, answer, "check_solution")
    vrp("solve", *files, *short, "-o", out, code=1)
    table = rows(out.read_text())
    assert [(row["instance"], row["status"], row["code"]) for row in table] == [
        ("i1", "solved", ""), ("i1", "solved", ""), ("i2", "invalid", "INTERNAL"),
    ]  # fmt: skip


def vroom_problem(number):
    matrix = [[0, 2, 3], [2, 0, 4 + number], [3, 4, 0]]
    return {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
        "jobs": [{"id": 7, "location_index": 1}, {"id": 8, "location_index": 2}],
        "matrices": {"car": {"durations": matrix}},
    }


@pytest.mark.parametrize(
    ("place", "name", "codes"),
    [
        (answer, "check_solution", [0, 1, 0]),
        (vroom_answer, "_AnswerWriter", [0, 1, 0]),
        (searching, "search_instance", [0, 0, 0]),
    ],
)
def test_problems_of_vrooms(tmp_path, monkeypatch, place, name, codes):
    file, out = tmp_path / "in.jsonl", tmp_path / "out.json"
    file.write_text(lines(vroom_problem(number) for number in range(3)))
    broken(monkeypatch, place, name, guilty="instance-1")
    vrp("solve", file, "-o", out, code=1)
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["code"] for each in found] == codes
    said = found[1].get("error") or found[1]["warnings"][0]
    assert said.removeprefix("INTERNAL: ") == SAID.replace("i2", "instance-1")


def test_a_table_on_a_terminal(tmp_path, monkeypatch):
    from vrpcore.cli.solve import OutputOptions

    file = tmp_path / "in.jsonl"
    file.write_text(lines(named(3)))
    monkeypatch.setattr(OutputOptions, "chosen_format", lambda *_, **__: "table")
    broken(monkeypatch, answer, "check_solution")
    shown = vrp("solve", file, "--improve", "none", code=1)
    assert "2 solved" in shown.stdout and "1 invalid" in shown.stdout
    assert f"error: i2: {SAID}" in shown.stderr


def test_generated_answers(tmp_path, monkeypatch):
    broken(monkeypatch, answer, "check_solution", guilty="vrptw-uniform-n4-1")
    words = ["--variant", "vrptw", "--n", 4, "--count", 3, "--label-seconds", 0.01]
    said = vrp("generate", *words, "-o", tmp_path / "a.json", code=1).stderr
    assert "a bug in vrp met 1 of 3 answers" in said
    found = read_solutions(tmp_path / "a.solutions.json")
    assert [each.code for each in found] == [None, "INTERNAL", None]


def test_no_message_is_logged_where_requests_may_be_secret(solver, monkeypatch, caplog):
    broken(monkeypatch, answer, "check_solution")
    solver.solve(read_instances(named(3)), improve="none")
    (record,) = caplog.records
    assert record.name == "vrp.internal"
    assert record.getMessage().startswith("internal error: KeyError\n  File ")
    assert "lost" not in record.getMessage().replace('raise KeyError("lost")', "")


def test_the_message_of_a_bug_is_one_short_line(solver, monkeypatch):
    def fails(*_):
        raise ValueError("a\nb" * 1000)

    monkeypatch.setattr(answer, "check_solution", fails)
    (found,) = solver.solve(read_instances(named(1)), improve="none")
    assert found.error.startswith(
        "a bug in vrp, please report it with the instance 'i1': ValueError: a\\x0aba\\x0ab"
    )
    assert found.error.endswith("...") and len(found.error) < 400
    assert replace(found, error=None).fault == "INTERNAL"
    assert solution_to_dict(found)["code"] == "INTERNAL"
    assert solution_to_line(found).count("\n") == 0
