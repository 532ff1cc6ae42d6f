import dataclasses
import inspect
import itertools
import json
import math
import time

import pytest
from typer.testing import CliRunner

from vrpcore.api import Model, Solver, read_instances
from vrpcore.cli.main import app
from vrpcore.errors import ConfigError, InstanceError, ModelError
from vrpcore.referee.referee import check_solution
from vrpcore.solve import models, onnx_backend, session
from vrpcore.solve.solve_options import SolveOptions

ONE = {"capacity": 5, "depot": [0, 0], "coords": [[3, 4], [3, 0]], "demands": [2, 3]}


@pytest.fixture(autouse=True)
def policy_for_all_sizes():
    """Here small instances are searched alone, as everywhere outside of the tests of solve/."""


def test_solves_parsed_instances():
    (answer,) = Solver(device="cpu").solve(read_instances([ONE]), time_limit=None)
    assert (answer.status, answer.cost) == ("solved", 12.0)
    assert Solver(device="cpu").solve(read_instances([])) == []


def test_where_the_search_was_not_built_nothing_improves_and_that_is_said(without_search, tmp_path):
    (tmp_path / "one.json").write_text(json.dumps(ONE))
    file = str(tmp_path / "one.json")
    result = CliRunner().invoke(app, ["solve", file, "--device", "cpu", "--format", "json"])
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert (answer["summary"]["improve"], answer["summary"]["solved"]) == ("none", 1)
    assert "the compiled search was not built" in result.stderr
    told = CliRunner().invoke(app, ["doctor", "--no-verify"])
    assert (
        "missing; plain instances are solved only up to 1000 customers, by the policy: "
        in told.stdout
    )


def test_small_instances_are_searched_without_the_policy(monkeypatch):
    def refuse(*_):
        raise ModelError("was opened")

    monkeypatch.setattr(onnx_backend, "OnnxBackend", refuse)
    (answer,) = Solver(device="cpu").solve(read_instances([ONE]))
    assert (answer.status, answer.cost) == ("solved", 12.0)
    with pytest.raises(ModelError, match="was opened"):
        Solver(device="cpu").solve(read_instances([ONE]), improve="none")


def test_model_names_and_options_are_checked():
    with pytest.raises(ModelError, match="'large' is not shipped"):
        Solver("large")
    with pytest.raises(ConfigError, match="augment: 9 is not between 1 and 8"):
        Solver(device="cpu").solve([], augment=9)


def test_a_stream_may_be_endless():
    (instance,) = read_instances([ONE])
    answers = Solver(device="cpu").stream(itertools.repeat(instance), improve="none")
    assert [answer.cost for answer in itertools.islice(answers, 300)] == [12.0] * 300
    answers.close()


def test_a_stream_and_a_list_have_the_same_answers():
    instances = read_instances([ONE, {**ONE, "capacity": 0}, {**ONE, "demands": [5, 5]}])
    solver = Solver(device="cpu")
    assert list(solver.stream(iter(instances))) == solver.solve(instances)


def test_instances_and_warm_starts_may_come_one_by_one():
    instances = read_instances([ONE, {**ONE, "capacity": 0}, {**ONE, "demands": [5, 5]}])
    solver = Solver(device="cpu")
    expected = solver.solve(instances)
    found = solver.solve(iter(instances), warm_starts=iter(expected))
    assert found == expected
    assert [each.instance for each in found] == instances
    with pytest.raises(InstanceError, match=r"^3 warm starts for 2 instances; they are matched"):
        solver.solve(iter(instances[:2]), warm_starts=iter(expected))


@pytest.mark.parametrize("call", [Solver.solve, Solver.stream])
def test_a_single_instance_is_refused(call):
    for document in (ONE, {**ONE, "capacity": 0}):
        (instance,) = read_instances([document])
        with pytest.raises(InstanceError, match=r"^instances: a single .* write \[instance\]$"):
            call(Solver(device="cpu"), instance)


def test_warm_starts_are_one_for_each_instance():
    solver = Solver(device="cpu")
    instances = read_instances([ONE, ONE])
    earlier = solver.solve(instances)
    again = solver.solve(instances, warm_starts=[earlier[0], None], improve="none")
    assert [answer.cost for answer in again] == [12.0, 12.0]
    with pytest.raises(InstanceError, match="1 warm starts for 2 instances"):
        solver.solve(instances, warm_starts=earlier[:1])


def test_time_limits_are_taken():
    solver = Solver(device="cpu")
    (answer,) = solver.solve(read_instances([ONE]), time_limit=0.0)
    assert answer.cost == 12.0
    (answer,) = solver.solve(read_instances([ONE]), time_per_instance=0.0)
    assert answer.cost == 12.0
    with pytest.raises(ConfigError, match="time_limit"):
        solver.stream([], time_limit=-1.0)


@pytest.mark.parametrize("call", [Solver.solve, Solver.stream])
def test_arguments_are_checked_before_anything_is_solved(call):
    solver, items = Solver(device="cpu"), read_instances([ONE])
    for values, error, said in [
        ({"references": {"a": "9"}}, InstanceError, "references['a']: '9', expected a number"),
        ({"report": 5}, ConfigError, "report: 5, expected a function of one argument"),
        ({"on_improvement": 5}, ConfigError, "on_improvement: 5, expected a function"),
    ]:
        with pytest.raises(error) as caught:
            call(solver, items, **values)
        assert str(caught.value).startswith(said)
    with pytest.raises(InstanceError, match=r"^instances: 'a\.json', expected instances; read"):
        call(solver, "a.json")
    with pytest.raises(InstanceError, match=r"^instances\[0\]: an object, expected an instance,"):
        list(call(solver, [ONE]))


def test_a_session_is_one_of_so_many_workers():
    solver = Solver(device="cpu")
    with pytest.raises(ConfigError, match=r"^workers: '4' is not a whole number$"):
        solver.session(workers="4")
    with solver.session(workers=2) as opened:
        (answer,) = opened.submit(read_instances([ONE])).future.result()
    assert answer.cost == 12.0


def test_a_model_may_be_a_path():
    place = models.shipped_models()["small"].onnx
    (answer,) = Solver(place, device="cpu").solve(read_instances([ONE]), improve="none")
    assert answer.cost == 12.0


def test_warm_starts_are_solutions():
    with pytest.raises(InstanceError, match=r"^warm_starts\[1\]: 'a', expected a Solution"):
        Solver(device="cpu").solve(read_instances([ONE, ONE]), warm_starts=[None, "a"])


def scattered(count, size, name="p", **keys):
    """Documents of instances whose customers lie in a spiral."""
    places = [[math.cos(row) * row, math.sin(row) * row] for row in range(1, size + 1)]
    one = {"capacity": 5, "depot": [0, 0], "coords": places, "demands": [1] * size, **keys}
    return [{"name": f"{name}{row}", **one} for row in range(count)]


class Interrupting:
    """Raises at the first better plan, as Ctrl-C does in the caller's thread."""

    call, warnings = Solver.solve, ("INTERRUPTED",)

    def __init__(self):
        self.seen = []

    def __call__(self, found):
        self.seen.append(found)
        if len(self.seen) == 1:
            raise KeyboardInterrupt


class Enough(Interrupting):
    """Ends each search at its first better plan."""

    call, warnings = Solver.stream, ()

    def __call__(self, found):
        self.seen.append(found)
        return True


@pytest.mark.parametrize("ending", [Interrupting, Enough])
@pytest.mark.parametrize(
    ("more", "limit"),
    [
        ({}, {"iterations": 10**12}),
        ({"windows": [None] * 60}, {"iterations": 10**12}),
        ({}, {"time_limit": 1000}),
    ],
)
def test_a_callback_ends_searches_with_the_best_by_then(more, limit, ending):
    callback = ending()
    items = read_instances([*scattered(7, 60, **more), {"capacity": 0}])
    solver = Solver(device="cpu")
    found = list(ending.call(solver, items, workers=2, on_improvement=callback, **limit))
    assert [each.status for each in found] == ["solved"] * 7 + ["invalid"]
    assert {each.warnings for each in found[:7]} == {ending.warnings}
    assert all(check_solution(each.instance, each).ok for each in found[:7])
    assert all(each.trace[-1][1] == each.cost for each in found[:7])
    first = callback.seen[0]
    assert found[first.position].cost <= first.cost * (1 + 1e-6)
    assert found[first.position].iterations > 0


@pytest.mark.parametrize("ending", [Interrupting, Enough])
def test_a_callback_ends_a_models_solve_with_its_plan(ending):
    model = Model()
    depot = model.add_depot(x=0, y=0)
    model.add_vehicle(capacity=5, start=depot)
    for row in range(1, 41):
        model.add_customer(x=row * math.cos(row), y=row * math.sin(row), demand=1)
    callback = ending()
    found = model.solve(1000, on_improvement=callback, reference=100.0)
    assert (found.status, found.warnings) == ("solved", ending.warnings)
    assert found.gap == (found.cost - 100.0) / 100.0
    assert callback.seen[0].gap == (callback.seen[0].cost - 100.0) / 100.0
    assert callback.seen[0].name == "model"


def test_ctrl_c_before_anything_is_found_says_so(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "admit", interrupted)
    (found,) = Solver(device="cpu").solve(read_instances([ONE]))
    assert (found.status, found.code, found.cost) == ("partial", "INTERRUPTED", None)
    assert found.error == "the call was interrupted before anything was found; solve it again"


def test_a_stream_raises_ctrl_c():
    stages = []

    def report(stage):
        stages.append(stage)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Solver(device="cpu").stream(read_instances([ONE, ONE]), report=report))


def test_what_a_callback_raises_ends_the_call():
    def wrong(_found):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        Solver(device="cpu").solve(read_instances([ONE]), on_improvement=wrong)


def test_better_plans_are_told_with_their_gaps():
    told = []
    one, two = {**ONE, "name": "one"}, {**ONE, "name": "two"}
    found = Solver(device="cpu").solve(
        read_instances([one, two]), on_improvement=told.append, references={"one": 10.0}
    )
    assert [each.gap for each in found] == [0.2, None]
    assert sorted((each.position, each.cost, each.gap) for each in told) == [
        (0, 12.0, 0.2),
        (1, 12.0, None),
    ]
    assert all(each.seconds > 0 for each in told)
    (again,) = Solver(device="cpu").stream(read_instances([one]), references={"one": 10.0})
    assert again.gap == 0.2


def test_searches_end_by_each_rule():
    solver = Solver(device="cpu")
    instances = read_instances(scattered(2, 60))
    usual = solver.solve(instances)
    again = solver.solve(instances, iterations=400 * 60)
    assert again == usual
    few = solver.solve(instances, iterations=60)
    assert few[0].cost >= usual[0].cost
    started = time.monotonic()
    solver.solve(instances, iterations=10**12, no_improvement=0.1)
    target = few[0].cost
    for answer in solver.solve(instances, iterations=10**12, target_cost=target):
        assert answer.cost <= target * (1 + 2e-6)
    solver.solve(instances, iterations=10**12, time_limit=0.3)
    assert time.monotonic() - started < 60


def test_answers_have_their_instances():
    valid, invalid = Solver(device="cpu").solve(read_instances([ONE, {"capacity": 0}]))
    assert [row["customer"] for row in valid.to_rows()] == [1, 2]
    assert invalid.to_rows() == []
    streamed = Solver(device="cpu").stream(read_instances([ONE]))
    assert [len(each.to_rows()) for each in streamed] == [2]


def test_help_shows_the_options_of_a_solve():
    for call in (Solver.solve, Solver.stream):
        shown = inspect.signature(call).parameters
        assert shown.keys() > {each.name for each in dataclasses.fields(SolveOptions)}
    shown = inspect.signature(Model.solve).parameters
    assert list(shown)[1] == "time_limit"
    assert shown.keys() > {each.name for each in dataclasses.fields(SolveOptions)}
