import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL, make_inputs, solve
from vrpcore.learn.decode.likelihood import log_likelihood
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import loss


class Weigh:
    """Weights in two factors."""

    def __init__(self, weight):
        self.weight, self.asked = weight / 3, False

    def __call__(self, rows, likelihood):
        assert likelihood.shape == self.weight[rows].shape
        assert not self.asked
        return self.weight[rows]

    def scale(self):
        self.asked = True
        return 3.0


@pytest.mark.parametrize("num_pieces", [1, 3, 4, 10])
def test_each_instance_of_a_batch_in_pieces_counts_the_same(num_pieces):
    layer, values = torch.nn.Linear(1, 1, bias=False), torch.arange(1.0, 11.0)
    layer.weight.grad = torch.full([1, 1], 100.0)

    def learn(rows):
        assert layer.weight.grad is None
        mean = values[rows].mean()
        layer.weight.grad = mean.view(1, 1)
        return loss.StepResult(float(mean), 2 * float(mean), 1, 2)

    found = loss.in_pieces(layer, 10, num_pieces, learn)
    assert found == pytest.approx((5.5, 11.0, num_pieces, 2 * num_pieces, 0.0))
    assert float(layer.weight.grad) == pytest.approx(105.5)


@pytest.mark.parametrize("chunk", [1, 10**9])
def test_chunks_give_the_gradient_of_the_whole(monkeypatch, chunk):
    monkeypatch.setattr(loss, "CHUNK_ELEMENTS_CPU", chunk)
    policy = build_policy(SMALL, 3)
    inputs = make_inputs(7, [8, 5, 8, 8], 9)
    tours = solve(build_rollout(policy).eval(), inputs, 2.0).clone()
    weight = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    batch = plain_inputs(*inputs[:4])

    cache = policy.encode(batch)
    whole = -(weight * log_likelihood(policy, cache, batch, tours).sum(2)).sum()
    whole.backward()
    expected = [parameter.grad.clone() for parameter in policy.parameters()]

    policy.zero_grad()

    def logs_of(leaf, rows):
        return log_likelihood(policy, leaf, batch.take(rows), tours[rows])

    rows_at_once = loss.chunk_rows(policy.decoder.num_heads, tours, 9)
    assert rows_at_once == max(1, chunk // (2 * tours[0].numel() * 9))
    found = loss.backward(policy, policy.encode(batch), rows_at_once, logs_of, Weigh(weight))
    assert found == pytest.approx(float(whole.detach()), rel=1e-5)
    for parameter, gradient in zip(policy.parameters(), expected, strict=True):
        assert torch.allclose(parameter.grad, gradient, rtol=1e-3, atol=1e-5)


def test_a_choice_is_a_customer_or_the_depot_after_every_route_but_one():
    tours = torch.tensor([[[0, 2, 3, 0, 4, 0, 0]], [[1, 2, 0, 3, 4, 5, 0]]])
    assert loss.num_choices(tours, torch.tensor([1, 2])) == (3 + 1) + (4 + 1)
