import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import constrained, on_a_line
from tests.vrpcore.solve.doubles import tasks
from vrpcore.solve.order import Order, Task
from vrpcore.solve.queue import LARGE_CUSTOMERS, Queue, batch_of, is_large
from vrpcore.solve.solve_options import SolveOptions


def task(size, due=0.0, **options):
    (made,) = tasks([size], **options)
    made.order.due = due
    return made


def in_turn(queue, *, large_too=True):
    while (found := queue.first(large_too=large_too)) is not None:
        yield found


@given(st.lists(st.tuples(st.sampled_from([5, 20, 21, 60]), st.integers(0, 5)), max_size=20))
def test_the_earliest_due_goes_first_and_equals_in_their_order(entries):
    queue = Queue(batch_of)
    made = [task(size, float(due)) for size, due in entries]
    for each in made:
        queue.add(each)
    expected = sorted(made, key=lambda each: each.order.due)  # stable
    assert list(in_turn(queue)) == expected
    assert queue.first(large_too=True) is None


def test_large_ones_wait_where_they_may_not_go():
    queue = Queue(batch_of)
    small, large = task(20, due=9.0), task(LARGE_CUSTOMERS, due=1.0)
    queue.add(small)
    queue.add(large)
    assert list(in_turn(queue, large_too=False)) == [small]
    assert list(in_turn(queue)) == [large]


@pytest.mark.parametrize(
    ("size", "options", "expected"),
    [
        (199, {}, False),
        (200, {}, True),
        (200, {"improve": "none"}, True),
        (150, {"improve": "deep"}, False),  # 0.9 s
        (199, {"improve": "deep"}, True),
        (199, {"improve": "deep", "time_limit": 60.0}, False),
        (199, {"improve": "deep", "time_per_instance": 0.5}, False),
        (20, {"iterations": 10**6}, True),
        (20, {"iterations": 10**5}, False),
    ],
)
def test_what_is_large(size, options, expected):
    (made,) = tasks([size])
    end = options.get("time_limit")
    Order([made], SolveOptions(**options), end=end)
    assert is_large(made) == expected


def test_with_constraints_a_search_takes_longer():
    customers = on_a_line(*range(1, 41))
    made = Task(position=0, instance=constrained(customers=customers, vehicles=[{}]))
    for improve, expected in (("none", False), ("fast", False), ("deep", True)):
        Order([made], SolveOptions(improve=improve))
        assert is_large(made) == expected


def test_a_batch_has_like_sizes_and_the_same_options():
    queue = Queue(batch_of)
    head = task(20)
    alike = [task(20, due=float(number)) for number in range(4)]
    others = [task(40), task(20, improve="none"), task(20, augment=8)]
    limited = task(20, due=0.5, time_limit=3.0)  # how long it may take is its own affair
    for each in (*others, *reversed(alike), limited):
        queue.add(each)
    assert queue.others(head, 3) == [alike[0], limited, alike[1]]
    assert queue.others(head, 9) == alike[2:]
    assert queue.others(head, 9) == []
    assert set(in_turn(queue)) == set(others)


def test_sizes_of_a_batch_differ_by_fifteen_percent_at_most():
    by_batch = {}
    for size in range(1, 1001):
        by_batch.setdefault(batch_of(task(size)), []).append(size)
    assert all(max(sizes) <= 1.15 * min(sizes) for sizes in by_batch.values())
    assert max(map(len, by_batch.values())) > 50
