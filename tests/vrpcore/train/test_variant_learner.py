"""Steps on variants, and whole runs."""

import dataclasses

import numpy as np
import pytest
import torch

from tests.vrpcore.train.runs import CPU
from tests.vrpcore.variants import labelled, random_policy, variant_config
from vrpcore.config.sections import DataConfig, TrainConfig
from vrpcore.improve import native_rules
from vrpcore.policy.checkpoint import load_checkpoint, policy_from_checkpoint
from vrpcore.policy.rule_policy import RulePolicy
from vrpcore.train.compare import Comparison
from vrpcore.train.distributed import World
from vrpcore.train.trainer import Trainer
from vrpcore.train.variant_data import arrange
from vrpcore.train.variant_labels import write_labels
from vrpcore.train.variant_learner import VariantLearner

needs_search = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


@needs_search
@pytest.mark.parametrize("objective", ["imitate", "reinforce"])
def test_a_step_lowers_its_loss(objective):
    policy, batch = (
        random_policy(1),
        arrange(labelled(), TrainConfig(starts=6), np.random.default_rng(0)),
    )
    learner = VariantLearner(policy, "fp32", World())
    optimizer = torch.optim.Adam(policy.parameters(), 3e-3)
    figures = []
    for _ in range(12):
        optimizer.zero_grad()
        if objective == "imitate":
            figures.append(learner.imitate(batch).loss)
        else:
            seeds = torch.zeros(48, dtype=torch.int64)
            figures.append(learner.reinforce(batch, seeds, Comparison()).cost)
        optimizer.step()
    assert min(figures[-3:]) < figures[0]


@needs_search
def test_pieces_give_the_gradient_of_the_whole():
    batch = arrange(labelled(), TrainConfig(), np.random.default_rng(0))
    gradients = []
    for pieces in (0, 1):
        policy = random_policy(1)
        learner = VariantLearner(policy, "fp32", World())
        for _ in range(pieces):
            learner.shrink()
        learner.imitate(batch)
        gradients.append(torch.cat([part.grad.flatten() for part in policy.parameters()]))
    similar = torch.nn.functional.cosine_similarity(gradients[0], gradients[1], dim=0)
    assert float(similar) > 0.99


def test_a_run_and_its_checkpoint(tmp_path):
    outcome = Trainer(variant_config(), tmp_path, CPU).run(lambda _: None, lambda: False)
    assert outcome.finished
    policy = policy_from_checkpoint(load_checkpoint(tmp_path / "best.pt"), "best.pt")
    assert isinstance(policy, RulePolicy)


@needs_search
def test_a_run_from_labels_tells_gaps(tmp_path):
    write_labels(tmp_path / "v.npz", labelled())
    chosen = dataclasses.replace(
        variant_config(objective="imitate"),
        data=DataConfig(file=str(tmp_path / "v.npz"), holdout=6),
    )
    trainer = Trainer(chosen, tmp_path / "run", CPU)
    trainer.run(lambda _: None, lambda: False)
    assert 0 <= trainer.best < 1
    assert trainer.sizes == (8, 8)
