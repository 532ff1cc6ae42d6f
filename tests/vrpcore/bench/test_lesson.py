import torch

from vrpcore.bench.lesson import Lesson, Row, Scope, crossover


def row(batch_size, loop, numpy):
    return Row(setting={"batch_size": batch_size}, seconds={"loop": loop, "numpy": numpy})


def test_crossover_is_where_winning_starts_for_good():
    rows = [row(1, 1.0, 5.0), row(8, 6.0, 5.0), row(32, 5.0, 5.0), row(128, 9.0, 5.0)]
    assert crossover(rows, "numpy", "loop") == 128
    assert crossover(rows[:2], "numpy", "loop") == 8
    assert crossover(rows[:1], "numpy", "loop") is None
    assert crossover(rows[:1], "loop", "numpy") == 1


def test_fastest_and_ratio():
    assert row(1, 1.0, 5.0).fastest == "loop"
    assert row(1, 1.0, 5.0).ratio("numpy", "loop") == 5.0
    assert row(1, 1.0, 5.0).times("numpy", "loop") == "5.0 times as long"
    assert row(1, 1.0, 1234.0).times("numpy", "loop") == "1,234 times as long"


def test_as_dict():
    lesson = Lesson(name="a", title="b", variants={"loop": "c"}, rows=(row(8, 2.0, 1.0),))
    assert lesson.as_dict() == {
        "name": "a",
        "title": "b",
        "variants": {"loop": "c"},
        "rows": [{"batch_size": 8, "seconds": {"loop": 2.0, "numpy": 1.0}, "fastest": "numpy"}],
        "findings": [],
        "skipped": None,
    }


def test_scope_names_the_device():
    assert Scope(device=torch.device("cpu")).device_name.startswith("torch on cpu, ")
    assert Scope(device=torch.device("cpu"), repeats=11).few_repeats == 3
