import dataclasses
import threading
import time

import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.solve.doubles import (
    PLAIN,
    SEARCHED,
    SOON,
    Recording,
    Small,
    answers,
    cheapest,
    occupied,
    opened,
    problems,
)
from vrpcore.errors import ModelError
from vrpcore.instance.instance import InvalidInstance
from vrpcore.referee.referee import check_solution
from vrpcore.solve import order as order_module
from vrpcore.solve.memory_limit import OverloadedError
from vrpcore.solve.order import POLICY_SKIPPED, Order, Task
from vrpcore.solve.queue import LARGE_CUSTOMERS
from vrpcore.solve.solve_options import SolveOptions


def threads():
    """The threads of all sessions."""
    return {each for each in threading.enumerate() if each.name.startswith("solve-")}


def test_every_order_gets_its_own_answers_in_order(backend):
    with opened(backend) as session:
        groups = [problems([size, size + 1, 3], seed) for seed, size in enumerate(range(4, 24))]
        orders = [session.submit(group, PLAIN) for group in groups]
        for group, order in zip(groups, orders, strict=True):
            for instance, answer in zip(group, answers(order), strict=True):
                assert check_solution(instance, answer).ok
    assert session.load == 0


def test_what_needs_no_work_is_answered_at_once(backend):
    backend.gate.clear()
    with opened(backend) as session:
        bad = InvalidInstance(name="bad", code="OUT_OF_RANGE", error="no")
        assert answers(session.submit([], PLAIN)) == []
        assert [answer.status for answer in answers(session.submit([bad], PLAIN))] == ["invalid"]
        mixed = session.submit([bad, *problems([5])], PLAIN)
        backend.gate.set()
        assert [answer.status for answer in answers(mixed)] == ["invalid", "solved"]


def test_orders_that_wait_share_a_batch(backend):
    backend.gate.clear()
    # The wait at the gate must not count as the pace of the backend, which limits a batch.
    with opened(backend, clock=lambda: 0.0) as session:
        busy = occupied(session, backend, PLAIN)
        waiting = [session.submit(problems([size]), PLAIN) for size in (12, 40, 12, 12)]
        backend.gate.set()
        for order in (*busy, *waiting):
            answers(order)
    assert sorted(backend.batches) == [[9], [9], [12, 12, 12], [40]]


@pytest.mark.parametrize(("size", "improve"), [(LARGE_CUSTOMERS, "fast"), (190, "deep")])
def test_a_small_instance_does_not_wait_behind_large_ones(backend, size, improve):
    release = threading.Event()

    def search(task, end, cores):
        if task.instance.num_customers == size:
            assert release.wait(SOON)
        return task.starts[0]

    with opened(backend, search) as session:
        options = SolveOptions(improve=improve)
        large = [session.submit(problems([size]), options, 60.0) for _ in range(3)]
        for _ in range(5):
            assert answers(session.submit(problems([6]), SEARCHED))
        assert not any(order.future.done() for order in large)
        release.set()
        for order in large:
            assert answers(order)


@pytest.mark.parametrize("options", [PLAIN, SolveOptions(time_limit=0.0)])
def test_a_plan_that_takes_long_to_be_made_holds_up_nobody(backend, monkeypatch, options):
    entered, release, made = threading.Semaphore(0), threading.Event(), order_module.search_instance

    def slow(instance, *arguments, **others):
        if instance.name == "slow":
            entered.release()
            assert release.wait(SOON)
        return made(instance, *arguments, **others)

    monkeypatch.setattr(order_module, "search_instance", slow)
    slow_one = constrained(name="slow", customers=on_a_line(1, 2), vehicles=[{}])
    with opened(backend, cheapest, workers=3, threads=3) as session:
        waiting = session.submit([slow_one, slow_one], options)
        for _ in range(2):  # side by side
            assert entered.acquire(timeout=SOON)
        assert answers(session.submit(problems([6]), SEARCHED))
        quick = constrained(name="quick", customers=on_a_line(1, 2), vehicles=[{}])
        assert [each.status for each in answers(session.submit([quick], PLAIN))] == ["solved"]
        assert not waiting.future.done()
        release.set()
        assert [each.status for each in answers(waiting)] == ["solved", "solved"]


def test_a_time_limit_counts_from_the_order(backend):
    now, ends = [100.0], []

    def search(task, end, cores):
        ends.append(end)
        return task.starts[0]

    backend.gate.clear()
    with opened(backend, search, clock=lambda: now[0]) as session:
        order = session.submit(problems([9]), SolveOptions(time_limit=3.0))
        now[0] = 102.0  # it waited
        backend.gate.set()
        answers(order)
        late = session.submit(problems([9]), SolveOptions(time_limit=0.0))
        assert answers(late)[0].status == "solved"
        free = session.submit(problems([9]), SEARCHED)
        answers(free)
    assert ends[0] == pytest.approx(103.0, abs=0.1)
    assert ends[1:] == [None]  # the late one was not searched, the free one ends by counts


def test_time_limits_share_the_workers(backend):
    now, parts = [0.0], []
    started = threading.Event()

    def search(task, end, cores):
        assert started.wait(SOON)
        parts.append(end - now[0])
        return task.starts[0]

    with opened(backend, search, clock=lambda: now[0]) as session:
        orders = [session.submit(problems([9]), SolveOptions(time_limit=4.0)) for _ in range(8)]
        started.set()
        for order in orders:
            answers(order)
    assert max(parts) <= 4.0
    assert sum(parts) < 8 * 4.0 * 0.8


def test_without_room_it_says_when_to_come_again(backend):
    backend.gate.clear()
    with opened(backend, room=30) as session:
        first = session.submit(problems([50]), PLAIN)  # larger than all room, but alone
        with pytest.raises(OverloadedError, match="busy with 50 customers, 4 more") as caught:
            session.submit(problems([4]), PLAIN)
        assert caught.value.retry_s >= 1.0
        backend.gate.set()
        answers(first)
        assert answers(session.submit(problems([4]), PLAIN))
    with pytest.raises(OverloadedError, match="stopping"):
        session.submit(problems([4]), PLAIN)


def test_a_cancelled_order_is_dropped(backend):
    backend.gate.clear()
    with opened(backend, cheapest) as session:
        busy = occupied(session, backend, SEARCHED)
        dropped = session.submit(problems([30] * 3), SEARCHED)
        assert dropped.future.cancel()
        backend.gate.set()
        for order in busy:
            answers(order)
    assert session.load == 0
    assert sorted(backend.batches) == [[9], [9]]


def test_who_is_alone_has_all_cores(backend):
    seen = []

    def search(task, end, cores):
        seen.append(cores)
        return task.starts[0]

    with opened(backend, search) as session:
        answers(session.submit(problems([9]), SEARCHED))
        assert seen == [2]
        answers(session.submit(problems([9] * 3), SEARCHED))
        answers(session.submit(problems([9]), dataclasses.replace(SEARCHED, workers=1)))
    assert len(seen) == 5
    assert seen[1] == seen[4] == 1


def test_a_closed_session_keeps_its_threads_for_what_is_still_constructed(backend):
    together = threading.Barrier(2)

    def search(task, end, cores):
        together.wait(60)
        return task.starts[0]

    backend.gate.clear()
    session = opened(backend, search)
    order = session.submit(problems([9] * 2), SEARCHED)
    closing = threading.Thread(target=session.close, kwargs={"wait": True})
    closing.start()
    time.sleep(0.1)  # whoever has nothing to do would leave by now
    backend.gate.set()
    closing.join()
    assert len(answers(order)) == 2


def test_answers_are_told_before_a_search_counts_as_over(backend):
    made, seen = [Task(position=0, instance=problems([9])[0])], []

    def tell(stage):
        if stage.answers:
            seen.append(dict(order.answers))

    order = Order(made, SEARCHED, 0, None, tell)
    with opened(backend, cheapest) as session:
        session.take(order)
        assert len(answers(order)) == 1
    assert seen == [{}]


def test_a_failure_reaches_its_own_orders_alone(backend):
    def search(task, end, cores):
        if task.instance.num_customers == 7:
            raise ModelError("broken")
        return task.starts[0]

    with opened(backend, search) as session:
        orders = [session.submit(problems([size, 5]), SEARCHED) for size in (6, 7, 8)]
        with pytest.raises(ModelError, match="broken"):
            answers(orders[1])
        assert len(answers(orders[0])) == len(answers(orders[2])) == 2
    assert session.load == 0


def test_a_failed_answer_costs_no_other_order_of_its_batch(backend, monkeypatch):
    answer, failing = order_module.Task.answer, []

    def fails_once(task, found):
        if task.size == 12 and not failing:
            failing.append(task.order)
            raise MemoryError("all")
        return answer(task, found)

    monkeypatch.setattr(order_module.Task, "answer", fails_once)
    backend.gate.clear()
    with opened(backend, clock=lambda: 0.0) as session:
        occupied(session, backend, PLAIN)
        waiting = [session.submit(problems([12]), PLAIN) for _ in range(3)]
        backend.gate.set()
        for order in waiting:
            if order.future.exception(timeout=SOON) is None:
                assert [each.status for each in answers(order)] == ["solved"]
            else:
                assert isinstance(order.future.exception(), MemoryError)
                assert failing == [order]
    assert len(failing) == 1
    assert [12, 12, 12] in backend.batches
    assert session.load == 0


def test_closing_answers_what_was_accepted_or_drops_it(backend):
    session = opened(backend)
    orders = [session.submit(problems([9] * 5), PLAIN) for _ in range(5)]
    session.close(wait=True)
    assert all(len(answers(order)) == 5 for order in orders)
    backend.gate.clear()
    session = opened(backend)
    occupied(session, backend, PLAIN)
    orders = [session.submit(problems([9]), PLAIN) for _ in range(4)]
    session.close(wait=False)
    backend.gate.set()
    assert all(order.future.cancelled() for order in orders)


def test_a_cancelled_order_with_a_limit_leaves_nothing(backend):
    """Some of it are constructed and held, one is at the gate, others wait."""
    backend.gate.clear()
    options = SolveOptions(time_limit=SOON, batch=1)
    with opened(backend, cheapest) as session:
        order = session.submit(problems([30] * 5), options)
        order.future.cancel()
        backend.gate.set()
        assert answers(session.submit(problems([9]), SEARCHED))
    assert session.load == 0


def test_a_failed_construction_takes_its_whole_order_along(backend):
    class Failing(Recording):
        def construct(self, batch, starts, temperature, seed):
            if batch.valid.sum(axis=1).max() == 31:
                raise ModelError("broken")
            return super().construct(batch, starts, temperature, seed)

    with opened(Failing(), cheapest) as session:
        order = session.submit(problems([9, 9, 30, 50]), SolveOptions(time_limit=SOON))
        with pytest.raises(ModelError, match="broken"):
            answers(order)
        assert answers(session.submit(problems([9]), SEARCHED))
    assert session.load == 0


def test_instances_of_an_order_with_a_limit_are_all_constructed_before_any_search(backend):
    constructed = []

    def search(task, end, cores):
        constructed.append(len(backend.batches))
        return task.starts[0]

    with opened(backend, search) as session:
        answers(session.submit(problems([40, 40, 60, 80]), SolveOptions(time_limit=SOON, batch=1)))
    assert constructed == [4] * 4


def test_no_more_threads_construct_or_search_than_allowed(backend):
    lock, running, most = threading.Lock(), [0], [0]

    def search(task, end, cores):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.002)
        with lock:
            running[0] -= 1
        return task.starts[0]

    before = threads()
    with opened(backend, search, workers=2, threads=5) as session:
        answers(session.submit(problems([9] * 20), SEARCHED))
        assert len(threads() - before) == 5
    assert most[0] <= 2


def test_a_task_has_no_thread_of_its_own_before_it_is_there(backend):
    before = threads()
    with opened(backend, workers=16, threads=16) as session:
        answers(session.submit(problems([9]), PLAIN))
        assert len(threads() - before) == 1


def test_a_thread_that_cannot_be_started_costs_only_its_order(backend, monkeypatch):
    def refuse(_):
        raise RuntimeError("can't start new thread")

    with opened(backend, workers=1, threads=1) as session:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            with pytest.raises(RuntimeError, match="new thread"):
                session.submit(problems([9]), PLAIN)
        assert session.load == 0
        answers(session.submit(problems([9]), PLAIN))


def test_what_does_not_fit_into_memory_gets_savings_routes():
    told = []
    with opened(Small(0, MemoryError())) as session:
        order = session.submit(problems([8]), PLAIN)
        order.tell = told.append
        (answer,) = answers(order)
    assert answer.warnings == (POLICY_SKIPPED,)
    assert answer.status == "solved"


@pytest.mark.parametrize("shared", [True, False])
def test_batches_stay_short_where_others_wait(backend, shared):
    backend.gate.clear()
    with opened(backend, workers=1, threads=1, shared=shared) as session:
        order = session.submit(problems([9] * 100), PLAIN)
        backend.gate.set()
        answers(order)
    assert (len(backend.batches[0]) == 100) is not shared
