from tests.vrpcore.solve.doubles import tasks
from vrpcore.instance.solution import Solution
from vrpcore.search.watch import Watch
from vrpcore.serve import job_progress
from vrpcore.serve.job_progress import JobProgress


def order_of(sizes, searched=()):
    """An order; those at some positions are searched and have a plan of cost 10 + position."""
    made = tasks(sizes)
    for position in searched:
        made[position].watch = Watch()
        made[position].watch.note(10.0 + position)
    return made[0].order


def answered(order, position):
    order.answers[position] = Solution(name="p", status="solved", cost=1.0)


def test_positions_count_through_the_orders_of_a_job(monkeypatch):
    monkeypatch.setattr(job_progress, "LOOK_S", 0.0)
    progress = JobProgress("j")
    assert progress.shown() == {**progress.shown(), "finished": 0, "searched": []}
    first, second = order_of([3, 4, 5], [1, 2]), order_of([6, 7], [0])
    progress.begin(first)
    progress.begin(second)
    answered(first, 1)
    shown = progress.shown()
    assert (shown["finished"], progress.waiting) == (1, [first, second])
    plans = [(each["position"], each["cost"]) for each in shown["searched"]]
    assert plans == [(2, 12.0), (3, 10.0)]
    assert shown["searched"][0] == {
        "position": 2, "name": first.tasks[2].instance.name, "cost": 12.0, "iterations": 0,
    }  # fmt: skip
    progress.end()
    shown = progress.shown()
    assert (shown["finished"], [each["position"] for each in shown["searched"]]) == (3, [3])
    assert 0.0 <= shown["seconds"] < 60.0


def test_a_search_without_a_plan_has_no_cost():
    progress, order = JobProgress("j"), order_of([3])
    order.tasks[0].watch = Watch()
    progress.begin(order)
    assert [each["cost"] for each in progress.shown()["searched"]] == [None]


def test_however_many_ask_the_searches_are_looked_at_once_in_a_while():
    progress, order = JobProgress("j"), order_of([3], [0])
    progress.begin(order)
    shown = progress.shown()
    answered(order, 0)
    assert progress.shown() is shown
