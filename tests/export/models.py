"""A small policy and its checkpoint, for the tests of exports."""

from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config, PolicyConfig
from vrpcore.policy.checkpoint import save_checkpoint
from vrpcore.policy.policy import build_policy

SMALL = PolicyConfig(embed_dim=16, num_heads=2, num_layers=2, feedforward_dim=32)


def small_policy(seed=4):
    return build_policy(SMALL, seed).eval()


def save_small(path, **more):
    """Writes the checkpoint of a small policy, trained on 10 to 50 customers."""
    content = {
        "name": "small",
        "version": "0",
        "config": config_tree(Config(policy=SMALL)),
        "train_sizes": [10, 50],
        "policy": small_policy().state_dict(),
    }
    save_checkpoint(path, {**content, **more})
    return path
