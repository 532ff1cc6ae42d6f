import pytest

from vrpcore.config.sections import TrainConfig
from vrpcore.learn.train.schedule import learning_rate, run_progress


def test_learning_rate_is_constant_until_it_anneals():
    train = TrainConfig(
        steps=100, warmup_steps=0, anneal=0.5, learning_rate=1.0, final_learning_rate=0.0
    )
    rates = [learning_rate(train, step, 0.0) for step in (0, 49, 50, 75, 100)]
    assert rates == pytest.approx([1.0, 1.0, 1.0, 0.5, 0.0])
    constant = TrainConfig(steps=100, warmup_steps=0, anneal=0.0, learning_rate=1.0)
    assert learning_rate(constant, 100, 0.0) == 1.0


def test_the_rate_rises_linearly_to_its_value():
    train = TrainConfig(steps=100, warmup_steps=4, anneal=0.0, learning_rate=2.0)
    rates = [learning_rate(train, step, 0.0) for step in range(6)]
    assert rates == pytest.approx([0.5, 1.0, 1.5, 2.0, 2.0, 2.0])


def test_a_run_is_as_far_as_its_steps_or_its_clock():
    train = TrainConfig(steps=100, time_limit_s=10.0)
    places = ((20, 5.0), (80, 5.0), (200, 0.0), (0, 11.0))
    assert [run_progress(train, *place) for place in places] == [0.5, 0.8, 1.0, 1.0]
    assert run_progress(TrainConfig(steps=100), 20, 1e9) == 0.2
