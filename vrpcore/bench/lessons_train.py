"""Lessons about preparing batches and about a whole training step."""

from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.bench.lesson import Lesson, Row, Scope
from vrpcore.bench.timing import Work, alternate
from vrpcore.config.sections import Config, PolicyConfig, ProblemConfig, TrainConfig
from vrpcore.decode.fixed_shape import FixedShapeRollout
from vrpcore.policy.policy import build_policy
from vrpcore.train import native
from vrpcore.train.baseline import Comparison
from vrpcore.train.data import StepBatches
from vrpcore.train.distributed import World
from vrpcore.train.learner import instance_streams
from vrpcore.train.loop import reinforce_loop
from vrpcore.train.two_phase import reinforce_two_phase
from vrpcore.train.workspace import Workspace

_COLLATED, _LEARNED = 64, 8
Points = NDArray[np.float32]


def collate(scope: Scope) -> Lesson:
    """A batch of padded instances of one's own: put together one by one, or indexed."""
    rows, rng = [], np.random.default_rng(1)
    for size in scope.sizes:
        sizes = rng.integers(max(1, size // 2), size + 1, 8 * _COLLATED)
        ragged = [rng.random((number + 1, 2), dtype=np.float32) for number in sizes]
        held = np.zeros((len(ragged), size + 1, 2), np.float32)
        for place, coords in enumerate(ragged):
            held[place, : len(coords)] = coords
        chosen = rng.integers(len(ragged), size=_COLLATED)
        work: dict[str, Work] = {
            "stacked": partial(_stacked, [ragged[place] for place in chosen], size),
            "filled": partial(_filled, [ragged[place] for place in chosen], size),
            "indexed": partial(_indexed, held, chosen),
        }
        setting = {"num_customers": size, "batch_size": _COLLATED}
        rows.append(Row(setting=setting, seconds=alternate(work, scope.repeats)))
    return Lesson(
        name="collate",
        title="A batch of your own instances is one indexing of arrays padded once",
        variants={
            "stacked": "each instance padded and turned into a tensor, all stacked",
            "filled": "one array allocated, each instance written into it",
            "indexed": "the set is padded once; a batch is one indexing",
        },
        rows=tuple(rows),
        findings=(f"stacking takes {rows[-1].times('stacked', 'indexed')} as indexing",),
    )


def _stacked(instances: list[Points], size: int) -> Tensor:
    parts = []
    for coords in instances:
        part = torch.zeros(size + 1, 2)
        part[: len(coords)] = torch.from_numpy(coords)
        parts.append(part)
    return torch.stack(parts)


def _filled(instances: list[Points], size: int) -> Tensor:
    batch = np.zeros((len(instances), size + 1, 2), np.float32)
    for row, coords in enumerate(instances):
        batch[row, : len(coords)] = coords
    return torch.from_numpy(batch)


def _indexed(held: Points, chosen: NDArray[np.int64]) -> Tensor:
    return torch.from_numpy(held[chosen])


def training_step(scope: Scope) -> Lesson:
    """A REINFORCE step in two phases, and by compiled loops with a gradient by hand."""
    title = "A step computes everything once, in the lowest precision that learning tolerates"
    variants = {
        "two phases": "construct without gradients, then one teacher-forced pass; float32",
        "loop": "constructions and a hand-written gradient in compiled loops; float32",
        "loop bf16": "the same with the encoder's products in bfloat16",
    }
    if scope.device.type != "cpu" or not native.is_built():
        skipped = "skipped: the loop is for a CPU, and is compiled at installation"
        return Lesson(name="training_step", title=title, variants=variants, skipped=skipped)
    policy, world = build_policy(PolicyConfig(), 0), World()
    rollout = FixedShapeRollout(policy)
    rows, compared = [], Comparison()
    for size in scope.sizes:
        config = Config(
            problem=ProblemConfig(num_customers=size),
            train=TrainConfig(batch_size=_LEARNED, starts=max(2, size)),
        )
        batch = StepBatches(config, [])[0]
        seed = instance_streams(1, 0, 0, _LEARNED)
        work: dict[str, Work] = {
            "two phases": partial(reinforce_two_phase, rollout, batch, seed, compared, world)
        }
        for name, dtype in (("loop", torch.float32), ("loop bf16", torch.bfloat16)):
            workspace = Workspace(dtype, world)
            work[name] = partial(reinforce_loop, policy, batch, seed, compared, workspace)
        setting = {"num_customers": size, "batch_size": _LEARNED}
        rows.append(Row(setting=setting, seconds=alternate(work, 3)))
    last = rows[-1]
    findings = (
        f"two phases take {last.times('two phases', 'loop')} as the loop at N = {size}",
        f"float32 takes {last.times('loop', 'loop bf16')} as bfloat16 there",
    )
    return Lesson(
        name="training_step", title=title, variants=variants, rows=tuple(rows), findings=findings
    )
