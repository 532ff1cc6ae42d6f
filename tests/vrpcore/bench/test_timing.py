import torch

from vrpcore.bench.timing import alternate, waited


def test_every_variant_is_timed_in_turn():
    calls = []
    work = {name: lambda name=name: calls.append(name) for name in ("a", "b", "c")}
    seconds = alternate(work, repeats=2)
    assert list(seconds) == ["a", "b", "c"]
    assert all(value >= 0 for value in seconds.values())
    order = [name for place, name in enumerate(calls) if place == 0 or calls[place - 1] != name]
    assert order == ["a", "b", "c", "a", "b", "c", "b", "a"]  # warm-up, forth, back


def test_long_work_is_called_once_a_turn():
    calls = []

    def work():
        calls.append(torch.zeros(1))
        torch.ones(2_000_000).sort()

    alternate({"long": work}, repeats=3)
    assert len(calls) == 6  # three times to warm up


def test_a_cpu_has_nothing_to_wait_for():
    work = {"a": int}
    assert waited(work, torch.device("cpu")) == work
