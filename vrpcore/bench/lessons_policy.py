"""Lessons about the network: encode once, compile, TF32, the optimizer's kernel."""

import time
from collections.abc import Callable

import torch
from torch import Tensor

from vrpcore.bench.lesson import Lesson, Row, Scope
from vrpcore.bench.timing import Work, alternate, waited
from vrpcore.bench.tours import random_tours
from vrpcore.config.sections import PolicyConfig
from vrpcore.device import set_precision
from vrpcore.policy.policy import Policy, build_policy, fleet_features, scaled_distance

_PREDECESSOR = PolicyConfig(num_layers=2)  # it had two encoder layers
_BATCH_SIZE = 16


def encoder_once(scope: Scope) -> Lesson:
    """One encoder pass a solve, against one at every step of it."""
    rows = []
    policy = build_policy(_PREDECESSOR, 0).to(scope.device)
    for size in scope.sizes[:2]:
        num_steps = random_tours(size, _BATCH_SIZE).tours.shape[1]
        rows.append(
            Row(
                setting={"num_customers": size, "batch_size": _BATCH_SIZE, "steps": num_steps},
                seconds=alternate(_encodings(policy, size, num_steps), scope.few_repeats),
            )
        )
    return Lesson(
        name="encoder_once",
        title="No duplicate work: nodes are embedded once per solve, not at every step",
        variants={
            "each step": "two encoder layers, then a decoder step, at every step",
            "once": "two encoder layers, then all decoder steps",
        },
        rows=tuple(rows),
        findings=tuple(
            f"N = {row.setting['num_customers']}: encoding at each step takes "
            f"{row.times('each step', 'once')}"
            for row in rows
        ),
    )


def _encodings(policy: Policy, size: int, num_steps: int) -> dict[str, Work]:
    device = next(policy.parameters()).device
    coords, demand, valid = _inputs(size, _BATCH_SIZE, device)
    capacity = torch.ones(_BATCH_SIZE, device=device)
    last = torch.zeros(_BATCH_SIZE, 1, dtype=torch.int64, device=device)
    share = torch.ones(_BATCH_SIZE, 1, 2, device=device)
    mask = valid.unsqueeze(1)

    @torch.no_grad()
    def once() -> None:
        cache = policy.encode(coords, demand, capacity, valid)
        for _ in range(num_steps):
            policy(cache, last, share, mask)

    @torch.no_grad()
    def each_step() -> None:
        for _ in range(num_steps):
            policy(policy.encode(coords, demand, capacity, valid), last, share, mask)

    return waited({"each step": each_step, "once": once}, device)


def _inputs(size: int, batch_size: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Coordinates, demand shares and validity of random instances, on the device."""
    coords = torch.from_numpy(random_tours(size, batch_size).coords).float().to(device)
    share = torch.full(coords.shape[:2], 0.1, device=device)
    return coords, share, torch.ones_like(share, dtype=torch.bool)


def _encoder_inputs(size: int, batch_size: int, device: torch.device) -> tuple[Tensor, ...]:
    coords, share, valid = _inputs(size, batch_size, device)
    fleet = fleet_features(share, torch.ones(batch_size, device=device))
    return coords, share, valid, scaled_distance(coords, valid), fleet


def compiled_encoder(scope: Scope) -> Lesson:
    """The encoder's forward pass, eager and compiled."""
    title = "torch.compile: compare, and count the time that compiling itself takes"
    variants = {"off": "eager", "on": "torch.compile(encoder); forward only, no gradient"}
    skipped = "skipped: turn on with --compile"
    if scope.compile:
        try:
            row, compile_s = _compiled_row(scope)
        except RuntimeError as error:  # as without a C++ compiler
            reason = (str(error).splitlines() or [""])[0]
            skipped = f"skipped: torch.compile failed: {reason}"
        else:
            finding = (
                f"compiling took {compile_s:.1f} s (less where PyTorch had it cached); a pass "
                f"then takes {row.ratio('on', 'off'):.2f} of the eager time"
            )
            return Lesson(
                name="compile", title=title, variants=variants, rows=(row,), findings=(finding,)
            )
    return Lesson(name="compile", title=title, variants=variants, skipped=skipped)


def _compiled_row(scope: Scope) -> tuple[Row, float]:
    """The figures, and the seconds that compiling took."""
    size = scope.sizes[-1]
    encoder = build_policy(PolicyConfig(), 0).to(scope.device).encoder
    inputs = _encoder_inputs(size, _BATCH_SIZE, scope.device)
    compiled: Callable[..., Tensor] = torch.compile(encoder)
    with torch.no_grad():
        started = time.perf_counter()
        compiled(*inputs)
        compile_s = time.perf_counter() - started
        work: dict[str, Work] = {"off": lambda: encoder(*inputs), "on": lambda: compiled(*inputs)}
        seconds = alternate(waited(work, scope.device), scope.few_repeats)
    setting = {"num_customers": size, "batch_size": _BATCH_SIZE}
    return Row(setting=setting, seconds=seconds), compile_s


def tf32(scope: Scope) -> Lesson:
    """The encoder's forward pass with and without TF32 matrix products."""
    title = "TF32 on: float32 matrix products on the tensor cores"
    variants = {"off": "float32", "on": "TF32; the encoder's forward pass, no gradient"}
    if scope.device.type != "cuda":
        return Lesson(name="tf32", title=title, variants=variants, skipped="skipped: needs CUDA")
    rows = []
    encoder = build_policy(PolicyConfig(), 0).to(scope.device).encoder
    for size in scope.sizes:
        inputs = _encoder_inputs(size, scope.batches[-1], scope.device)

        @torch.no_grad()
        def off(inputs: tuple[Tensor, ...] = inputs) -> None:
            set_precision(scope.device, "fp32")
            encoder(*inputs)

        @torch.no_grad()
        def on(inputs: tuple[Tensor, ...] = inputs) -> None:
            set_precision(scope.device, "tf32")
            encoder(*inputs)

        seconds = alternate(waited({"off": off, "on": on}, scope.device), scope.few_repeats)
        setting = {"num_customers": size, "batch_size": scope.batches[-1]}
        rows.append(Row(setting=setting, seconds=seconds))
    set_precision(scope.device, "tf32")
    last = rows[-1]
    finding = f"N = {scope.sizes[-1]}: TF32 takes {last.ratio('on', 'off'):.2f} of the time"
    return Lesson(
        name="tf32", title=title, variants=variants, rows=tuple(rows), findings=(finding,)
    )


def optimizer(scope: Scope) -> Lesson:
    """AdamW's step over the default policy's parameters: plain, foreach, fused."""
    work: dict[str, Work] = {}
    num_parameters = 0
    for name in ("plain", "foreach", "fused"):
        parameters = list(build_policy(PolicyConfig(), 0).to(scope.device).parameters())
        for parameter in parameters:
            parameter.grad = torch.full_like(parameter, 1e-3)
        work[name] = torch.optim.AdamW(
            parameters, foreach=name == "foreach", fused=name == "fused"
        ).step
        num_parameters = sum(parameter.numel() for parameter in parameters)
    row = Row(
        setting={"parameters": num_parameters},
        seconds=alternate(waited(work, scope.device), scope.repeats),
    )
    return Lesson(
        name="optimizer",
        title="Fused optimizer: one kernel over all parameters",
        variants={
            "plain": "torch.optim.AdamW, one parameter at a time",
            "foreach": "foreach=True",
            "fused": "fused=True, as training does",
        },
        rows=(row,),
        findings=(
            f"fused takes {row.ratio('fused', 'plain'):.2f} of the plain and "
            f"{row.ratio('fused', 'foreach'):.2f} of the foreach time",
        ),
    )
