import torch

from vrpcore.policy.attention import SelfAttention


def test_padding_gets_no_attention():
    torch.manual_seed(0)
    attention = SelfAttention(8, 2)
    nodes = torch.randn(1, 5, 8)
    bias = torch.tensor([0.0, 0.0, 0.0, -40.0, -40.0]).expand(1, 2, 5, 5)
    changed = nodes.clone()
    changed[:, 3:] = 7.0
    ours, theirs = attention(nodes, bias), attention(changed, bias)
    assert torch.allclose(ours[:, :3], theirs[:, :3], atol=1e-6)
