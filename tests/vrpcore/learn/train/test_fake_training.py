"""Training steps on a CUDA device that is not there: what crosses the bus, and who waits."""

import copy
import dataclasses
from functools import partial

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.fake_device import fake_cuda, pinned
from tests.vrpcore.learn.policy.cases import SMALL
from vrpcore.config.sections import Config, ProblemConfig, TrainConfig
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import loss as loss_module
from vrpcore.learn.train.baseline import GreedyRollout
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.data import StepBatches
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.improved import improved_tours
from vrpcore.learn.train.labels import shuffle_routes
from vrpcore.learn.train.learner import build_learner
from vrpcore.learn.train.loss import in_pieces
from vrpcore.learn.train.optimizer import Optimizer
from vrpcore.learn.train.two_phase import TwoPhaseLearner
from vrpcore.learn.train.validate import validate
from vrpcore.learn.train.weights import averaged_policy

COUNT, SIZE, STARTS = 3, 5, 4
PLAIN = Config(
    policy=SMALL,
    problem=ProblemConfig(num_customers=SIZE, capacity=20),
    train=TrainConfig(batch_size=COUNT, starts=STARTS),
)
VARIANTS = Config(
    policy=dataclasses.replace(SMALL, variants=True),
    problem=ProblemConfig(num_customers=SIZE, capacity=20, variants=["mdovrptw", "vrpl"]),
    train=TrainConfig(batch_size=COUNT, starts=STARTS),
)
STREAMS = torch.arange(COUNT)
CONFIGS = {"plain": PLAIN, "variants": VARIANTS}
# Each takes seconds: operations of a device that is not there are slow.
KINDS = ["plain", pytest.param("variants", marks=pytest.mark.slow)]


@pytest.fixture
def device(monkeypatch):
    with fake_cuda(monkeypatch) as device:
        device.answer = tours
        yield device


def tours(shape, dtype):
    """To each customer and back, so that costs are positive; flags say that all is done."""
    found = torch.zeros(shape, dtype=dtype)
    if len(shape) == 3:
        stops = torch.arange(1, SIZE + 1, dtype=dtype)
        found[:, :, 1 : 2 * SIZE : 2] = stops
        found[:, 0, 1 : 2 * SIZE : 2] = stops.flip(0)
    return found


def learner(kind, precision="bf16"):
    """A learner with its policy, and a batch as the loader hands it over."""
    config = CONFIGS[kind]
    policy = build_policy(config.policy, 3).to("cuda")
    found = TwoPhaseLearner(FixedShapeRollout(policy), precision, World())
    return found, pinned(StepBatches(config, [])[0])


def labelled(batch):
    """The batch with tours to imitate: one route a customer, depots first."""
    given = torch.zeros(COUNT, 2, 2 * SIZE + 1, dtype=torch.int64)
    given[:, :, 1::2] = batch.depots[:, None, None] + torch.arange(SIZE)
    if batch.inputs.plain:
        given = torch.from_numpy(shuffle_routes(given[:, 0].numpy(), 2, np.random.default_rng(0)))
    return pinned(batch._replace(tours=given))


def learned(device, parameters):
    """Whether every gradient is there, on its device, in its dtype; forgets them."""
    gradients = [parameter.grad for parameter in parameters]
    for parameter in parameters:
        parameter.grad = None
    return all(
        gradient is not None
        and gradient.device.type == "cuda"
        and (gradient.shape, gradient.dtype) == (parameter.shape, torch.float32)
        for gradient, parameter in zip(gradients, parameters, strict=True)
    )


@pytest.mark.parametrize("pairs", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("precision", ["bf16", pytest.param("fp32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["plain", "variants"])
def test_a_step_waits_for_a_flag_for_its_tours_and_for_its_loss(device, kind, precision, pairs):
    learner_, batch = learner(kind, precision)
    device.copies.clear()
    result = learner_.reinforce(batch, STREAMS, Comparison(pairs=pairs, leader=4.0))
    assert device.host_waits == 3
    # Everything that is sent or fetched is page-locked, and no copy makes the host wait.
    assert [copy for copy in device.copies if copy.waits] == []
    flag, found, loss = device.to_host()
    assert (flag.dtype, flag.num_bytes) == (torch.bool, 1)
    assert (found.dtype, found.shape[:2]) == (torch.int16, (COUNT, STARTS))
    assert (loss.dtype, loss.num_bytes) == (torch.float32, 4)
    assert result.bytes_to_host == found.num_bytes
    sent = device.to_device()
    assert result.bytes_to_device == sum(copy.num_bytes for copy in sent)
    # Costs are not computed there: float32 coordinates go, one float32 a tour comes back.
    assert not [copy for copy in sent if copy.dtype == torch.float64]
    assert (sent[-1].shape, sent[-1].dtype) == ((COUNT, STARTS), torch.float32)
    assert learned(device, list(learner_.policy.parameters()))


@pytest.mark.parametrize("kind", KINDS)
def test_improved_tours_cross_the_bus_once_and_no_copy_waits(device, kind):
    learner_, batch = learner(kind)
    device.copies.clear()
    improve = partial(improved_tours, iterations=1)
    result = learner_.reinforce(batch, STREAMS, Comparison(pairs=True, leader=4.0, improve=improve))
    assert device.host_waits == 3
    assert [copy for copy in device.copies if copy.waits] == []
    sent = device.to_device()
    assert result.bytes_to_device == sum(copy.num_bytes for copy in sent)
    # A pass for each instance: its improved tour, then the costs.
    found, cost = sent[-2 * COUNT :: 2], sent[-2 * COUNT + 1 :: 2]
    assert {(copy.dtype, copy.shape[:2]) for copy in found} == {(torch.int64, (1, 1))}
    assert [(copy.dtype, copy.shape) for copy in cost] == COUNT * [(torch.float32, (1, STARTS + 1))]
    assert learned(device, list(learner_.policy.parameters()))


@pytest.mark.parametrize("kind", KINDS)
def test_imitation_sends_tours_and_waits_for_the_loss_alone(device, kind):
    learner_, batch = learner(kind)
    batch = labelled(batch)
    device.copies.clear()
    result = learner_.imitate(batch)
    (loss,) = device.to_host()
    assert (loss.num_bytes, device.host_waits) == (4, 1)
    assert [copy for copy in device.copies if copy.waits] == []
    assert result.bytes_to_device == sum(copy.num_bytes for copy in device.to_device())
    assert learned(device, list(learner_.policy.parameters()))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "variants"])
def test_chunks_and_pieces_ask_no_more_of_the_host(device, kind, monkeypatch):
    monkeypatch.setattr(loss_module, "CHUNK_ELEMENTS_CUDA", 1)  # one instance a chunk
    learner_, batch = learner(kind)
    learner_.shrink()
    learner_.reinforce(batch, STREAMS, Comparison())
    assert device.host_waits == 6
    assert learned(device, list(learner_.policy.parameters()))


def test_the_products_of_a_step_are_in_bfloat16_where_they_should(device):
    """Products in bfloat16; norms, softmax, likelihoods and what is embedded in float32."""
    learner_, batch = learner("plain")
    seen = {}
    learner_.policy.encoder.customer.register_forward_hook(lambda *_: seen.update(embed=_[2].dtype))
    layer = learner_.policy.encoder.layers[0]
    layer.attention.inward.register_forward_hook(lambda *_: seen.update(inward=_[2].dtype))
    layer.attention_norm.register_forward_hook(lambda *_: seen.update(norm=_[2].dtype))
    learner_.policy.decoder.register_forward_hook(lambda *_: seen.update(logits=_[2].dtype))
    device.questions = 1
    learner_.reinforce(batch, STREAMS, Comparison())
    assert seen == {
        "embed": torch.float32,
        "inward": torch.bfloat16,
        "norm": torch.float32,
        "logits": torch.float32,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_optimizer_and_the_average_ask_nothing(device, kind):
    learner_, batch = learner(kind)
    policy = learner_.policy
    optimizer, average = Optimizer(policy, 0.01), averaged_policy(policy, 0.9)
    device.questions = 1
    learner_.reinforce(batch, STREAMS, Comparison())
    device.copies.clear()
    waits = device.host_waits
    for _ in range(2):
        optimizer.step(1e-3, torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0))
        average.update_parameters(policy)
    assert (device.copies, device.host_waits) == ([], waits)
    state = optimizer.state_dict()["muon"]["state"]
    assert {part["momentum_buffer"].device.type for part in state.values()} == {"cuda"}


@pytest.mark.slow
def test_gradients_of_earlier_batches_stay_on_the_device(device):
    learner_, batch = learner("plain")
    device.questions = 2
    for _ in range(2):
        in_pieces(
            learner_.policy,
            COUNT,
            1,
            lambda rows: learner_.reinforce(batch, STREAMS, Comparison()),
        )
    assert learned(device, list(learner_.policy.parameters()))


def test_a_greedy_baseline_waits_for_a_flag_and_for_its_tours(device):
    policy = build_policy(PLAIN.policy, 3).to("cuda")
    baseline, batch = GreedyRollout(policy, World()), pinned(StepBatches(PLAIN, [])[0])
    device.copies.clear()
    assert baseline.expected(batch).shape == (COUNT, 1)
    assert [copy.dtype for copy in device.to_host(waiting=False)] == [torch.bool, torch.int16]
    assert [copy for copy in device.copies if copy.waits] == []
    assert device.host_waits == 2


@pytest.mark.parametrize("kind", KINDS)
def test_validation_waits_for_a_flag_and_for_its_tours(device, kind):
    config = CONFIGS[kind]
    batch = pinned(StepBatches(config, [])[0])
    assert validate(build_policy(config.policy, 3).to("cuda"), batch).cost > 0
    assert [len(copy.shape) for copy in device.to_host(waiting=False)] == [0, 3]
    assert device.host_waits == 2


def test_learners_for_the_device(device):
    """What `auto` chooses there, without compiling."""
    for config in (PLAIN, VARIANTS):
        policy = build_policy(config.policy, 3).to("cuda")
        assert isinstance(build_learner(policy, config, False, "bf16", World()), TwoPhaseLearner)
    assert next(copy.deepcopy(policy).parameters()).device.type == "cuda"


@pytest.mark.slow
def test_layers_that_are_computed_again(device):
    learner_, batch = learner("plain")
    learner_.policy.encoder.recompute = True
    device.questions = 1
    learner_.reinforce(batch, STREAMS, Comparison())
    assert device.host_waits == 3
    assert learned(device, list(learner_.policy.parameters()))
