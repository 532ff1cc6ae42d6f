"""The smallest policy, and one with a decoder that only its own `forward` knows."""

from vrpcore.config.sections import PolicyConfig
from vrpcore.learn.policy.decoder import Decoder
from vrpcore.learn.policy.policy import build_policy

SMALL = PolicyConfig(embed_dim=16, num_heads=2, num_layers=1, feedforward_dim=16)


class Farthest(Decoder):
    """Prefers customers that are far away to all others."""

    def forward(self, cache, last, room_share, mask):
        here = (last + cache.row).view(-1)
        scores = 100 * cache.distance[here].view(mask.shape) + self.room.sum() * 0
        return scores.where(mask, self.logit_mask)


def farthest_policy():
    config = PolicyConfig(embed_dim=32, num_heads=2, num_layers=1, feedforward_dim=16)
    policy = build_policy(config, 1)
    policy.decoder = Farthest(32, 2)
    return policy
