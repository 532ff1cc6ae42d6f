import torch

from tests.vrpcore.learn.policy.cases import SMALL
from vrpcore.learn.policy.attention import ATTENTION_MASK
from vrpcore.learn.policy.policy import build_policy, scaled_distance


def test_a_steep_head_attends_to_the_nearest():
    policy = build_policy(SMALL, 0)
    coords = torch.rand(1, 6, 2)
    valid = torch.ones(1, 6, dtype=torch.bool)
    changed = coords.clone()
    changed[0, 5] = 1.0 - changed[0, 5]
    with torch.no_grad():
        policy.encoder.slope.fill_(1e4)

        def encode(places):
            distance = scaled_distance(places, valid)
            nodes = policy.encoder.embed(places, torch.ones(1, 6), torch.zeros(1, 3))
            return policy.encoder.mix(nodes, policy.encoder.bias_of(valid, distance))

        # Every node attends to itself alone, so that the others are not moved.
        assert torch.allclose(encode(coords)[:, :5], encode(changed)[:, :5], atol=1e-6)


def test_what_enters_the_first_layer_by_hand():
    encoder = build_policy(SMALL, 0).encoder
    with torch.no_grad():
        for part, value in ((encoder.depot, 1.0), (encoder.customer, 10.0)):
            part.weight.fill_(value)
            part.bias.zero_()
        encoder.fleet.weight.fill_(100.0)
        encoder.slope.copy_(torch.tensor([0.0, 2.0]))
        distance = torch.tensor([[[0.0, 3.0, 9.0], [3.0, 0.0, 9.0], [9.0, 9.0, 0.0]]])
        bias = encoder.bias_of(torch.tensor([[True, True, False]]), distance)
        nodes = encoder.embed(
            torch.tensor([[[0.25, 0.5], [0.5, 0.5], [0.0, 0.0]]]),
            torch.tensor([[0.0, 0.25, 0.0]]),
            torch.tensor([[0.5, 0.25, 0.25]]),
        )
    # The depot by place, customers by place and demand, both with the fleet.
    assert nodes[0, :2, 0].tolist() == [0.75 + 100.0, 12.5 + 100.0]
    far = ATTENTION_MASK
    assert bias[0, 0].tolist() == [[0.0, 0.0, far]] * 3
    assert bias[0, 1].tolist() == [[0, -6, far - 18], [-6, 0, far - 18], [-18, -18, far]]


def test_recomputed_layers_encode_the_same():
    encoder, given = build_policy(SMALL, 0).encoder.train(), torch.rand(2, 5, 2)
    valid = torch.ones(2, 5, dtype=torch.bool)
    shares, fleet, distance = torch.rand(2, 5), torch.rand(2, 3), scaled_distance(given, valid)

    def encode():
        return encoder.mix(encoder.embed(given, shares, fleet), encoder.bias_of(valid, distance))

    kept = encode()
    encoder.recompute = True
    again = encode()
    assert torch.equal(again, kept)
    gradients = [torch.autograd.grad(out.sum(), encoder.slope)[0] for out in (kept, again)]
    assert torch.allclose(*gradients, atol=1e-5)
