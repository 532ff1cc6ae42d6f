import json
import time

import pytest

from vrpcore import api
from vrpcore.api import Model, Solver, read_instances, read_solutions
from vrpcore.errors import ConfigError, InstanceError
from vrpcore.solve.solve_options import SolveOptions


def test_public_names_are_those_that_things_have_everywhere():
    assert [getattr(api, name).__name__ for name in api.__all__] == api.__all__


def test_a_model_keeps_what_an_earlier_answer_had():
    model = Model()
    depot = model.add_depot(x=0, y=0)
    model.add_vehicle(capacity=4, start=depot)
    for x in (1, 2, 3, 4):
        model.add_customer(id=x, x=x, y=0, demand=2)
    earlier = model.solve()
    assert earlier.kept is None
    model.add_customer(id=5, x=9, y=0, demand=1)
    kept = model.solve(warm_start=earlier, keep_cost=1000)
    assert (kept.kept, kept.moved) == (4, 0)
    with pytest.raises(ConfigError, match="keep_cost: -1"):
        model.solve(keep_cost=-1)


def test_an_answer_that_is_read_is_kept():
    stops = [{"x": x, "y": 0, "demand": 2} for x in (1, 2, 3)]
    (instance,) = read_instances({"depot": [0, 0], "capacity": 4, "customers": stops})
    solver = Solver(device="cpu")
    first = solver.solve([instance])[0]
    earlier = read_solutions(json.dumps(first.document()).encode())
    (again,) = solver.solve([instance], warm_starts=earlier, keep_cost=9)
    assert (again.kept, again.moved, again.cost) == (3, 0, first.cost)


@pytest.mark.parametrize(
    ("values", "error", "said"),
    [
        ({"time_limit": "1"}, ConfigError, "time_limit: '1' is not a number"),
        ({"foo": 1}, ConfigError, "foo: not an option of solve; known are decode, "),
        ({"options": SolveOptions()}, ConfigError, "options: not an option of solve; known are"),
        ({"references": {}}, ConfigError, "references: not an option of solve; known are"),
        ({"reference": "1200"}, InstanceError, "reference: '1200', expected a number"),
        ({"on_improvement": 5}, ConfigError, "on_improvement: 5, expected a function"),
        ({"solver": "base"}, ConfigError, "solver: 'base', expected a Solver"),
        ({"warm_start": [["a"]]}, InstanceError, "warm_start: a list of 1, expected a Solution"),
    ],
)
def test_arguments_of_a_models_solve_are_checked(values, error, said):
    model = Model()
    model.add_depot(x=0, y=0)
    model.add_vehicle(capacity=5)
    model.add_customer(x=3, y=4, demand=2)
    with pytest.raises(error) as caught:
        model.solve(**values)
    assert str(caught.value).startswith(said)


def test_the_time_limit_of_a_model_counts_all_that_the_call_does(monkeypatch):
    model, limits = Model(), []
    model.add_depot(x=0, y=0)
    model.add_vehicle(capacity=5)
    model.add_customer(x=3, y=4, demand=2)
    solver, solve, instance = Solver(device="cpu"), Solver.solve, model.instance

    def slow():
        time.sleep(0.05)
        return instance()

    def seen(self, instances, options, **others):
        limits.append(options.time_limit)
        return solve(self, instances, options, **others)

    monkeypatch.setattr(model, "instance", slow)
    monkeypatch.setattr(Solver, "solve", seen)
    for limit in (0.01, 100.0, None):
        model.solve(limit, solver=solver, iterations=1)
    assert limits[0] == 0.0
    assert 0 < limits[1] <= 99.95
    assert limits[2] is None


def test_a_model_is_mended_after_a_solve_that_failed():
    model = Model()
    model.add_depot(x=0, y=0)
    model.add_vehicle(id="van", capacity=5)
    model.add_customer(x=3, y=4, demand=2, service_by_vehicle={"truck": 3})
    solver = Solver(device="cpu")
    with pytest.raises(InstanceError, match=r"service_by_vehicle\.truck: no vehicle type has"):
        model.solve(solver=solver)
    model.add_vehicle(id="truck", capacity=5)
    assert model.solve(0.05, solver=solver).cost == 10.0


def test_a_model_is_solved_and_goes_on():
    model = Model(speed=1)
    depot = model.add_depot(x=0, y=0)
    model.add_vehicle(count=1, capacity=5, start=depot)
    model.add_customer(id="a", x=3, y=4, demand=2, window=(10, 60), service=5)
    solver = Solver(device="cpu")
    first = model.solve(solver=solver)
    assert (first.status, first.cost) == ("solved", 10.0)
    assert [row["begin"] for row in first.to_rows()] == [10.0]
    model.add_customer(id="b", x=3, y=0, demand=4)
    second = model.solve(time_limit=0.05, solver=solver, warm_start=first, improve="fast")
    assert second.status == "infeasible"
    assert len(second.unserved) == 1
    with pytest.raises(ConfigError, match="time_limit"):
        model.solve(time_limit=-1, solver=solver)
