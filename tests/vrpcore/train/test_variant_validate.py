"""Validation on variants."""

import numpy as np
import pytest

from tests.vrpcore.variants import labelled, random_policy
from vrpcore.config.sections import TrainConfig
from vrpcore.improve import native_rules
from vrpcore.train.variant_data import arrange
from vrpcore.train.variant_validate import validate_variants

needs_search = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


@needs_search
def test_gaps_are_those_of_the_best_start():
    batch = arrange(labelled(), TrainConfig(starts=5), np.random.default_rng(0))
    policy = random_policy(3)
    found = validate_variants(policy, batch)
    assert found.gap > 0
    assert found.single_cost >= found.cost
    one = validate_variants(policy, batch._replace(starts=batch.starts[:, :1]))
    assert one.cost >= found.cost
    assert one.single_cost == pytest.approx(found.single_cost)
