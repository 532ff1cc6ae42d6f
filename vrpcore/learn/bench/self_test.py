"""`vrp doctor --self-test`: correctness and speed of a device."""

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import torch

from vrpcore.bench.timing import machine
from vrpcore.cost.cost import Tours
from vrpcore.errors import VrpError, is_out_of_memory
from vrpcore.learn import device as machine_settings
from vrpcore.learn.bench.self_cases import (
    SelfCase,
    compared,
    learning_config,
    num_wrong,
    plain_case,
    shipped_policy,
    variants_case,
)
from vrpcore.learn.decode.accelerated import AcceleratedRollout
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.env.inputs import to_device
from vrpcore.learn.env.transfer import tensors_on
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.torch_backend import TorchBackend
from vrpcore.learn.train import training_library
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.data import StepBatches
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.learner import Learner, build_learner, instance_streams
from vrpcore.learn.train.loop import LoopLearner
from vrpcore.learn.train.optimizer import Optimizer
from vrpcore.learn.train.two_phase import TwoPhaseLearner
from vrpcore.solve.backend import Backend
from vrpcore.solve.models import DEFAULT_MODEL, checkpoint_path, open_backend

FORMAT = "vrp-self-test/1"
Figures = dict[str, float | int]
# Rounding decides near-ties otherwise: tours may differ, their mean costs hardly.
_LARGEST_GAP, _LEAST_SAME_GRADIENT = 0.005, 0.99
STEPS, _RATE = 6, 1e-4  # of a training
_MOST_ROWS, _ENOUGH_S = 16_384, 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestScope:
    """The extent of the test.

    Attributes:
        device: Where.
        sizes: N of the rates.
        count: Instances of a batch.
    """

    device: torch.device
    sizes: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was tried.

    Attributes:
        name: One word or two.
        passed: Whether it did what it should.
        seconds: What it took.
        figures: What was found, by name.
        error: Why it could not be tried to its end, else empty.
    """

    name: str
    passed: bool
    seconds: float
    figures: Figures
    error: str = ""


def self_test_scope(device: torch.device, *, quick: bool) -> SelfTestScope:
    """Sizes for less than a minute, or with `quick` for seconds."""
    sizes = (20,) if quick else (20, 50, 100)
    large = 8 if quick else 16
    return SelfTestScope(device=device, sizes=sizes, count=256 if device.type == "cuda" else large)


def self_tests(scope: SelfTestScope) -> dict[str, Callable[[], tuple[bool, Figures]]]:
    """The tests for a device, by name."""
    small, count = scope.sizes[0], scope.count
    tests: dict[str, Callable[[], tuple[bool, Figures]]] = {
        "construct plain": partial(_parity, scope, plain_case(small, count)),
        "construct variants": partial(_parity, scope, variants_case(small, count)),
        "steps of fixed shape": partial(_fixed_shape, scope),
        "train plain": partial(_training, scope, False),
        "train variants": partial(_training, scope, True),
    }
    if scope.device.type == "cuda":
        tests["graphs"] = partial(_graphs, scope)
        tests["bfloat16"] = partial(_bfloat16, scope)
    elif training_library.is_built():
        tests["loop or two phases"] = partial(_two_ways, scope)
    tests |= {f"rate {size}": partial(_rate, scope, size) for size in scope.sizes}
    tests["memory"] = partial(_memory, scope)
    return tests


def run_self_tests(scope: SelfTestScope) -> Iterator[Check]:
    """Tries everything; what fails does not stop the rest."""
    for name, attempt in self_tests(scope).items():
        started = time.perf_counter()
        error = ""
        try:
            passed, figures = attempt()
        except Exception as problem:  # a device that is wrong fails in any way
            reason = str(problem).splitlines()[0] if str(problem) else ""
            passed, figures, error = False, {}, f"{type(problem).__name__}: {reason}"
        seconds = round(time.perf_counter() - started, 3)
        yield Check(name=name, passed=passed, seconds=seconds, figures=figures, error=error)


def self_test_to_json(checks: list[Check], scope: SelfTestScope) -> str:
    """The report as a JSON document."""
    settings = machine_settings.describe_environment(
        scope.device,
        machine_settings.choose_compile(scope.device, "auto"),
        machine_settings.set_precision(scope.device, "auto"),
        str(machine()["vrp"]),
    )
    document = {
        "format": FORMAT,
        "environment": machine() | settings,
        "passed": all(check.passed for check in checks),
        "checks": [asdict(check) for check in checks],
    }
    return json.dumps(document, indent=1) + "\n"


def _opened(scope: SelfTestScope, model: str) -> Backend:
    """PyTorch on the device, also on a CPU."""
    return TorchBackend(checkpoint_path(model), str(scope.device), scripted=False)


def _parity(scope: SelfTestScope, case: SelfCase) -> tuple[bool, Figures]:
    """Compares tours of PyTorch on the device with those of ONNX on the CPU."""
    tours = case.construct(_opened(scope, case.model))
    return _alike(case, tours, case.construct(open_backend(case.model, "cpu")))


def _alike(case: SelfCase, tours: Tours, reference: Tours) -> tuple[bool, Figures]:
    """Return whether tours are whole, keep the capacity, and cost about as much as a CPU's."""
    figures: Figures = {**compared(case, tours, reference), "wrong": num_wrong(case, tours)}
    return abs(figures["cost_gap"]) < _LARGEST_GAP and not figures["wrong"], figures


def _fixed(scope: SelfTestScope, case: SelfCase, *, graphed: bool) -> Callable[[], np.ndarray]:
    """Greedy tours in float32 by steps of fixed shape."""
    machine_settings.set_precision(scope.device, "fp32")
    policy = shipped_policy(case.model, scope.device)
    rollout = FixedShapeRollout(policy, graphed=graphed)
    inputs = to_device(case.batch, scope.device)
    starts, seed = tensors_on((case.starts, case.starts[:, 0]), scope.device)

    def construct() -> np.ndarray:
        with torch.no_grad():
            cache = policy.encode(inputs)
            tours = rollout.by_steps(cache, inputs, starts, seed, 0.0)
        found: np.ndarray = tours.cpu().numpy()
        return found

    return construct


def _fixed_shape(scope: SelfTestScope) -> tuple[bool, Figures]:
    """Compares the accelerator's loop with the plain one."""
    case = plain_case(scope.sizes[0], scope.count)
    tours = _fixed(scope, case, graphed=False)()
    return _alike(case, tours, case.construct(open_backend(case.model, "cpu")))


def _graphs(scope: SelfTestScope) -> tuple[bool, Figures]:
    """Compares steps that were recorded and replayed with the same steps one by one."""
    case = plain_case(scope.sizes[0], scope.count)
    plain = _fixed(scope, case, graphed=False)()
    graphed = _fixed(scope, case, graphed=True)
    met, recorded, replayed = graphed(), graphed(), graphed()
    same = [compared(case, tours, plain)["identical"] for tours in (met, recorded, replayed)]
    return min(same) > 0.999, {"identical": min(same)}


def _bfloat16(scope: SelfTestScope) -> tuple[bool, Figures]:
    """Compares products in bfloat16 with those in float32."""
    case = plain_case(scope.sizes[0], scope.count)
    machine_settings.set_precision(scope.device, "fp32")
    found = []
    for precision in ("bf16", "fp32"):
        rollout = AcceleratedRollout(shipped_policy(case.model, scope.device), precision)
        seed = np.zeros(len(case.starts), np.int64)
        found.append(rollout.construct(case.batch, case.starts, 0.0, seed))
    return _alike(case, *found)


def _training(scope: SelfTestScope, variants: bool) -> tuple[bool, Figures]:
    """Some steps on one batch by the learner that training would choose, without compiling."""
    config = learning_config(scope.sizes[0], scope.count, variants=variants)
    batch, device = StepBatches(config, [])[0], scope.device
    precision = machine_settings.set_precision(device, "auto")
    policy = build_policy(config.policy, 1).to(device)
    learner = build_learner(policy, config, False, precision, World())
    optimizer, streams = Optimizer(policy, 0.0), instance_streams(1, 0, 0, scope.count)
    results, started = [], 0.0
    for step in range(STEPS + 1):
        started = time.perf_counter() if step == 1 else started  # the first one warms up
        optimizer.zero_grad()
        results.append(learner.reinforce(batch, streams, Comparison()))
        optimizer.step(_RATE)
    seconds = time.perf_counter() - started
    finite = all(math.isfinite(result.loss + result.cost) for result in results)
    finite &= all(bool(torch.isfinite(part).all()) for part in policy.parameters())
    return finite and results[-1].cost < results[0].cost, {
        "first_cost": round(results[0].cost, 4),
        "last_cost": round(results[-1].cost, 4),
        "instances_per_second": round(scope.count * STEPS / seconds, 1),
        "bytes_to_device": results[-1].bytes_to_device,
        "bytes_to_host": results[-1].bytes_to_host,
    }


def _two_ways(scope: SelfTestScope) -> tuple[bool, Figures]:
    """Compares the gradient of the compiled loop with that of two phases."""
    config = learning_config(scope.sizes[0], scope.count, variants=False)
    batch = StepBatches(config, [])[0]
    streams = instance_streams(1, 0, 0, scope.count)
    gradients = []
    for loop in (True, False):
        policy = build_policy(config.policy, 1)
        learner: Learner = TwoPhaseLearner(FixedShapeRollout(policy), "fp32", World())
        if loop:
            learner = LoopLearner(policy, "fp32", World())
        learner.reinforce(batch, streams, Comparison())
        parts = [part.grad for part in policy.parameters() if part.grad is not None]
        gradients.append(torch.cat([part.flatten() for part in parts]).double())
    cosine = float(torch.nn.functional.cosine_similarity(gradients[0], gradients[1], dim=0))
    return cosine > _LEAST_SAME_GRADIENT, {"cosine": round(cosine, 6)}


def _rate(scope: SelfTestScope, size: int) -> tuple[bool, Figures]:
    """Greedy constructions from up to 50 first customers, from a batch to tours on the host."""
    case = plain_case(size, scope.count)
    backend = open_backend(case.model, str(scope.device))
    construct = machine_settings.waited(lambda: case.construct(backend), scope.device)
    for _ in range(3 if scope.device.type == "cuda" else 1):  # met, recorded, replayed
        construct()
    rounds, started = 0, time.perf_counter()
    while time.perf_counter() - started < 1.0 or not rounds:
        construct()
        rounds += 1
    seconds = time.perf_counter() - started
    return True, {"instances_per_second": round(scope.count * rounds / seconds, 1)}


def _memory(scope: SelfTestScope) -> tuple[bool, Figures]:
    """The largest memory so far; on CUDA also the largest batch of the largest instances."""
    figures: Figures = {}
    if scope.device.type == "cuda":
        backend, rows = _opened(scope, DEFAULT_MODEL), scope.count
        figures["largest_batch"] = 0
        while rows <= _MOST_ROWS:
            started = time.perf_counter()
            try:
                plain_case(scope.sizes[-1], rows).construct(backend)
            except (RuntimeError, VrpError) as error:
                if not is_out_of_memory(error):
                    raise
                break
            figures["largest_batch"] = rows
            if time.perf_counter() - started > _ENOUGH_S:
                break
            rows *= 2
    figures["peak_memory_mb"] = machine_settings.peak_memory_mb(scope.device)
    return True, figures
