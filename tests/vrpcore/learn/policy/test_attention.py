import math

import pytest
import torch

from vrpcore.learn.policy.attention import SelfAttention


def test_padding_gets_no_attention():
    torch.manual_seed(0)
    attention = SelfAttention(8, 2)
    nodes = torch.randn(1, 5, 8)
    bias = torch.tensor([0.0, 0.0, 0.0, -40.0, -40.0]).expand(1, 2, 5, 5)
    changed = nodes.clone()
    changed[:, 3:] = 7.0
    ours, theirs = attention(nodes, bias), attention(changed, bias)
    assert torch.allclose(ours[:, :3], theirs[:, :3], atol=1e-6)


def test_attention_by_hand():
    """One head of width 1: scores are products, and ln 3 weighs three times as much as 0."""
    attention = SelfAttention(1, 1)
    with torch.no_grad():
        attention.inward.weight.copy_(torch.tensor([[1.0], [1.0], [4.0]]))  # query, key, value
        attention.outward.weight.fill_(10.0)
        nodes = torch.tensor([[[1.0], [0.0]]])
        bias = torch.tensor([[[[math.log(3) - 1, 0.0], [0.0, 0.0]]]])
        found = attention(nodes, bias)
    assert found.flatten().tolist() == pytest.approx([10 * 4 * 3 / 4, 10 * 4 / 2])
