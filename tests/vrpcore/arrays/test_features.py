"""Names of features: a plain policy knows the first ones of each kind."""

from tests.vrpcore.variants import SMALL
from vrpcore.arrays.features import PLAIN, VARIANTS
from vrpcore.learn.policy.policy import Policy


def test_plain_features_come_first():
    for plain, wide in zip(PLAIN, VARIANTS, strict=True):
        assert wide[: len(plain)] == plain
        assert len(set(wide)) == len(wide)


def test_layers_are_as_wide():
    policy = Policy(SMALL)
    encoder = policy.encoder
    assert encoder.depot.in_features == len(VARIANTS.depot)
    assert encoder.customer.in_features == len(VARIANTS.customer)
    assert encoder.fleet.in_features == len(VARIANTS.instance)
    assert len(policy.decoder.room) == len(VARIANTS.vehicle)
    assert len(policy.way_factors) == len(VARIANTS.ways)
