import pytest
import torch

from benchmarks.lesson import Case, Lesson, Scope, crossovers, ratios

CPU = torch.device("cpu")


def row(batch_size, loop, numpy):
    return {
        "num_customers": 5,
        "batch_size": batch_size,
        "seconds": {"loop": loop, "numpy": numpy},
        "fastest": "loop" if loop < numpy else "numpy",
    }


@pytest.mark.parametrize(
    ("count", "pair", "told"),
    [
        (4, ("numpy", "loop"), "numpy beats loop from batch 128 on"),
        (2, ("numpy", "loop"), "numpy beats loop from batch 8 on"),
        (1, ("numpy", "loop"), "numpy never beats loop up to batch 1"),
        (1, ("loop", "numpy"), "loop beats numpy at every batch"),
    ],
)
def test_crossovers_are_where_winning_starts_for_good(count, pair, told):
    rows = [row(1, 1.0, 5.0), row(8, 6.0, 5.0), row(32, 5.0, 5.0), row(128, 9.0, 5.0)]
    assert crossovers(rows[:count], [pair]) == [f"N = 5: {told}"]


def test_ratios_of_the_smallest_and_the_largest_setting():
    moved = {"loop": 30, "numpy": 10}
    rows = [row(1, 5.0, 1.0), row(2, 1.0, 1.0), row(8, 1234.0, 1.0) | {"bytes": moved}]
    assert ratios(rows, [("loop", "numpy")]) == [
        "N = 5, batch size = 1: loop takes 5.00 times as long as numpy",
        "N = 5, batch size = 8: loop takes 1,234 times as long as numpy"
        " and moves 3.0 times the bytes",
    ]
    assert len(ratios(rows[:1], [("loop", "numpy")])) == 1


def test_a_lesson_is_measured_at_each_setting():
    def count_(scope, batch_size):
        """Counting takes longer than not counting."""
        variants = {"many": ("up to 1000", lambda: sum(range(1000))), "none": ("nothing", int)}
        return Case(variants, counts={"used_length": batch_size + 1})

    settings = [{"batch_size": 1}, {"batch_size": 2}]
    lesson = Lesson(lambda _: settings, [("many", "none"), ("many", "absent")], count_)
    found = lesson.measure(Scope(device=CPU, rounds=3))
    assert (found.name, found.title) == ("count", "Counting takes longer than not counting")
    assert found.variants == {"many": "up to 1000", "none": "nothing"}
    assert [(each["batch_size"], each["used_length"]) for each in found.rows] == [(1, 2), (2, 3)]
    assert {each["fastest"] for each in found.rows} == {"none"}
    assert len(found.findings) == 2
    assert found.skipped is None


def test_scope_names_the_device():
    assert Scope(device=CPU).device_name.startswith("torch on cpu, ")
