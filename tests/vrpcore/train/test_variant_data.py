"""Batches of variants."""

import dataclasses

import pytest
import torch

from tests.vrpcore.variants import variant_config
from vrpcore.config.sections import Config, PolicyConfig, ProblemConfig
from vrpcore.errors import ConfigError
from vrpcore.improve import native_rules
from vrpcore.train.variant_data import VariantBatches

needs_search = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


def test_batches_depend_on_their_number_alone():
    batches = [VariantBatches(variant_config(), []) for _ in range(2)]
    for number in (0, 3):
        first, second = (each[number] for each in batches)
        assert all(torch.equal(*pair) for pair in zip(first.inputs, second.inputs, strict=True))
        assert torch.equal(first.starts, second.starts)
    depots = batches[0][0].inputs.num_depots
    assert set(depots.tolist()) == {1, 3}


def test_variants_have_any_name_that_generate_takes():
    for name in ("vrptw", "VRPTW", "CVRPTW"):
        chosen = dataclasses.replace(variant_config(), problem=ProblemConfig(variants=[name]))
        inputs = VariantBatches(chosen, [])[0].inputs
        assert bool((inputs.closing[:, 0] < 9).all())
        assert not bool(inputs.open_end.any())


def test_configurations_that_do_not_fit_are_refused():
    with pytest.raises(ConfigError, match=r"problem\.variants"):
        Config(problem=ProblemConfig(variants="all"), policy=PolicyConfig())
    with pytest.raises(ConfigError, match="baseline"):
        variant_config(baseline="ema")
    for name in ("vrpx", "pdp"):
        chosen = dataclasses.replace(variant_config(), problem=ProblemConfig(variants=[name]))
        with pytest.raises(ConfigError, match=f"no variant {name}"):
            VariantBatches(chosen, [])[0]
