"""The smallest policy."""

from vrpcore.config.sections import PolicyConfig

SMALL = PolicyConfig(embed_dim=16, num_heads=2, num_layers=1, feedforward_dim=16)
