import dataclasses
import json
from types import SimpleNamespace

import pytest

from benchmarks.own import POLICY
from vrpcore.bench import throughput
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.throughput import (
    Throughput,
    measure_throughput,
    modes_here,
    throughput_to_json,
    usual_count,
)
from vrpcore.errors import InfeasibleError, InternalError
from vrpcore.instance.solution import Solution


class Fake:
    """A solver whose costs grow with the symmetric copies."""

    def __init__(self, cost=10.0, device="cpu", status="solved"):
        self.calls, self.cost, self.status = [], cost, status
        self.model = SimpleNamespace(device=device)

    def solve(self, instances, **options):
        self.calls.append((len(instances), options))
        return [Solution(name=item.name, status=self.status, cost=self.cost) for item in instances]


def test_modes_take_turns_after_a_small_call_of_each():
    fake = Fake()
    problems = dataclasses.replace(generated_set("uniform5", 4, 1), references=(8.0,) * 4)
    rows = measure_throughput(fake, problems, POLICY, 2, 3)
    assert [count for count, _ in fake.calls] == [2, 2, 4, 4, 4, 4]
    copies = [options.get("augment", 1) for _, options in fake.calls]
    assert copies == [1, 8, 1, 8, 8, 1]  # forth, then back
    assert {(options["threads"], options["workers"]) for _, options in fake.calls} == {(3, 3)}
    assert [row.mode for row in rows] == ["multistart", "x8"]
    assert rows[0].cost == 10.0
    assert rows[0].gap == pytest.approx(0.25)
    assert rows[0].wall_s > 0


def test_a_device_first_records_the_shapes_that_are_timed():
    fake = Fake(device="cuda")
    measure_throughput(fake, generated_set("uniform5", 4, 1), POLICY, 1, None)
    assert [count for count, _ in fake.calls] == [4] * 6


def test_a_gap_needs_every_reference():
    problems = dataclasses.replace(generated_set("uniform5", 2, 1), references=(8.0, None))
    (row,) = measure_throughput(Fake(), problems, {"multistart": {}}, 1, None)
    assert row.gap is None


@pytest.mark.parametrize(("cost", "status"), [(None, "infeasible"), (10.0, "partial")])
def test_unsolved_instances_are_an_error(cost, status):
    fake, problems = Fake(cost, status=status), generated_set("uniform5", 2, 1)
    with pytest.raises(InfeasibleError, match=f"uniform5-0: {status}"):
        measure_throughput(fake, problems, {"multistart": {}}, 1, None)


def test_an_answer_that_a_bug_has_changed_is_not_measured(monkeypatch):
    told = Solution(name="a", status="solved", cost=1.0, warnings=("INTERNAL: a bug in vrp",))
    monkeypatch.setattr(Fake, "solve", lambda *_, **__: [told] * 2)
    with pytest.raises(InternalError, match="uniform5: a: a bug in vrp"):
        measure_throughput(Fake(), generated_set("uniform5", 2, 1), {"multistart": {}}, 1, None)


def test_rates_by_hand():
    row = Throughput(name="a", mode="fast", instances=50, wall_s=2.0, cpu_s=4.0, cost=1.0, gap=None)
    assert row.instances_per_second == 25.0
    assert row.cpu_ms == 80.0
    document = json.loads(throughput_to_json([row], {"processor": "Z80"}))
    assert document["format"] == "vrp-bench-solve/1"
    assert document["rows"][0]["cpu_ms"] == 80.0
    assert document["environment"] == {"processor": "Z80"}


def test_counts_and_modes(monkeypatch):
    counts = [usual_count(size, quick=False) for size in (20, 50, 100, 200, 5000)]
    assert counts == [256, 256, 128, 64, 16]
    assert usual_count(100, quick=True) == 8
    monkeypatch.setattr(throughput, "is_built", lambda: False)
    assert modes_here() == (
        POLICY,
        ["fast: not measured (vrp doctor says why)"],
    )
