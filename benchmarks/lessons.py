"""Measurements behind the design, on this machine: `python -m benchmarks lessons`."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from benchmarks.lesson import Case, Lesson, Measured, Scope, crossovers
from benchmarks.tours import (
    device_cost,
    leg_by_leg,
    loop_cost,
    masked_matrix_cost,
    random_tours,
)
from vrpcore.bench.timing import Work, timed
from vrpcore.config.sections import Config, PolicyConfig, ProblemConfig, TrainConfig
from vrpcore.cost.cost import tour_cost
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.device import Precision, describe_environment, set_precision
from vrpcore.learn.env.environment import Outlook
from vrpcore.learn.env.inputs import Inputs, plain_inputs
from vrpcore.learn.policy.policy import Policy, build_policy
from vrpcore.learn.train import training_library
from vrpcore.learn.train.compare import Comparison
from vrpcore.learn.train.data import StepBatches
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.learner import Learner, instance_streams
from vrpcore.learn.train.loop import LoopLearner
from vrpcore.learn.train.two_phase import TwoPhaseLearner
from vrpcore.version import VERSION

FORMAT = "vrp-bench-lessons/1"
Settings = Sequence[Mapping[str, int]]
_PREDECESSOR = PolicyConfig(num_layers=2)  # it had two encoder layers


def _grid(sizes: Iterable[int], batches: Sequence[int]) -> Settings:
    return [{"num_customers": size, "batch_size": batch} for size in sizes for batch in batches]


@partial(
    Lesson,
    lambda scope: _grid(scope.sizes, scope.batches),
    [
        ("numpy", "loop"),
        ("device", "loop"),
        ("device", "numpy"),
        ("device + tours back", "tours back + numpy"),
    ],
    find=crossovers,
)
def host_or_device(scope: Scope, num_customers: int, batch_size: int) -> Case:
    """Small work on an accelerator is mostly launch overhead: compare with the host."""
    batch = random_tours(num_customers, batch_size)
    coords, tours = batch.on(scope.device)
    variants: dict[str, tuple[str, Work]] = {
        "loop": (
            "Python loop over precomputed nested lists of distances; many exceed the caches",
            partial(loop_cost, batch.matrices().tolist(), batch.tour_lists()),
        ),
        "numpy": (
            "vrpcore.cost.tour_cost: float64, from coordinates",
            partial(tour_cost, batch.coords, batch.tours[:, None]),
        ),
        "device": (
            "gather, norm, sum from coordinates, float32",
            partial(device_cost, coords, tours),
        ),
    }
    if scope.device.type == "cuda":
        variants |= {
            "device + tours back": (
                "the same, then the tours to the host, where they are needed",
                lambda: (device_cost(coords, tours).cpu(), tours.cpu()),
            ),
            "tours back + numpy": (
                "the tours to the host, then numpy",
                lambda: tour_cost(batch.coords, tours.cpu().numpy()[:, None]),
            ),
        }
    return Case(variants)


@partial(
    Lesson,
    lambda scope: _grid(scope.sizes, [count for count in scope.batches if count >= 32]),
    [("matrices", "coords")],
    slower=10,
)
def matrices_or_coordinates(scope: Scope, num_customers: int, batch_size: int) -> Case:
    """Only costs need distance matrices: they stay on the host, coordinates are sent."""
    batch = random_tours(num_customers, batch_size)
    matrices = torch.from_numpy(batch.matrices()).float()
    coords = torch.from_numpy(batch.coords).float()
    move = partial(Tensor.to, device=scope.device, copy=True)
    on_cpu = "; on a CPU only copied" if scope.device.type == "cpu" else ""
    return Case(
        {
            "one by one": (
                "the matrices to the device, one transfer per instance",
                lambda: [move(matrix) for matrix in matrices],
            ),
            "matrices": (f"the same in one transfer{on_cpu}", lambda: move(matrices)),
            "coords": ("the coordinates to the device, one transfer", lambda: move(coords)),
        },
        num_bytes={"matrices": matrices.nbytes, "coords": coords.nbytes},
    )


@partial(Lesson, lambda scope: _grid(scope.sizes[:3], (32, 128)), [("each leg", "once")], slower=10)
def tensors_in_a_loop(scope: Scope, num_customers: int, batch_size: int) -> Case:
    """Create tensors once, on their device; no .item() in a hot path."""
    batch = random_tours(num_customers, batch_size)
    coords, _ = batch.on(scope.device)
    return Case(
        {
            "each leg": (
                "torch.tensor and .item() for each instance at each step",
                partial(leg_by_leg, coords, batch.tours.tolist()),
            ),
            "once": (
                "one tensor to the device and one back for the whole batch",
                lambda: device_cost(coords, batch.on(scope.device)[1]).cpu(),
            ),
        }
    )


@partial(
    Lesson,
    lambda scope: _grid(scope.sizes, (32, 128)),
    [("masked 2M", "loop"), ("numpy 2M", "numpy used"), ("device 2M", "device used")],
)
def padding(scope: Scope, num_customers: int, batch_size: int) -> Case:
    """Vectorise without padding waste: cut tours to the length they use."""
    batch = random_tours(num_customers, batch_size)
    matrices, starts = batch.matrices(), batch.tours[:, None]
    padded = batch.padded_tours()
    coords, tours = batch.on(scope.device)
    device_padded = torch.from_numpy(padded).to(scope.device)
    cut = "the same, cut to the longest tour"
    return Case(
        {
            "loop": (
                "Python loop over precomputed matrices, each tour at its own length",
                partial(loop_cost, matrices.tolist(), batch.tour_lists()),
            ),
            "masked 2M": (
                "numpy: legs gathered from matrices at 2M, padding masked",
                partial(masked_matrix_cost, matrices, padded),
            ),
            "numpy 2M": (
                "vrpcore.cost.tour_cost on tours padded to 2M",
                partial(tour_cost, batch.coords, padded[:, None]),
            ),
            "numpy used": (cut, partial(tour_cost, batch.coords, starts)),
            "device 2M": ("gather, norm, sum at 2M", partial(device_cost, coords, device_padded)),
            "device used": (cut, partial(device_cost, coords, tours)),
        },
        counts={"used_length": batch.tours.shape[1], "padded_length": padded.shape[1]},
    )


@partial(Lesson, lambda scope: _grid(scope.sizes, (64,)), [("stacked", "indexed")])
def collate(_: Scope, num_customers: int, batch_size: int) -> Case:
    """A batch of your own instances is one indexing of arrays padded once."""
    rng, num_nodes = np.random.default_rng(1), num_customers + 1
    sizes = rng.integers(max(2, num_nodes // 2), num_nodes + 1, 8 * batch_size)
    ragged = [rng.random((size, 2), dtype=np.float32) for size in sizes]
    chosen = rng.integers(len(ragged), size=batch_size)

    def stacked(places: Iterable[int]) -> Tensor:
        parts = [torch.from_numpy(ragged[place]) for place in places]
        return torch.stack([pad(part, (0, 0, 0, num_nodes - len(part))) for part in parts])

    held = stacked(range(len(ragged))).numpy()
    return Case(
        {
            "stacked": (
                "each instance turned into a padded tensor, all stacked",
                lambda: stacked(chosen),
            ),
            "indexed": (
                "the set is padded once; a batch is one indexing",
                lambda: torch.from_numpy(held[chosen]),
            ),
        }
    )


def _policy_and_inputs(
    scope: Scope, config: PolicyConfig, num_customers: int, batch_size: int
) -> tuple[Policy, Inputs]:
    """An untrained policy, and what its `encode` takes."""
    coords, _ = random_tours(num_customers, batch_size).on(scope.device)
    demand = torch.full(coords.shape[:2], 0.1, device=scope.device)
    capacity = torch.ones(batch_size, device=scope.device)
    policy = build_policy(config, 0).to(scope.device)
    valid = torch.ones_like(demand, dtype=torch.bool)
    return policy, plain_inputs(coords, demand, capacity, valid)


@partial(Lesson, lambda scope: _grid(scope.sizes[:2], (16,)), [("each step", "once")], slower=10)
def encoder_once(scope: Scope, num_customers: int, batch_size: int) -> Case:
    """No duplicate work: nodes are embedded once per solve, not at every step."""
    policy, inputs = _policy_and_inputs(scope, _PREDECESSOR, num_customers, batch_size)
    num_steps = random_tours(num_customers, batch_size).tours.shape[1]
    last = torch.zeros(batch_size, 1, dtype=torch.int64, device=scope.device)
    share = torch.ones(batch_size, 1, 2, device=scope.device)
    none = inputs.pickup
    outlook = Outlook(inputs.valid.unsqueeze(1), none, none, none)

    @torch.no_grad()
    def solve(num_encodings: int) -> None:
        for step in range(num_steps):
            if step < num_encodings:
                cache = policy.encode(inputs)
            policy(cache, last, share, outlook, none)

    return Case(
        {
            "each step": (
                "two encoder layers, then a decoder step, at every step",
                lambda: solve(num_steps),
            ),
            "once": ("two encoder layers, then all decoder steps", lambda: solve(1)),
        },
        counts={"steps": num_steps},
    )


@partial(
    Lesson,
    lambda scope: _grid(scope.sizes, (8,)),
    [("two phases", "loop"), ("loop", "loop bf16")],
    slower=30,
)
def training_step(scope: Scope, num_customers: int, batch_size: int) -> Case:
    """A step computes everything once, in the lowest precision that learning tolerates."""
    config = Config(
        problem=ProblemConfig(num_customers=num_customers),
        train=TrainConfig(batch_size=batch_size, starts=max(2, num_customers)),
    )
    policy, world = build_policy(PolicyConfig(), 0), World()
    given = (StepBatches(config, [])[0], instance_streams(1, 0, 0, batch_size), Comparison())
    learners: list[Learner] = [
        TwoPhaseLearner(FixedShapeRollout(policy), "fp32", world),
        *(LoopLearner(policy, precision, world) for precision in ("fp32", "bf16")),
    ]
    two_phases, loop, loop_bf16 = (partial(learner.reinforce, *given) for learner in learners)
    possible = scope.device.type == "cpu" and training_library.is_built()
    return Case(
        {
            "two phases": (
                "construct without gradients, then one teacher-forced pass; float32",
                two_phases,
            ),
            "loop": ("constructions and a hand-written gradient in compiled loops; float32", loop),
            "loop bf16": ("the same with the encoder's products in bfloat16", loop_bf16),
        },
        skipped=None
        if possible
        else "the loop runs only on a CPU, and only if it was compiled at installation",
    )


@partial(Lesson, lambda scope: _grid(scope.sizes[-1:], (16,)), [("off", "on")], slower=10)
def compile_(scope: Scope, num_customers: int, batch_size: int) -> Case:
    """torch.compile: compare, and count the time that compiling itself takes."""
    policy, inputs = _policy_and_inputs(scope, PolicyConfig(), num_customers, batch_size)
    eager = compiled = partial(torch.no_grad()(policy.encode), inputs)
    counts, skipped = {}, None if scope.compile else "turn on with --compile"
    if scope.compile:
        try:
            compiled = partial(torch.no_grad()(torch.compile(policy.encode)), inputs)
            counts["compile_ms"] = round(1e3 * timed(compiled).wall_s)
        except RuntimeError as error:  # as without a C++ compiler
            skipped = f"torch.compile failed: {(str(error).splitlines() or [''])[0]}"
    does = "compiled: its first call takes `compile ms`, less where PyTorch had it cached"
    variants = {"off": ("the encoder's forward pass, eager", eager), "on": (does, compiled)}
    return Case(variants, counts, skipped=skipped)


@partial(Lesson, lambda scope: _grid(scope.sizes, scope.batches[-1:]), [("off", "on")], slower=10)
def tf32(scope: Scope, num_customers: int, batch_size: int) -> Case:
    """TF32 on: float32 matrix products on the tensor cores."""
    policy, inputs = _policy_and_inputs(scope, PolicyConfig(), num_customers, batch_size)

    @torch.no_grad()
    def encode(precision: Precision) -> None:
        set_precision(scope.device, precision)
        policy.encode(inputs)

    return Case(
        {
            "off": ("float32", lambda: encode("fp32")),
            "on": ("TF32; the encoder's forward pass, no gradient", lambda: encode("tf32")),
        },
        skipped=None if scope.device.type == "cuda" else "needs CUDA",
    )


@partial(Lesson, lambda _: [{}], [("plain", "fused"), ("foreach", "fused")])
def optimizer(scope: Scope) -> Case:
    """Fused optimizer: one kernel over all parameters."""

    def step(*, foreach: bool = False, fused: bool = False) -> Work:
        parameters = list(build_policy(PolicyConfig(), 0).to(scope.device).parameters())
        for parameter in parameters:
            parameter.grad = torch.full_like(parameter, 1e-3)
        return torch.optim.AdamW(parameters, foreach=foreach, fused=fused).step

    variants = {
        "plain": ("torch.optim.AdamW, one parameter at a time", step()),
        "foreach": ("foreach=True", step(foreach=True)),
        "fused": ("fused=True, as training does", step(fused=True)),
    }
    sizes = [parameter.numel() for parameter in build_policy(PolicyConfig(), 0).parameters()]
    return Case(variants, counts={"parameters": sum(sizes)})


LESSONS = (
    host_or_device,
    matrices_or_coordinates,
    tensors_in_a_loop,
    padding,
    collate,
    encoder_once,
    training_step,
    compile_,
    tf32,
    optimizer,
)


def lesson_scope(device: torch.device, *, quick: bool, compile_: bool) -> Scope:
    """How much to measure.

    Args:
        device: Where.
        quick: Fewer sizes, batches and rounds: seconds instead of half a minute.
        compile_: Measure `torch.compile` even where it is not always on. A full run on
            CUDA measures it in any case.
    """
    if quick:
        return Scope(
            device=device, sizes=(10, 20), batches=(1, 32, 128), rounds=11, compile=compile_
        )
    return Scope(device=device, compile=compile_ or device.type == "cuda")


def measured_lessons(scope: Scope) -> Iterator[Measured]:
    """Measures one lesson after the other, in float32: TF32 products on CUDA."""
    for lesson in LESSONS:
        _set_float32(scope.device)
        yield lesson.measure(scope)


def lessons_to_json(lessons: Iterable[Measured], scope: Scope) -> str:
    """The figures as a JSON document: `format`, `environment` (as in a run folder), `lessons`."""
    reason = "measured" if scope.compile else "not asked for"
    precision = _set_float32(scope.device)
    environment = describe_environment(scope.device, (scope.compile, reason), precision, VERSION)
    document = {
        "format": FORMAT,
        "environment": environment,
        "lessons": [asdict(lesson) for lesson in lessons],
    }
    return json.dumps(document, indent=1) + "\n"


def _set_float32(device: torch.device) -> str:
    return set_precision(device, "tf32" if device.type == "cuda" else "fp32")
