from hypothesis import given
from hypothesis import strategies as st

from tests.vrpcore.solve.test_construct import problems
from vrpcore.solve.job import Job
from vrpcore.solve.options import SolveOptions
from vrpcore.solve.orders import LARGE_CUSTOMERS, Order, Queue, Ticket


def ticket(size, due=0.0, **options):
    (problem,) = problems([size])
    order = Order(options=SolveOptions(**options), end=None, due=due, answers=[None])
    return Ticket(order, Job(position=0, instance=problem))


def in_turn(queue, *, large_too=True):
    while (found := queue.first(large_too=large_too)) is not None:
        yield found


@given(st.lists(st.tuples(st.sampled_from([5, 20, 21, 60]), st.integers(0, 5)), max_size=20))
def test_whoever_is_due_first_goes_first_and_equals_as_they_came(entries):
    queue = Queue()
    tickets = [ticket(size, float(due)) for size, due in entries]
    for each in tickets:
        queue.add(each)
    assert list(queue) != [] or not tickets
    expected = sorted(tickets, key=lambda each: each.order.due)  # stable
    assert list(in_turn(queue)) == expected
    assert list(queue) == []


def test_large_ones_wait_where_they_may_not_go():
    queue = Queue()
    small, large = ticket(20, due=9.0), ticket(LARGE_CUSTOMERS, due=1.0)
    queue.add(small)
    queue.add(large)
    assert list(in_turn(queue, large_too=False)) == [small]
    assert list(in_turn(queue)) == [large]


def test_company_has_like_sizes_and_the_same_options():
    queue = Queue()
    head = ticket(20)
    alike = [ticket(20, due=float(number)) for number in range(4)]
    others = [ticket(40), ticket(20, improve="none"), ticket(20, augment=8)]
    limited = ticket(20, due=0.5, time_limit_s=3.0)  # how long it may take is its own affair
    for each in (*others, *reversed(alike), limited):
        queue.add(each)
    assert queue.company(head, 3) == [alike[0], limited, alike[1]]
    assert queue.company(head, 9) == alike[2:]
    assert queue.company(head, 9) == []
    assert set(in_turn(queue)) == set(others)
