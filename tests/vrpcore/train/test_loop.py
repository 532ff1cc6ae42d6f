import numpy as np
import pytest
import torch

from tests.vrpcore.decode.test_rollout import SMALL
from vrpcore.config.sections import Config, DataConfig, ProblemConfig, TrainConfig
from vrpcore.decode.fixed_shape import FixedShapeRollout
from vrpcore.decode.rollout import Rollout
from vrpcore.env.batch import DeviceBatch
from vrpcore.policy.policy import build_policy
from vrpcore.train import loop as loop_module
from vrpcore.train import recorder as recorder_module
from vrpcore.train.baseline import Comparison
from vrpcore.train.data import StepBatches
from vrpcore.train.distributed import World
from vrpcore.train.labels import Labels
from vrpcore.train.loop import imitate_loop, record_rollout, reinforce_loop
from vrpcore.train.recorder import Recorder, Workspace
from vrpcore.train.tables import decoder_tables
from vrpcore.train.two_phase import imitate_forced, reinforce_two_phase

STREAMS = torch.arange(6) * 7919 + 5


def random_batch(size=9, capacity=20, starts=5):
    config = Config(
        problem=ProblemConfig(num_customers=size, capacity=capacity),
        train=TrainConfig(batch_size=6, starts=starts, seed=3),
    )
    return StepBatches(config, [])[0]


def ragged_batch():
    """Six instances of 4 to 9 customers, padded, with one route a customer as labels."""
    rng = np.random.default_rng(1)
    size = np.array([4, 5, 6, 7, 8, 9])
    demand = rng.integers(1, 9, (6, 10))
    demand[:, 0] = 0
    demand[np.arange(10) > size[:, None]] = 0
    tour = np.zeros((6, 18), np.int64)
    for row, count in enumerate(size):
        tour[row, : 2 * count : 2] = rng.permutation(count) + 1
    labels = Labels(
        name="ragged",
        coords=rng.random((6, 10, 2)),
        demand=demand,
        capacity=np.array([10, 12, 20, 30, 25, 9]),
        size=size,
        tour=tour,
        cost=np.full(6, np.nan),
    )
    config = Config(train=TrainConfig(batch_size=6, starts=5), data=DataConfig(holdout=0))
    return StepBatches(config, [labels])[0]


def gradients(policy):
    return [parameter.grad.clone() for parameter in policy.parameters()]


def compare(policy, learn, reference, tolerance):
    policy.zero_grad()
    found = learn()
    ours = gradients(policy)
    policy.zero_grad()
    expected = reference()
    theirs = gradients(policy)
    assert found.loss == pytest.approx(expected.loss, rel=max(1e-4, tolerance), abs=tolerance)
    assert found.cost == pytest.approx(expected.cost, rel=1e-9)
    scale = max(float(part.abs().max()) for part in theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert float((mine - other).abs().max()) <= tolerance * scale


@pytest.mark.parametrize("batch", [random_batch(), random_batch(capacity=900), ragged_batch()])
@pytest.mark.parametrize("chunk", [1, 1500, 10**6])
def test_loop_has_the_gradient_of_the_forced_pass(monkeypatch, batch, chunk):
    monkeypatch.setattr(loop_module, "CHUNK_ELEMENTS", chunk)
    policy = build_policy(SMALL, 3)
    compare(
        policy,
        lambda: reinforce_loop(
            policy, batch, STREAMS, Comparison(), Workspace(torch.float32, World())
        ),
        lambda: reinforce_two_phase(
            FixedShapeRollout(policy), batch, STREAMS, Comparison(), World()
        ),
        2e-5,
    )


def test_loop_compares_with_what_was_expected():
    policy, batch = build_policy(SMALL, 3), random_batch()
    compared = Comparison(np.linspace(2, 5, 6)[:, None], 3.0)
    compare(
        policy,
        lambda: reinforce_loop(policy, batch, STREAMS, compared, Workspace(torch.float32, World())),
        lambda: reinforce_two_phase(FixedShapeRollout(policy), batch, STREAMS, compared, World()),
        2e-5,
    )


def test_imitation_has_the_gradient_of_the_forced_pass():
    policy, batch = build_policy(SMALL, 3), ragged_batch()
    compare(
        policy,
        lambda: imitate_loop(policy, batch, Workspace(torch.float32, World())),
        lambda: imitate_forced(policy, batch, World()),
        2e-5,
    )


def test_bfloat16_products_stay_near():
    policy, batch = build_policy(SMALL, 3), ragged_batch()
    found = []
    for dtype in (torch.float32, torch.bfloat16):
        policy.zero_grad()
        result = imitate_loop(policy, batch, Workspace(dtype, World()))
        found.append((result.loss, torch.cat([part.flatten() for part in gradients(policy)])))
    (loss, exact), (near_loss, near) = found
    assert near_loss == pytest.approx(loss, rel=0.01)
    assert float(torch.dot(exact, near) / (exact.norm() * near.norm())) > 0.99


@pytest.mark.parametrize("table", [True, False])
@pytest.mark.parametrize("batch", [random_batch(), ragged_batch()])
def test_recorded_tours_are_the_rollouts(monkeypatch, batch, table):
    if not table:
        monkeypatch.setattr(recorder_module.Recorder, "_room_tables", lambda self: [])
    policy = build_policy(SMALL, 3).eval()
    inputs = batch.to_device(torch.device("cpu"))
    with torch.no_grad():
        expected = Rollout(policy)(*inputs, batch.starts, torch.ones([]), STREAMS)
        tables = decoder_tables(policy.encode(*inputs), policy.decoder.room)
        length = 2 * batch.valid.shape[1]
        recorder = Recorder(tables, inputs.capacity, (5, length), Workspace(torch.float32, World()))
        steps = record_rollout(recorder, inputs, batch.starts, STREAMS)
    tours = recorder.choice[:, :steps].transpose(1, 2)
    assert torch.equal(tours, expected[:, :, :steps])
    assert not expected[:, :, steps:].any()


@pytest.mark.parametrize("batch", [random_batch(), ragged_batch()])
def test_sampled_tours_are_the_rollouts(batch):
    policy = build_policy(SMALL, 3).eval()
    inputs = batch.to_device(torch.device("cpu"))
    with torch.no_grad():
        expected = Rollout(policy)(*inputs, batch.starts, torch.ones([]), STREAMS)
        cache = policy.encode(*inputs)
        tours = FixedShapeRollout(policy).construct(cache, inputs, batch.starts, STREAMS, 1.0)
    assert torch.equal(tours, expected[:, :, : tours.shape[2]])
    assert not expected[:, :, tours.shape[2] :].any()


def test_attention_far_below_the_best_meets_no_denormal_number():
    policy = build_policy(SMALL, 3).eval()
    batch = random_batch()
    inputs = DeviceBatch(*batch.to_device(torch.device("cpu")))
    with torch.no_grad():
        cache = policy.encode(*inputs)
        steep = decoder_tables(cache._replace(key=cache.key * 500.0), policy.decoder.room)
        length = 2 * batch.valid.shape[1]
        recorder = Recorder(steep, inputs.capacity, (5, length), Workspace(torch.float32, World()))
        steps = record_rollout(recorder, inputs, batch.starts, STREAMS)
    weight = recorder.weight[:, :, :steps]
    assert torch.isfinite(recorder.glimpse[:, :steps]).all()
    assert float(weight[weight > 0].min()) > torch.finfo(torch.float32).tiny
