import dataclasses

import numpy as np
import pytest

from tests.vrpcore.variants import variant_config
from vrpcore.config.sections import Config, ProblemConfig, SizeRange
from vrpcore.errors import ConfigError
from vrpcore.learn.train.recipe import Recipe, draw, draw_size, recipes, size_choices


def test_a_size_has_its_capacity():
    problem = ProblemConfig(num_customers=[5, 7], capacity=[20, 30])
    assert recipes(problem, 7) == [Recipe("n7", 7, "uniform", 30)]
    assert recipes(ProblemConfig(), 9) == [Recipe("n9", 9, "uniform", "by_size")]


def test_each_distribution_has_each_rule_and_is_named_where_there_are_others():
    rules = ["by_size", "by_route_length"]
    problem = ProblemConfig(distribution=["uniform", "xstyle", "uniform"], capacity=rules)
    found = recipes(problem, 20)
    pairs = [(place, rule) for place in ("uniform", "xstyle", "uniform") for rule in rules]
    assert [(each.distribution, each.capacity) for each in found] == pairs
    assert [each.name for each in found] == [f"n20-{place}-{rule}" for place, rule in pairs]


def test_what_is_drawn_is_the_recipes():
    config = Config(problem=ProblemConfig(max_demand=4, grid=8))
    found = draw(config, Recipe("mine", 6, "clustered", 11), 5, np.random.default_rng(0))
    assert (found.name, found.coords.shape, found.tour.shape) == ("mine", (5, 7, 2), (5, 0))
    assert set(found.size.tolist()) == {6}
    assert set(found.batch.capacity.tolist()) == {11.0}
    assert set(found.batch.demand.ravel().tolist()) == {0.0, 1.0, 2.0, 3.0, 4.0}
    assert np.array_equal(found.coords * 8, np.rint(found.coords * 8))
    assert np.isnan(found.cost).all()


def test_variants_are_those_that_are_named():
    config = dataclasses.replace(variant_config(), problem=ProblemConfig(variants=["ovrp"]))
    found = draw(config, recipes(config.problem, 6)[0], 5, np.random.default_rng(0))
    assert found.batch.open_end.all()
    assert not found.batch.plain


def test_a_capacity_below_the_largest_demand_is_refused():
    with pytest.raises(ConfigError, match="capacity: 8, but uniform has demands of up to 9"):
        draw(Config(), Recipe("mine", 6, "uniform", 8), 5, np.random.default_rng(0))


def test_sizes_grow_with_the_curriculum():
    rng = np.random.default_rng(0)
    problem = ProblemConfig(num_customers=[4, 8, 12], curriculum_steps=100)
    assert size_choices(problem) == [4, 8, 12]
    for step, sizes in ((0, {4}), (50, {4, 8}), (100, {4, 8, 12})):
        assert {draw_size(problem, step, rng) for _ in range(50)} == sizes
    problem = ProblemConfig(num_customers=SizeRange(min=4, max=6))
    assert size_choices(problem) == [4, 6]
    assert {draw_size(problem, 0, rng) for _ in range(50)} == {4, 5, 6}
