import torch

from tests.vrpcore.learn.decode.cases import SMALL
from vrpcore.export.signature import example_inputs
from vrpcore.export.split_heads import Rows, SplitHeads, split_heads
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.policy import build_policy
from vrpcore.solve.backend import FORMAT


def test_the_copy_encodes_the_same():
    policy = build_policy(SMALL, 1).eval()
    before = policy.state_dict()
    inputs = plain_inputs(*list(example_inputs(FORMAT, 3, 11).values())[:4])
    with torch.no_grad():
        ours = policy.encode(inputs)
        theirs = split_heads(policy).encode(inputs)
    for first, second in zip(ours, theirs, strict=True):
        assert torch.allclose(first, second, atol=1e-5)
    after = policy.state_dict()
    assert list(before) == list(after)
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_every_layer_is_replaced():
    layers = split_heads(build_policy(SMALL, 1)).encoder.layers
    assert len(layers) == SMALL.num_layers
    for layer in layers:
        assert isinstance(layer.attention, SplitHeads)
        assert isinstance(layer.feedforward, Rows)
