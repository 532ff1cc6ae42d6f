import torch

from tests.vrpcore.learn.decode.cases import SMALL, make_inputs
from vrpcore.learn.decode.select import start_streams
from vrpcore.learn.decode.step_graph import FixedInputs, shapes
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.policy import build_policy


def bound(seed, sizes=(5, 5), num_nodes=6, starts=3):
    """What a graph of such instances would be bound to."""
    inputs = plain_inputs(*make_inputs(seed, sizes, num_nodes, starts=starts)[:4])
    policy = build_policy(SMALL, 1)
    streams = start_streams(torch.arange(len(sizes)), starts)
    fixed = FixedInputs(
        policy.encode(inputs), policy.env.prepare(inputs), policy.way_weights(inputs), streams
    )
    return shapes(fixed, policy.env.reset(inputs, starts))


def test_a_graph_is_bound_to_the_shapes_and_not_to_the_instances():
    first = bound(1)
    assert bound(2, (5, 3)) == first
    others = [bound(1, num_nodes=7), bound(1, starts=4), bound(1, (5, 5, 5))]
    assert len({first, *others}) == 4
    shaped = [tuple(shape) for shape, _ in first]
    # Demands, capacities, streams; then stamp, need, last, remaining, open and their demand.
    assert shaped[6:9] == [(2, 6), (2,), (2, 3)]
    assert shaped[9:] == [(), (2, 3, 6), (2, 3), (2, 3), (2, 3), (2, 3)]
    assert [kind for _, kind in first[6:9]] == [torch.float32, torch.float32, torch.int64]
