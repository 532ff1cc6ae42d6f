import math

import torch

from vrpcore.learn.decode.select import sample, scramble, start_streams, uniform


def test_draws_are_uniform_and_unrelated():
    streams = start_streams(torch.arange(200), 50)
    draws = torch.stack([uniform(streams, torch.tensor(step)) for step in range(20)])
    assert draws.min() >= 0
    assert draws.max() < 1
    counts = torch.histc(draws, 20, 0.0, 1.0)
    expected = draws.numel() / 20
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    assert chi_square < 50  # 19 degrees of freedom: 43.8 is the 0.999 quantile
    flat = draws - draws.mean()
    for shifted in (draws[1:], draws[:, 1:], draws[:, :, 1:]):
        base = flat[: shifted.shape[0], : shifted.shape[1], : shifted.shape[2]]
        correlation = float((base * (shifted - shifted.mean())).mean() * 12)
        assert abs(correlation) < 0.01


def test_scramble_stays_in_range():
    values = scramble(torch.tensor([0, 1, 2**31 - 2, 2**31 - 1, 2**62]))
    assert values.min() >= 0
    assert values.max() < 2**31 - 1
    assert len(set(scramble(torch.arange(10_000)).tolist())) == 10_000


def test_sample_by_hand():
    logits = torch.log(torch.tensor([[[0.25, 0.0, 0.5, 0.25]]])).clamp(min=-1e9)
    for draw, node in [(0.0, 0), (0.2499, 0), (0.2501, 2), (0.7499, 2), (0.7501, 3), (0.99999, 3)]:
        assert sample(logits, torch.tensor([[draw]])).item() == node


def test_what_is_not_a_number_names_a_node_nevertheless():
    logits = torch.full((1, 2, 4), math.nan)
    assert sample(logits, torch.tensor([[0.0, 0.9]])).tolist() == [[3, 3]]


def test_a_parallel_sum_cannot_bring_in_a_masked_node(monkeypatch):
    """Sums of a device may rise or fall by a last bit where nothing is added."""
    exact = torch.cumsum
    rng = torch.Generator().manual_seed(1)

    def disturbed(weight, dim):
        noise = (torch.rand(weight.shape, generator=rng) - 0.5) * 1e-2
        return exact(weight, dim) + torch.where(weight > 0, 0.0, noise)

    monkeypatch.setattr(torch, "cumsum", disturbed)
    mask = torch.rand((200, 4, 30), generator=rng) < 0.3
    mask[:, :, 7] = True
    logits = torch.where(mask, torch.randn(mask.shape, generator=rng), -1e9)
    for draw in (0.0, 0.3, 1 - 2**-24):
        choice = sample(logits, torch.full((200, 4), draw))
        assert torch.gather(mask, 2, choice.unsqueeze(2)).all()
