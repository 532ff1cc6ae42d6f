"""Orders of a session end, and give their room back, whatever they hold and whatever goes wrong."""

import dataclasses
import time

import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.solve.doubles import PLAIN, SEARCHED, answers, occupied, opened, problems
from vrpcore.errors import InternalError
from vrpcore.solve import session as session_module
from vrpcore.solve.queue import Queue
from vrpcore.solve.searching import search_task
from vrpcore.solve.solve_options import SolveOptions


@pytest.mark.parametrize("rows", [(0, 1), (1, 0), (0, 0, 1, 1)])
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("options", [PLAIN, SEARCHED])
def test_an_order_ends_whatever_of_it_is_constructed(backend, rows, workers, options):
    """The policy constructs the plain ones, and nothing those with constraints."""
    kinds = *problems([5]), constrained(customers=on_a_line(1, 2), vehicles=[{}, {}])
    limited = dataclasses.replace(options, time_limit=0.2)
    with opened(backend, search_task, workers=workers) as session:
        found = answers(session.submit([kinds[row] for row in rows], limited))
    assert [each.status for each in found] == ["solved"] * len(rows)


def test_an_order_that_is_stopped_gives_its_room_back_at_once(backend):
    backend.gate.clear()
    with opened(backend, room=27) as session:
        orders = occupied(session, backend, PLAIN)  # in both threads, which nothing ends
        orders.append(session.submit(problems([9]), PLAIN))
        for order in orders:
            order.stop()
        assert session.load == 0
        backend.gate.set()
        assert answers(session.submit(problems([9]), PLAIN))


def lost(monkeypatch, _):
    monkeypatch.setattr(Queue, "add", lambda *_: None)


def broken(monkeypatch, _):
    first, failures = Queue.first, [RuntimeError()]

    def fails_once(*arguments, **asked):
        if failures:
            raise failures.pop()
        return first(*arguments, **asked)

    monkeypatch.setattr(Queue, "first", fails_once)


def hanging(_, backend):
    backend.gate.clear()


@pytest.mark.parametrize(
    ("damage", "error"), [(lost, InternalError), (broken, RuntimeError), (hanging, InternalError)]
)
def test_an_order_ends_whatever_goes_wrong_inside(backend, monkeypatch, damage, error):
    monkeypatch.setattr(session_module, "LOOK_S", 0.01)
    monkeypatch.setattr(session_module, "ENDING_S", 0.01)
    now = [0.0]
    with opened(backend, clock=lambda: now[0]) as session:
        damage(monkeypatch, backend)
        order = session.submit(problems([9]), SolveOptions(improve="none", time_limit=1.0))
        while damage is hanging and not backend.entered:
            time.sleep(0.001)
        now[0] = 100.0
        with pytest.raises(error):
            answers(order)
        if damage is broken:
            assert answers(session.submit(problems([9]), PLAIN))
    assert session.load == 0
    backend.gate.set()
