"""Independent tasks on several cores."""

import os
import threading
from functools import partial

import pytest

from vrpcore.threads import num_cores, side_by_side


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
    started, finished = threading.Event(), threading.Event()

    def slow() -> None:
        started.set()
        threading.Event().wait(0.1)
        finished.set()

    def fails() -> None:
        started.wait(30)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        side_by_side([fails, slow], 2)
    assert finished.is_set()


@pytest.mark.parametrize(
    ("above", "own", "cores"),
    [
        ("max 100000", "max 100000", 64),
        ("max 100000", "200000 100000", 2),
        ("max 100000", "150000 100000", 2),
        ("300000 100000", "800000 100000", 3),
        ("max 100000", "5000 100000", 1),
        ("max 100000", "not a quota", 64),
    ],
)
def test_cores_are_those_that_a_container_allows(above, own, cores, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(64), raising=False)
    service = tmp_path / "slice" / "service"
    service.mkdir(parents=True)
    (service.parent / "cpu.max").write_text(above + "\n")
    (service / "cpu.max").write_text(own + "\n")
    (tmp_path / "own").write_text("1:name=systemd:/other\n0::/slice/service\n")
    assert num_cores(tmp_path, tmp_path / "own") == cores


def test_cores_without_control_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3), raising=False)
    assert num_cores(tmp_path, tmp_path / "none") == 3
    (tmp_path / "cgroup").write_text("0::/\n")
    assert num_cores(tmp_path, tmp_path / "cgroup") == 3
