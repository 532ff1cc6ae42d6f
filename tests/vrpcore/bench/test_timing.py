import time
from functools import partial

from vrpcore.bench.timing import alternate, in_turn, timed


def test_every_variant_is_timed_in_turn():
    calls = []
    work = {name: lambda name=name: calls.append(name) for name in ("a", "b", "c")}
    seconds = alternate(work, rounds=2)
    assert list(seconds) == ["a", "b", "c"]
    assert all(value >= 0 for value in seconds.values())
    order = [name for place, name in enumerate(calls) if place == 0 or calls[place - 1] != name]
    assert order == ["a", "b", "c", "a", "b", "c", "b", "a"]  # warm-up, forth, back


def test_long_work_is_called_once_a_turn():
    calls = []

    def work():
        calls.append("long")
        time.sleep(0.002)

    alternate({"long": work}, rounds=3)
    assert len(calls) == 6  # three times to warm up


def test_results_of_variants_in_turn():
    calls = []

    def call(name):
        calls.append(name)
        return len(calls)

    found = in_turn({name: partial(call, name) for name in ("a", "b")}, rounds=3)
    assert found == {"a": [1, 4, 5], "b": [2, 3, 6]}
    assert calls == ["a", "b", "b", "a", "a", "b"]


def test_both_clocks_and_the_result():
    found = timed(lambda: sum(range(100_000)))
    assert found.result == 4_999_950_000
    assert found.wall_s > 0
    assert found.cpu_s > 0
