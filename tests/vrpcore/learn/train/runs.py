"""Short training runs and what they wrote."""

import json

import torch

from tests.vrpcore.learn.policy.cases import SMALL
from vrpcore.config.sections import Config, DataConfig, ProblemConfig, TrainConfig
from vrpcore.learn.policy.checkpoint import load_checkpoint
from vrpcore.learn.train.trainer import Trainer

CPU = torch.device("cpu")


def small_config(data=None, **train):
    settings = {"batch_size": 8, "steps": 6, "log_every": 1, "validate_every": 3}
    return Config(
        problem=ProblemConfig(num_customers=[5, 7], capacity=20),
        policy=SMALL,
        train=TrainConfig(**{**settings, "validation_size": 4, **train}),
        data=data or DataConfig(),
    )


def run(config, folder, stop_after=None, resume=False):
    trainer = Trainer(config, folder, CPU)
    if resume:
        trainer.resume()
    outcome = trainer.run(
        lambda _: None, lambda: stop_after is not None and trainer.step + 1 >= stop_after
    )
    return trainer, outcome


def check_same_policy(one, other):
    """What two runs ended with; returns it."""
    first, second = (load_checkpoint(folder / "last.pt")["policy"] for folder in (one, other))
    for name, tensor in first.items():
        assert torch.equal(tensor, second[name]), name
    return first


def metrics(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
