import pytest

from tests.vrpcore.solve.test_construct import problems
from vrpcore.solve.deadline import (
    FINISH_S,
    WORK_S,
    WRITE_S,
    Budget,
    Ladder,
    Shares,
    least_search_seconds,
    policy_work,
    savings_seconds,
)
from vrpcore.solve.options import SolveOptions


def ladder(instances, seconds, threads=1, **options):
    budget = Budget(0, 100.0 + seconds)
    return Ladder(instances, SolveOptions(**options), threads, 100.0, budget)


def chosen(options):
    return None if options is None else (options.decode, options.augment)


def test_what_is_left_lacks_what_finishing_and_writing_will_take():
    budget = Budget(10_000, 100.0)
    assert budget.left(90.0) == pytest.approx(10 - 10_000 * (FINISH_S + WRITE_S))
    budget.finished(4_000, 4.0)
    budget.written(2_000, 1.0)
    expected = 6_000 * 1e-3 + 8_000 * 5e-4
    assert budget.left(80.0) == pytest.approx(20 - expected, rel=0.1)
    budget.finished(6_000, 6.0)
    budget.written(8_000, 4.0)
    assert budget.left(90.0) == 10.0


def test_work_grows_with_starts_samples_symmetries_and_size():
    def work(**options):
        return policy_work(50, SolveOptions(**options))

    assert work(decode="greedy") < work(starts=10) < work() < work(augment=2)
    assert work(decode="sample", samples=16) == work()
    assert work(augment=8) == 8 * work()
    assert policy_work(100, SolveOptions()) > 2 * policy_work(50, SolveOptions())


@pytest.mark.parametrize(
    ("share", "expected"),
    [(100.0, ("multistart", 8)), (10.0, ("multistart", 1)), (5.0, ("greedy", 1)), (0.1, None)],
)
def test_the_dearest_construction_that_fits_is_chosen(share, expected):
    instances = problems([50] * 20)
    multistart = 20 * WORK_S * policy_work(50, SolveOptions())
    assert chosen(ladder(instances, share * multistart).choose(instances[:5], 100.0)) == expected


def test_without_search_all_of_the_time_is_for_construction():
    instances = problems([50] * 20)
    multistart = 20 * WORK_S * policy_work(50, SolveOptions(improve="none"))
    for seconds, expected in ((50.0, 1), (1.01, 1)):
        found = ladder(instances, seconds * multistart, improve="none")
        assert chosen(found.choose(instances[:5], 100.0)) == ("multistart", expected)


def test_what_was_asked_for_is_never_exceeded_otherwise():
    instances = problems([50] * 4)
    for options in ({"decode": "greedy"}, {"augment": 2}, {"decode": "sample"}):
        found = ladder(instances, 1e6, **options).choose(instances, 100.0)
        assert found == SolveOptions(**options)


def test_the_backend_is_measured():
    instances = problems([50] * 20)
    multistart = 20 * WORK_S * policy_work(50, SolveOptions(starts=50))
    steps = ladder(instances, 20 * multistart, starts=50)
    first = steps.choose(instances[:5], 100.0)
    assert chosen(first) == ("multistart", 1)
    steps.measured(instances[:5], first, multistart)
    assert steps.rate == pytest.approx(4 * WORK_S)
    assert chosen(steps.choose(instances[5:10], 100.0 + multistart)) == ("greedy", 1)
    four = ladder(instances, 0.3 * multistart, threads=4, improve="none")
    assert chosen(four.choose(instances, 100.0)) == ("multistart", 1)


def test_a_fast_device_is_asked_even_when_time_is_up():
    instances = problems([50] * 20)
    steps = ladder(instances, 0.0)
    steps.measured(instances, SolveOptions(), 20 * savings_seconds(50) / 10)
    assert chosen(steps.choose(instances, 100.0)) == ("greedy", 1)


def test_shares_use_the_time_up_whatever_each_needs():
    sizes = [10, 40, 90]
    shares = Shares(sizes, 1, Budget(0, 100.0))
    now, spent = 0.0, []
    for size in sizes:
        end = shares.end_of(size, now)
        spent.append(end - now)
        now = end
    assert now == pytest.approx(100.0)
    assert spent == pytest.approx([100 * size / sum(sizes) for size in sizes])


def test_what_one_search_leaves_goes_to_the_others():
    shares = Shares([20, 20], 1, Budget(0, 10.0))
    assert shares.end_of(20, 0.0) == pytest.approx(5.0)
    assert shares.end_of(20, 0.0) == pytest.approx(10.0)


def test_fewer_instances_than_workers_have_all_of_the_time():
    shares = Shares([20, 50], 4, Budget(0, 10.0))
    assert [shares.end_of(size, 1.0) for size in (20, 50)] == [10.0, 10.0]
    many = Shares([20] * 4, 2, Budget(0, 10.0))
    assert [many.end_of(20, 0.0) for _ in range(2)] == [5.0, pytest.approx(20 / 3)]
    assert [many.end_of(20, 5.0) for _ in range(2)] == [10.0, 10.0]


def test_nothing_is_begun_that_cannot_be_useful():
    shares = Shares([100] * 3, 1, Budget(0, 10.0))
    assert shares.end_of(100, 10.0 - least_search_seconds(100) / 3) is None
    assert shares.end_of(100, 9.0, least=2.0) is None
    assert shares.end_of(100, 11.0) is None


def test_scarce_time_goes_to_some_in_useful_pieces():
    useful = least_search_seconds(100)
    shares = Shares([100] * 10, 1, Budget(0, 4 * useful))
    assert shares.scarce(0.0)
    assert shares.end_of(100, 0.0) == pytest.approx(useful)
    assert not Shares([100] * 10, 1, Budget(0, 11 * useful)).scarce(0.0)


def test_a_search_ends_where_the_budget_does():
    budget = Budget(1000, 10.0)
    budget.finished(500, 1.0)
    end = Shares([20], 1, budget).end_of(20, 0.0)
    assert end == pytest.approx(budget.left(0.0))
    assert end < 9.5
