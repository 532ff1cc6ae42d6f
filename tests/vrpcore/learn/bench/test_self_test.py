"""The self-test: what it tries where, and what it says of what goes wrong."""

import dataclasses
import json

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.fake_device import fake_cuda
from vrpcore.learn.bench import self_test
from vrpcore.learn.bench.self_cases import num_wrong, plain_case, variants_case
from vrpcore.learn.bench.self_test import SelfTestScope, run_self_tests, self_test_scope, self_tests
from vrpcore.learn.policy.policy import build_policy
from vrpcore.solve.models import open_backend

CPU = torch.device("cpu")
TINY = SelfTestScope(device=CPU, sizes=(6,), count=3)


def test_everything_that_a_cpu_can_do_passes():
    checks = list(run_self_tests(TINY))
    assert {check.name: check.error for check in checks if not check.passed} == {}
    found = {check.name: check.figures for check in checks}
    assert list(found) == list(self_tests(TINY))
    assert found["construct plain"]["identical"] > 0.9
    assert found["construct plain"]["wrong"] == found["construct variants"]["wrong"] == 0
    assert found["train variants"]["bytes_to_host"] == 0
    assert found["rate 6"]["instances_per_second"] > 0
    document = json.loads(self_test.self_test_to_json(checks, TINY))
    assert (document["format"], document["passed"]) == ("vrp-self-test/1", True)
    assert document["environment"]["device"] == "cpu"
    assert [check["name"] for check in document["checks"]] == list(found)


def test_what_fails_does_not_stop_the_rest(monkeypatch):
    def wrong():
        return False, {"cost_gap": 0.5}

    def broken():
        raise RuntimeError("CUDA error: misaligned address\nand a long story")

    tests = {"construct plain": wrong, "train plain": broken, "memory": lambda: (True, {})}
    monkeypatch.setattr(self_test, "self_tests", lambda _: tests)
    checks = {check.name: check for check in run_self_tests(TINY)}
    assert not checks["construct plain"].passed
    assert checks["construct plain"].figures == {"cost_gap": 0.5}
    assert checks["train plain"].error == "RuntimeError: CUDA error: misaligned address"
    assert checks["memory"].passed


def test_wrong_tours_are_counted_and_nodes_that_do_not_exist_fail(monkeypatch):
    case = plain_case(3, 2)
    case.batch.demand[:, 1:], case.batch.capacity[:] = 1, 2
    right, twice, missing, full = [1, 2, 0, 3], [1, 2, 0, 1], [1, 2, 0, 0], [1, 2, 3, 0]
    assert num_wrong(case, np.array([[right, [3, 0, 2, 1]], [right, right]])) == 0
    assert num_wrong(case, np.array([[right, twice], [missing, full]])) == 3
    case = variants_case(6, 3)
    tours = case.construct(open_backend("variants", "cpu"))
    assert num_wrong(case, tours) == 0
    tours[0, 0, tours[0, 0] == 4] = 3
    assert num_wrong(case, tours) == 1

    def garbage(*_):
        return np.full((3, 6, 8), 1 << 20)

    names = ("construct plain", "train plain")
    tests = {name: self_tests(TINY)[name] for name in names}
    monkeypatch.setattr(self_test, "self_tests", lambda _: tests)
    monkeypatch.setattr(self_test.SelfCase, "construct", garbage)
    checks = {check.name: check for check in run_self_tests(TINY)}
    assert checks["construct plain"].error.startswith("IndexError")
    assert checks["train plain"].passed


def test_steps_are_tested_also_where_one_launch_would_do(monkeypatch):
    def launched(*_):
        raise AssertionError("no step was taken")

    monkeypatch.setattr(self_test.FixedShapeRollout, "construct", launched)
    passed, figures = self_tests(TINY)["steps of fixed shape"]()
    assert passed and figures["identical"] > 0.9


def test_scopes():
    assert self_test_scope(CPU, quick=True) == SelfTestScope(device=CPU, sizes=(20,), count=8)
    cuda = self_test_scope(torch.device("cuda"), quick=False)
    assert (cuda.sizes, cuda.count) == ((20, 50, 100), 256)
    assert {"graphs", "bfloat16"} < set(self_tests(cuda))
    assert not {"graphs", "bfloat16"} & set(self_tests(TINY))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["graphs", "bfloat16", "train plain", "train variants"])
def test_the_tests_for_cuda_alone_run_to_their_end(monkeypatch, name):
    """On a device that computes nothing; whether they pass says nothing here."""
    monkeypatch.setattr(self_test, "STEPS", 1)
    config = self_test.learning_config
    monkeypatch.setattr(
        self_test,
        "learning_config",
        lambda *given, **kind: _small(config(*given, **kind)),
    )
    with fake_cuda(monkeypatch) as device:
        device.answer = _tours
        device.questions = 1000
        policy = build_policy(SMALL, 1).to("cuda")
        monkeypatch.setattr(self_test, "shipped_policy", lambda *_: policy)
        scope = SelfTestScope(device=torch.device("cuda"), sizes=(5,), count=2)
        _, figures = self_tests(scope)[name]()
    assert figures


def test_the_largest_batch_is_found(monkeypatch):
    class Backend:
        info = type("Info", (), {"device": "cuda"})

        def construct(self, batch, starts, *_):
            if len(starts) > 8:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return starts[:, :, None]

    monkeypatch.setattr(self_test, "TorchBackend", lambda *_, **__: Backend())
    monkeypatch.setattr(self_test.machine_settings, "peak_memory_mb", lambda _: 7.0)
    scope = SelfTestScope(device=torch.device("cuda"), sizes=(5,), count=2)
    assert self_tests(scope)["memory"]() == (True, {"largest_batch": 8, "peak_memory_mb": 7.0})


def _small(config):
    policy = dataclasses.replace(SMALL, variants=config.policy.variants)
    return dataclasses.replace(config, policy=policy)


def _tours(shape, dtype):
    found = torch.zeros(shape, dtype=dtype)
    if len(shape) == 3:
        found[:, :, 1:6] = torch.arange(1, 6, dtype=dtype)
        found[:, 0, 1:6] = torch.arange(5, 0, -1, dtype=dtype)
    return found
