"""Two gloo processes learn as one with twice the batch."""

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from unittest import mock

import numpy as np
import pytest
import torch

from tests.cli.runs import one_line, vrp
from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import ragged_batch
from tests.vrpcore.learn.train.runs import check_same_policy, metrics
from vrpcore.config.sections import Config, ProblemConfig, TrainConfig
from vrpcore.learn.env.inputs import inputs_of
from vrpcore.learn.policy.checkpoint import load_checkpoint
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import distributed
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.data import StepBatches, TrainBatch
from vrpcore.learn.train.distributed import Shared, World, own_cores
from vrpcore.learn.train.learner import instance_streams
from vrpcore.learn.train.loop import LoopLearner
from vrpcore.learn.train.optimizer import hidden_matrices
from vrpcore.learn.train.validate import figures

SETTINGS = [
    "problem.num_customers=8",
    "problem.capacity=20",
    "policy.embed_dim=16",
    "policy.num_heads=2",
    "policy.num_layers=2",
    "policy.feedforward_dim=32",
    "train.batch_size=6",
    "train.log_every=1",
    "train.validate_every=0",
    "train.precision=fp32",
    "train.ema_decay=0",
]


def launch(out, *settings, processes=2, restarts=0):
    sets = [part for setting in (*SETTINGS, *settings) for part in ("--set", setting)]
    return [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
        f"--nproc-per-node={processes}",
        f"--max-restarts={restarts}",
        *("-m", "vrpcore.cli", "train", "--threads", "1", "--out", str(out), *sets),
    ]


def environment():
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


@pytest.mark.parametrize(
    ("processes", "cores"), [(None, 6), ("1", 6), ("4", 1), ("2", 3), ("9", 1)]
)
def test_processes_on_a_machine_share_its_cores(monkeypatch, processes, cores):
    monkeypatch.setattr(distributed, "num_cores", lambda: 6)
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    if processes is not None:
        monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
    assert own_cores() == cores


@pytest.mark.slow
def test_two_processes_take_the_step_of_twice_the_batch(tmp_path):
    settings = ("train.steps=1", "train.warmup_steps=0", "train.validate_every=1")
    command = launch(tmp_path / "run", *settings, "train.validation_size=4")
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    content = load_checkpoint(tmp_path / "run" / "last.pt")

    config = Config(
        problem=ProblemConfig(num_customers=8, capacity=20),
        train=TrainConfig(batch_size=6),
    )
    halves = [StepBatches(config, [], rank)[0] for rank in (0, 1)]
    assert not torch.equal(halves[0].coords, halves[1].coords)
    columns = zip(*(half.inputs.columns for half in halves), strict=True)
    batch = TrainBatch(
        inputs_of(map(torch.cat, columns)),
        *(torch.cat(parts) for parts in zip(*(half[1:5] for half in halves), strict=True)),
    )
    streams = torch.cat([instance_streams(config.train.seed, 0, rank, 6) for rank in (0, 1)])
    policy = build_policy(SMALL, config.train.seed)
    result = LoopLearner(policy, "fp32", World()).reinforce(batch, streams, Comparison())
    torch.nn.utils.clip_grad_norm_(policy.parameters(), config.train.clip_norm)
    state = content["training"]["optimizer"]
    matrices = hidden_matrices(policy)
    others = [part for part in policy.parameters() if all(part is not each for each in matrices)]
    # After one step the first moment is a tenth of the gradient, Muon's a twentieth.
    for name, moment, share, parts in (
        ("adamw", "exp_avg", 0.1, others),
        ("muon", "momentum_buffer", 0.05, matrices),
    ):
        for number, parameter in enumerate(parts):
            found = state[name]["state"][number][moment]
            assert torch.allclose(found, share * parameter.grad, rtol=1e-3, atol=1e-6)
    line = metrics(tmp_path / "run")[0]
    assert line["instances"] == 12
    assert line["cost"] == pytest.approx(result.cost)
    assert line["loss"] == pytest.approx(result.loss, rel=1e-4)


def as_rank(rank, port, work):
    """Joins the other of two processes, works, and leaves."""
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    of_rank = {"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank)}
    with mock.patch.dict(os.environ, {**address, **of_rank}):
        world = World()
        world.join(torch.device("cpu"))
        try:
            return work(world)
        finally:
            world.leave()


def two_processes(work):
    """What two gloo processes find, of which this is one."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, torch.set_num_threads, (1,)) as processes:
        other = processes.submit(as_rank, 1, port, work)
        return [as_rank(0, port, work), other.result(120)]


def shared(world):
    """Gradients and figures of two processes, one of which did not use a layer."""
    layers = torch.nn.ModuleList(torch.nn.Linear(2, 1, bias=False) for _ in range(3))
    for number, layer in enumerate(layers):
        if number < 1 + world.rank:  # the last one is used by nobody
            layer.weight.grad = torch.full((1, 2), 1.0 + world.rank + number)
    agreed = world.share(layers, Shared(world.rank == 1, 5.0 + world.rank, 1.0, 2.0, 3))
    gradients = [layer.weight.grad for layer in layers]
    found = [None if each is None else each.tolist() for each in gradients]
    policy, batch = build_policy(SMALL, 3), ragged_batch()
    return found, agreed, figures(policy, {"own": batch.take(slice(0, 5))}, world)


def test_two_processes_share_gradients_that_only_one_of_them_has_and_what_they_validate():
    one, other = two_processes(shared)
    assert one == other
    gradients, agreed, found = one
    assert gradients == [[[3.0, 3.0]], [[3.0, 3.0]], None]
    assert agreed == Shared(True, 5.0, 2.0, 2.0, 6)
    batch = ragged_batch().take(slice(0, 5))
    assert found == figures(build_policy(SMALL, 3), {"own": batch})


@pytest.mark.parametrize(
    ("name", "together", "found"),
    [("cuda:0", 1, "cuda:0"), ("cuda", 2, "cuda:1"), ("auto", 2, "cuda:1"), ("cpu", 2, "cpu")],
)
def test_each_process_has_a_card_of_its_own(monkeypatch, name, together, found):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    for key, value in {"WORLD_SIZE": 2, "LOCAL_RANK": 1, "LOCAL_WORLD_SIZE": together}.items():
        monkeypatch.setenv(key, str(value))
    assert World().own_device(name) == found


def test_a_card_that_several_processes_would_share_is_refused(monkeypatch):
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    done = vrp("train", "--device", "cuda:0", code=7)
    said = "device: cuda:0 would be shared by the 4 processes on this machine; use --device cuda"
    assert said in one_line(done.stderr)


def test_without_a_common_folder_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(World, "join", lambda own, _: setattr(own, "size", 2))
    done = vrp("train", "--device", "cpu", code=2)
    said = "several processes need the same run folder; give --out RUN"
    assert said in one_line(done.stderr)


@pytest.mark.slow
def test_a_killed_process_is_started_again_and_the_run_ends_as_if_nothing_was(tmp_path):
    settings = ("train.steps=400", "train.save_every=5")
    whole = launch(tmp_path / "whole", *settings)
    subprocess.run(whole, env=environment(), capture_output=True, check=True, timeout=300)
    parts = subprocess.Popen(
        launch(tmp_path / "parts", *settings, restarts=2),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    written = tmp_path / "parts" / "metrics.jsonl"
    while not written.exists() or written.read_text().count("\n") < 20:
        assert parts.poll() is None
        time.sleep(0.02)
    children = subprocess.run(
        ["pgrep", "-P", str(parts.pid)], capture_output=True, text=True, check=True
    )
    os.kill(int(children.stdout.split()[-1]), signal.SIGKILL)
    assert parts.wait(timeout=300) == 0
    check_same_policy(tmp_path / "whole", tmp_path / "parts")
    assert [line["step"] for line in metrics(tmp_path / "parts")] == list(range(1, 401))


def test_alone_nothing_is_shared():
    world = World()
    assert world.writes
    assert world.total([1.5, 2.0]) == [1.5, 2.0]
    assert world.from_all("alone") == ["alone"]
    gain = np.array([[1.0, -1.0], [0.0, 0.0]])
    assert world.spread(gain) == (pytest.approx(0.5**0.5), 4)
    assert world.own_device("cpu") == "cpu"
