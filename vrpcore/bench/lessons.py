"""All lessons, measured on this machine: `vrp bench lessons`."""

import json
from collections.abc import Callable, Iterable, Iterator

import torch

from vrpcore.bench.lesson import Lesson, Scope
from vrpcore.bench.lessons_cost import host_or_device, padding
from vrpcore.bench.lessons_policy import compiled_encoder, encoder_once, optimizer, tf32
from vrpcore.bench.lessons_train import collate, training_step
from vrpcore.bench.lessons_transfer import matrices_or_coordinates, tensors_in_a_loop
from vrpcore.device import describe_environment, set_precision
from vrpcore.version import VERSION

FORMAT = "vrp-bench-lessons/1"
LESSONS: tuple[Callable[[Scope], Lesson], ...] = (
    host_or_device,
    matrices_or_coordinates,
    tensors_in_a_loop,
    padding,
    collate,
    encoder_once,
    training_step,
    compiled_encoder,
    tf32,
    optimizer,
)


def lesson_scope(device: torch.device, *, quick: bool, compile_: bool) -> Scope:
    """How much to measure.

    Args:
        device: Where.
        quick: Fewer sizes, batches and repeats: seconds instead of half a minute.
        compile_: Measure `torch.compile` even where it is not always on. A full run on
            CUDA measures it in any case.
    """
    on_cuda = device.type == "cuda"
    if quick:
        return Scope(
            device=device, sizes=(10, 20), batches=(1, 32, 128), repeats=11, compile=compile_
        )
    return Scope(device=device, compile=compile_ or on_cuda)


def measured_lessons(scope: Scope) -> Iterator[Lesson]:
    """Measures one lesson after the other, in float32: TF32 products on CUDA."""
    _set_float32(scope.device)
    for measure in LESSONS:
        yield measure(scope)


def lessons_to_json(lessons: Iterable[Lesson], scope: Scope) -> str:
    """The figures as a JSON document.

    Returns:
        `format`, `environment` (as in a run folder), and `lessons`: of each its rows with
        seconds by variant.
    """
    reason = "measured" if scope.compile else "not asked for"
    precision = _set_float32(scope.device)
    environment = describe_environment(scope.device, (scope.compile, reason), precision, VERSION)
    document = {
        "format": FORMAT,
        "environment": environment.as_dict(),
        "lessons": [lesson.as_dict() for lesson in lessons],
    }
    return json.dumps(document, indent=1) + "\n"


def _set_float32(device: torch.device) -> str:
    return set_precision(device, "tf32" if device.type == "cuda" else "fp32")
