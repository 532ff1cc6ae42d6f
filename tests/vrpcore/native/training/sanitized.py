"""Steps by a library that checks its addresses: what test_sanitizers.py runs.

python -m tests.vrpcore.native.training.sanitized LIBRARY [--overrun]
"""

import sys
from pathlib import Path

import numpy as np
import torch

from tests.vrpcore.learn.train.cases import (
    LAYER_SHAPES,
    layer_case,
    learned,
    overloaded_batch,
    prepared,
    ragged_batch,
    random_batch,
)
from tests.vrpcore.variants import NAMES, drawn, random_policy, train_batch
from vrpcore.config.sections import PolicyConfig, TrainConfig
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.layers import pass_layers
from vrpcore.learn.train.loop import LoopLearner
from vrpcore.learn.train.training_library import Step

SHAPES = ((16, 2), (12, 2), (48, 12), (128, 8))


def learn_variants(step, names):
    """Samples tours of one instance of each, and takes them as given."""
    policy, size = random_policy(3), 20
    instances = [drawn(name, 1, size)[0] for name in names]
    arranged = train_batch(instances, size + 4, TrainConfig(starts=7))
    learner = LoopLearner(policy, "fp32", World())
    learner.step = step
    streams = torch.arange(len(names)) + 5
    assert np.isfinite(learner.reinforce(arranged, streams, Comparison()).loss)
    with torch.no_grad():
        tours = build_rollout(policy)(*arranged.inputs, arranged.starts, torch.ones([]), streams)
    assert np.isfinite(learner.imitate(arranged._replace(tours=tours)).loss)


def main():
    step = Step(Path(sys.argv[1]))
    for width, heads in SHAPES:
        shape = PolicyConfig(embed_dim=width, num_heads=heads, num_layers=1, feedforward_dim=8)
        policy = build_policy(shape, 3).eval()
        batches = [ragged_batch(), *(random_batch(size, 20) for size in (5, 15, 16, 40))]
        for batch in (*batches, random_batch(31, capacity=900)):
            memory = prepared(policy, batch)
            if "--overrun" in sys.argv:
                short = memory.gradient._replace(value=torch.zeros(32))
                memory = memory._replace(gradient=short)
            assert torch.isfinite(learned(step, memory)).all()
            given = memory.cases._replace(start=torch.full_like(memory.cases.start, -1))
            assert torch.isfinite(learned(step, memory._replace(cases=given))).all()
        assert torch.isneginf(learned(step, prepared(policy, overloaded_batch()))).all()
    for names in (NAMES, NAMES[:1]):
        learn_variants(step, names)
    for shape in LAYER_SHAPES:
        layers, inputs, slope = layer_case(shape)
        nodes = pass_layers(*(each.float() for each in inputs), layers.float(), step)
        nodes.backward(slope.float())
        for matrix in (weight for weight in layers.parameters() if weight.dim() == 2):
            step.muon(matrix, torch.zeros(matrix.shape), (0.95, 0.9, 1e-3))
            assert torch.isfinite(matrix).all()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
