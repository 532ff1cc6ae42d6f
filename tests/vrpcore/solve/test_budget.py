import pytest

from vrpcore.solve.budget import (
    FINISH_CONSTRAINED_S,
    FINISH_S,
    WRITE_S,
    Budget,
    Pace,
    least_search_seconds,
    preparation_seconds,
    savings_seconds,
)
from vrpcore.solve.construct import WORK_S, policy_work
from vrpcore.solve.solve_options import SolveOptions


def budget(sizes, seconds, **options):
    """A budget that begins at 100."""
    return Budget(sizes, SolveOptions(**options), 100.0 + seconds)


def searched(sizes, seconds):
    """One that ends after so many seconds from 0, where finishing takes no time."""
    made = Budget(sizes, SolveOptions(), seconds)
    customers = sum(sizes)
    made.finished(customers, 0.0)
    made.written(customers, 0.0)
    return made


def paced(rate):
    """The pace of a backend that was measured."""
    pace = Pace()
    pace.measured(1.0, rate)
    return pace


def way(made, sizes, now=100.0, rate=WORK_S, threads=1, pace=None):
    found = made.construction(sizes, now, pace or paced(rate), threads)
    return None if found is None else (found.decode, found.augment)


def test_what_is_left_lacks_what_finishing_and_writing_will_take():
    made = Budget([100] * 100, SolveOptions(), 100.0)
    assert made.left(90.0) == pytest.approx(10 - 10_000 * (FINISH_S + WRITE_S))
    made.finished(4_000, 4.0)
    made.written(2_000, 1.0)
    expected = 6_000 * 1e-3 + 8_000 * 5e-4
    assert made.left(80.0) == pytest.approx(20 - expected, rel=0.1)
    made.finished(6_000, 6.0)
    made.written(8_000, 4.0)
    assert made.left(90.0) == 10.0


def test_constraints_take_longer_to_finish_and_no_policy():
    made = Budget([100] * 2, SolveOptions(), 100.0, [100] * 8)
    expected = 200 * FINISH_S + 800 * FINISH_CONSTRAINED_S + 1000 * WRITE_S
    assert made.left(90.0) == pytest.approx(10 - expected)
    made = Budget([], SolveOptions(), 100.1, [50] * 20)
    assert way(made, []) == ("multistart", 8)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(100.0, ("multistart", 8)), (10.0, ("multistart", 1)), (5.0, ("greedy", 1)), (0.1, None)],
)
def test_the_dearest_construction_that_fits_is_chosen(share, expected):
    multistart = 20 * WORK_S * policy_work(50, SolveOptions())
    assert way(budget([50] * 20, share * multistart), [50] * 5) == expected


def test_without_search_all_of_the_time_is_for_construction():
    multistart = 20 * WORK_S * policy_work(50, SolveOptions(improve="none"))
    for seconds in (50.0, 1.05):
        made = budget([50] * 20, seconds * multistart, improve="none")
        assert way(made, [50] * 5) == ("multistart", 1)


def test_what_was_asked_for_is_never_exceeded_otherwise():
    sampled = {"decode": "sample", "samples": 5, "temperature": 0.5}
    for options in ({"decode": "greedy"}, {"augment": 2}, {"decode": "sample"}, sampled):
        found = budget([50] * 4, 1e6, **options).construction([50] * 4, 100.0, paced(WORK_S), 1)
        assert found == SolveOptions(**options)


def test_where_time_is_short_a_greedy_construction_takes_the_place_of_samples():
    greedy = 4 * WORK_S * policy_work(50, SolveOptions(decode="greedy"))
    made = budget([50] * 4, 20 * greedy, decode="sample", samples=5000, temperature=0.5)
    assert way(made, [50] * 4) == ("greedy", 1)


def test_a_slow_backend_constructs_less():
    multistart = 20 * WORK_S * policy_work(50, SolveOptions(starts=50))
    made = budget([50] * 20, 20 * multistart, starts=50)
    assert way(made, [50] * 5) == ("multistart", 1)
    assert way(made, [50] * 5, 100.0 + multistart, rate=4 * WORK_S) == ("greedy", 1)
    made = budget([50] * 20, 0.32 * multistart, starts=50, improve="none")
    assert way(made, [50] * 20, threads=4) == ("multistart", 1)


def test_construction_has_its_share_from_its_own_beginning():
    multistart = 20 * WORK_S * policy_work(50, SolveOptions())
    waited = Budget([50] * 20, SolveOptions(), 200.0 + 10 * multistart)
    assert way(waited, [50] * 20, now=200.0) == ("multistart", 1)


def test_a_fast_device_is_asked_even_when_time_is_up():
    work = 20 * policy_work(50, SolveOptions())
    rate = 20 * savings_seconds(50) / 10 / work
    assert way(budget([50] * 20, 0.0), [50] * 20, rate=rate) == ("greedy", 1)


def test_a_device_that_is_not_loaded_yet_is_asked_where_there_is_time_for_that():
    pace = Pace(on_host=False)
    assert way(budget([50] * 20, 10.0), [50] * 20, pace=pace) is None
    assert way(budget([50] * 20, 100.0), [50] * 20, pace=pace) == ("multistart", 8)
    assert way(budget([50] * 20, 10.0, improve="none"), [50] * 20, pace=pace) == ("multistart", 1)
    pace.measured(1.0, 10.0)  # the first batch
    assert way(budget([50] * 20, 10.0), [50] * 20, pace=pace) == ("multistart", 8)


def test_the_last_batches_set_the_pace():
    pace = Pace()
    assert (pace.known, pace.rate_s) == (False, WORK_S)
    device = Pace(on_host=False)
    assert not device.known and device.rate_s < WORK_S / 10
    device.measured(1.0, 100.0)  # the first batch loads kernels
    assert not device.known
    device.measured(2.0, 1.0)
    assert (device.known, device.rate_s) == (True, 0.5)
    pace.measured(100.0, 1.0)
    assert (pace.known, pace.rate_s) == (True, 0.01)
    for _ in range(20):
        pace.measured(100.0, 3.0)
    assert pace.rate_s == pytest.approx(0.03)


def test_shares_use_the_time_up_whatever_each_needs():
    sizes = [10, 40, 90]
    made = searched(sizes, 100.0)
    now, spent = 0.0, []
    for size in sizes:
        end = made.search_end(size, now, 1)
        spent.append(end - now)
        now = end
    assert now == pytest.approx(100.0)
    assert spent == pytest.approx([100 * size / sum(sizes) for size in sizes])


def test_what_one_search_leaves_goes_to_the_others():
    made = searched([20, 20], 10.0)
    assert made.search_end(20, 0.0, 1) == pytest.approx(5.0)
    assert made.search_end(20, 0.0, 1) == pytest.approx(10.0)


def test_fewer_instances_than_workers_have_all_of_the_time():
    made = searched([20, 50], 10.0)
    assert [made.search_end(size, 1.0, 4) for size in (20, 50)] == [10.0, 10.0]
    many = searched([20] * 4, 10.0)
    assert [many.search_end(20, 0.0, 2) for _ in range(2)] == [5.0, pytest.approx(20 / 3)]
    assert [many.search_end(20, 5.0, 2) for _ in range(2)] == [10.0, 10.0]


def test_several_orders_share_a_worker():
    alone = searched([20], 10.0)
    assert alone.search_end(20, 0.0, 0.25) == pytest.approx(2.5)
    two = searched([20, 20], 10.0)
    assert two.search_end(20, 0.0, 0.5) == pytest.approx(2.5)


def test_nothing_is_begun_that_cannot_be_useful():
    made = searched([100] * 3, 10.0)
    assert made.search_end(100, 10.0 - least_search_seconds(100) / 4, 1) is None
    assert made.search_end(100, 9.0, 1, least=2.0) is None
    assert made.search_end(100, 11.0, 1) is None


def test_scarce_time_goes_to_some_in_useful_pieces():
    useful = least_search_seconds(100)
    made = searched([100] * 10, 4 * useful)
    assert made.scarce(0.0, 1)
    assert made.search_end(100, 0.0, 1) == pytest.approx(useful)
    assert not searched([100] * 10, 11 * useful).scarce(0.0, 1)


def test_whether_every_search_can_be_prepared():
    made = searched([100] * 10, 10.01 * preparation_seconds(100))
    assert made.prepares_all(0.0, 1)
    assert not made.prepares_all(0.1 * preparation_seconds(100), 1)
    assert made.prepares_all(5 * preparation_seconds(100), 2)


def test_a_search_ends_before_finishing_and_writing():
    made = Budget([1000], SolveOptions(), 10.0)
    made.finished(500, 1.0)
    end = made.search_end(1000, 0.0, 1)
    assert end == pytest.approx(made.left(0.0))
    assert end < 9.5
