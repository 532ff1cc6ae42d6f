"""Independent tasks on several cores."""

import threading
from functools import partial

import pytest

from vrpcore.threads import side_by_side


@pytest.mark.parametrize("cores", [1, 2, 3, 8])
def test_results_stand_in_the_order_of_the_tasks(cores):
    assert side_by_side([partial(pow, number, 2) for number in range(5)], cores) == [0, 1, 4, 9, 16]


def test_no_tasks():
    assert side_by_side([], 4) == []


def test_callers_thread_works_too():
    """Two tasks that wait for each other end only where both run."""
    meeting = threading.Barrier(2, timeout=30)

    def meet() -> threading.Thread:
        meeting.wait()
        return threading.current_thread()

    workers = side_by_side([meet, meet], 2)
    assert threading.current_thread() in workers
    assert len(set(workers)) == 2


def test_error_comes_after_all_threads_have_ended():
    begun, finished = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        threading.Event().wait(0.1)
        finished.set()

    def fails() -> None:
        begun.wait(30)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        side_by_side([fails, slow], 2)
    assert finished.is_set()
