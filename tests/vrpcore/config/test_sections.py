import pytest

from vrpcore.config.sections import (
    DataConfig,
    PolicyConfig,
    ProblemConfig,
    SizeRange,
    TrainConfig,
)
from vrpcore.errors import ConfigError


@pytest.mark.parametrize(
    ("section", "last_good", "first_bad", "message"),
    [
        (SizeRange, {"min": 1, "max": 1}, {"min": 2, "max": 1}, "min 2, max 1: need 1 <= min"),
        (SizeRange, {"min": 1, "max": 9}, {"min": 0, "max": 9}, "min 0, max 9: need 1 <= min"),
        (ProblemConfig, {"num_customers": 1}, {"num_customers": 0}, "need sizes of at least 1"),
        (ProblemConfig, {"num_customers": [1]}, {"num_customers": []}, "need sizes of at least 1"),
        (ProblemConfig, {"max_demand": 1}, {"max_demand": 0}, r"must be in 1\.\.500000"),
        (ProblemConfig, {"max_demand": 500_000}, {"max_demand": 500_001}, "must be in 1"),
        (ProblemConfig, {"capacity": 2**24 - 1}, {"capacity": 2**24}, "must be at most 16777215"),
        (ProblemConfig, {"distribution": ["uniform"]}, {"distribution": []}, "the list is empty"),
        (ProblemConfig, {"grid": 1}, {"grid": 0}, "grid: must be at least 1"),
        (ProblemConfig, {"curriculum_steps": 0}, {"curriculum_steps": -1}, "must not be negative"),
        (PolicyConfig, {"num_heads": 4}, {"num_heads": 3}, "128 is not a multiple of num_heads 3"),
        (PolicyConfig, {"num_layers": 128}, {"num_layers": 129}, r"num_layers: .* in 1\.\.128"),
        (TrainConfig, {"steps": 1}, {"steps": 0}, "steps: must be at least 1"),
        (TrainConfig, {"seed": 0}, {"seed": -1}, "seed: must not be negative"),
        (TrainConfig, {"seed": 2**31 - 1}, {"seed": 2**31}, "seed: must be below"),
        (TrainConfig, {"improve": 0}, {"improve": -1}, "improve: must not be negative"),
        (TrainConfig, {"clip_norm": 1e-9}, {"clip_norm": 0.0}, "clip_norm: must be positive"),
        (TrainConfig, {"time_limit_s": None}, {"time_limit_s": 0.0}, "must be positive, or null"),
        (TrainConfig, {"ema_decay": 0.99}, {"ema_decay": 1.0}, r"ema_decay: must lie in \[0, 1\)"),
        (TrainConfig, {"anneal": 1.0}, {"anneal": 1.1}, r"anneal: must lie in \[0, 1\]"),
        (TrainConfig, {"leader": 1.0}, {"leader": 0.9}, "leader: must be at least 1"),
        (TrainConfig, {"starts": 2}, {"starts": 1}, "starts: must be at least 2, or auto"),
        (DataConfig, {"mix": 1.0}, {"mix": 1.1}, r"mix: must lie in \[0, 1\]"),
        (DataConfig, {"holdout": 0}, {"holdout": -1}, "holdout: must not be negative"),
        (DataConfig, {"prefetch": 1}, {"prefetch": 0}, "prefetch: must be at least 1"),
    ],
)
def test_each_range_ends_where_it_says(section, last_good, first_bad, message):
    made = section(**last_good)
    assert {name: getattr(made, name) for name in last_good} == last_good
    with pytest.raises(ConfigError, match=message):
        section(**first_bad)


def test_what_goes_together():
    assert ProblemConfig(num_customers=[5, 7], capacity=[20, 30]).capacity == [20, 30]
    for sizes in ([5, 7, 9], 5, [5, 5], [5, 5, 7]):
        with pytest.raises(ConfigError, match="a list of as many num_customers, all different"):
            ProblemConfig(num_customers=sizes, capacity=[20, 30])
    both = ["by_size", "by_route_length"]
    assert ProblemConfig(num_customers=5, capacity=both).capacity == both
    with pytest.raises(ConfigError, match="a list of numbers needs a list of as many"):
        ProblemConfig(num_customers=5, capacity=[])
    with pytest.raises(ConfigError, match="by_size and by_route_length has no numbers"):
        ProblemConfig(num_customers=[5, 7], capacity=["by_size", 30])
    with pytest.raises(ConfigError, match=r"16777215, .*; num_customers x max_demand is enough"):
        ProblemConfig(num_customers=[5, 7], capacity=[20, 10**9])
    assert TrainConfig(starts=1, baseline="ema").starts == 1
    with pytest.raises(ConfigError, match="starts: must be at least 1, or auto"):
        TrainConfig(starts=0, baseline="ema")
    assert TrainConfig(objective="prefer", leader=2.0).leader == 2
    for objective in ("prefer", "imitate"):
        message = f"baseline: ema is only for reinforce; {objective} has none"
        with pytest.raises(ConfigError, match=message):
            TrainConfig(objective=objective, baseline="ema")
    with pytest.raises(ConfigError, match="starts: must be at least 2, or auto"):
        TrainConfig(objective="prefer", starts=1)
    assert TrainConfig(objective="prefer", improve=5).improve == 5
    with pytest.raises(ConfigError, match="improve: only for prefer; reinforce needs improve: 0"):
        TrainConfig(improve=5)
    for setting in ({"baseline": "rollout"}, {"patience": 3}):
        assert TrainConfig(**setting, validate_every=1).validate_every == 1
        with pytest.raises(ConfigError, match="validations; set validate_every"):
            TrainConfig(**setting, validate_every=0)
