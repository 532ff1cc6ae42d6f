import pytest

from benchmarks import quality
from benchmarks.contender import Attempt, Contender
from benchmarks.quality import contenders_for, left_out, measure, num_pending
from benchmarks.quality_record import QualityRecord
from vrpcore.bench.problem_set import generated_set


class Counted:
    """A solver that notes its calls; one route a customer, or nothing."""

    def __init__(self, calls, name, answers=True):
        self.calls, self.name, self.answers = calls, name, answers

    def __call__(self, instances):
        self.calls.append((self.name, [instance.name for instance in instances]))
        return [
            Attempt(
                [[node] for node in range(1, instance.num_customers + 1)] if self.answers else None,
                0.5,
            )
            for instance in instances
        ]


def contender(calls, method, setting="1 s", **more):
    answers = more.pop("answers", True)
    solve = Counted(calls, f"{method} {setting}", answers)
    return Contender(method=method, setting=setting, version="1", solve=solve, **more)


def start(problems, contenders):
    record, entries = QualityRecord(), {problems: contenders}
    record.join(entries)
    return record, entries


def test_everyone_solves_everything_once_in_turns():
    calls, problems = [], generated_set("uniform5", 6, 1)
    contenders = [contender(calls, name) for name in "abc"]
    record, entries = start(problems, contenders)
    assert num_pending(record, entries) == 18
    assert len(list(measure(record, entries))) == 18
    warm, timed = calls[:3], calls[3:]
    assert warm == [(f"{name} 1 s", ["uniform5-0"]) for name in "cba"]
    assert [names for _, names in timed] == [[f"uniform5-{place // 3}"] for place in range(18)]
    orders = {tuple(name for name, _ in timed[i : i + 3]) for i in range(0, 18, 3)}
    assert len(orders) > 1  # the order differs between instances
    assert all(len(set(order)) == 3 for order in orders)
    (first, *_) = record.sets["uniform5"].points()
    assert (first.method, first.instances, first.failed, first.gap) == ("a", 6, 0, 0.0)
    assert first.solver_s == 0.5
    assert 0 <= first.cpu_s < 0.5
    assert num_pending(record, entries) == 0
    assert list(measure(record, entries)) == []
    assert len(calls) == 21


def test_failures_are_counted_and_told():
    problems = generated_set("uniform5", 2, 1)
    contenders = [contender([], "good"), contender([], "bad", answers=False)]
    record, entries = start(problems, contenders)
    list(measure(record, entries))
    good, bad = record.sets["uniform5"].points()
    assert (good.failed, good.gap) == (0, 0.0)
    assert (bad.failed, bad.gap) == (2, None)
    (told,) = record.sets["uniform5"].failures()
    assert told == "bad, 1 s: gave no routes (2 failed, uniform5-0 first)"


def test_all_in_one_call_share_their_time():
    calls, problems = [], generated_set("uniform5", 4, 1)
    record, entries = start(problems, [contender(calls, "batched", together=True)])
    assert len(list(measure(record, entries))) == 4
    assert calls[-1] == ("batched 1 s", [f"uniform5-{place}" for place in range(4)])
    runs = record.sets["uniform5"].series["batched", "1 s"].runs
    assert len({run.wall_s for run in runs.values()}) == 1


def test_more_instances_go_on_where_fewer_ended():
    calls = []
    few, more = (generated_set("uniform5", count, 1) for count in (2, 3))
    contenders = [contender(calls, "a")]
    record, entries = start(few, contenders)
    list(measure(record, entries))
    record.join({more: contenders})
    calls.clear()
    assert len(list(measure(record, {more: contenders}))) == 1
    assert calls == [("a 1 s", ["uniform5-0"]), ("a 1 s", ["uniform5-2"])]  # the first: warm-up
    assert record.sets["uniform5"].points()[0].instances == 3


def test_a_reference_run_only_where_costs_are_unknown(monkeypatch):
    longer = contender([], "reference (HGS)", "5 s", hidden=True)
    monkeypatch.setattr(quality, "reference_contenders", lambda *_: [longer])
    problems = generated_set("uniform5", 1, 1)
    assert contenders_for(problems, [], 5.0, 1) == [longer]
    assert contenders_for(problems, [], 0.0, 1) == []
    record, entries = start(problems, [contender([], "a"), longer])
    list(measure(record, entries))
    kept = record.sets["uniform5"]
    assert [point.method for point in kept.points()] == ["a"]
    assert kept.references_from() == (
        "the best cost of any method in this table or reference (HGS), 5 s"
    )
    monkeypatch.setattr(quality, "reference_contenders", lambda *_: [])
    assert contenders_for(problems, [], 5.0, 1) == []


@pytest.mark.parametrize("known", [(1.0,), (2.5,)])
def test_given_references_need_no_run(known):
    import dataclasses

    problems = dataclasses.replace(generated_set("uniform5", 1, 1), references=known)
    assert contenders_for(problems, [], 5.0, 1) == []


def test_slow_methods_keep_to_small_sets():
    everywhere, small = contender([], "a"), contender([], "b", most_customers=5)
    for size, expected in ((5, [everywhere, small]), (6, [everywhere])):
        problems = generated_set(f"uniform{size}", 1, 1)
        assert contenders_for(problems, [everywhere, small], 0.0, 1) == expected


def test_who_refuses_an_instance_is_left_out_and_that_is_said():
    problems = generated_set("uniform5", 2, 1)

    def refuses(instance):
        return "no such thing" if instance.name == "uniform5-1" else None

    contenders = [
        contender([], "a"),
        contender([], "b", refuses=refuses),
        contender([], "c", "1 s", refuses=refuses),
        contender([], "c", "2 s"),
    ]
    taking = contenders_for(problems, contenders, 0.0, 1)
    assert [(found.method, found.setting) for found in taking] == [("a", "1 s"), ("c", "2 s")]
    assert left_out(problems, contenders) == [
        "b, c, 1 s: left out of uniform5: no such thing (uniform5-1)"
    ]
    assert left_out(problems, contenders[:1]) == []


def test_the_reference_run_is_the_first_that_takes_the_set(monkeypatch):
    problems = generated_set("uniform5", 1, 1)
    never = contender([], "reference (HGS)", hidden=True, refuses=lambda _: "never")
    other = contender([], "reference (PyVRP)", hidden=True)
    monkeypatch.setattr(quality, "reference_contenders", lambda *_: [never, other])
    assert contenders_for(problems, [], 5.0, 1) == [other]


def test_vehicles_are_counted_where_they_come_first():
    import dataclasses

    drawn = generated_set("uniform5", 1, 1)
    problems = dataclasses.replace(drawn, references=(1.0,), vehicles=(3,))
    contenders = [contender([], "a"), contender([], "b", answers=False)]
    record, entries = start(problems, contenders)
    list(measure(record, entries))
    assert [series.runs[0].vehicles for series in record.sets["uniform5"].series.values()] == [
        5,
        None,
    ]
    point, failed = record.sets["uniform5"].points()
    assert (point.gap, point.equal, point.above) == (None, 0, 2)
    assert failed.above is None
