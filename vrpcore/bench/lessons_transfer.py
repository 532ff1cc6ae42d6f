"""Lessons about moving data and making tensors."""

import torch
from torch import Tensor

from vrpcore.bench.lesson import Lesson, Row, Scope
from vrpcore.bench.timing import Work, alternate, waited
from vrpcore.bench.tours import TourBatch, device_cost, random_tours


def matrices_or_coordinates(scope: Scope) -> Lesson:
    """Distance matrices moved to the device and back, against coordinates only."""
    on_cuda = scope.device.type == "cuda"
    variants = {
        "one by one": "the matrices to the device, one transfer per instance",
        "matrices": "the matrices to the device, float32, one transfer",
        "matrices back": "the matrices back to the host",
        "coords": "the coordinates to the device, float32, one transfer",
    }
    if on_cuda:
        variants["coords pinned"] = "the same from pinned memory, without waiting in between"
    rows = []
    for size in scope.sizes:
        for batch_size in (count for count in scope.batches if count >= 32):
            batch = random_tours(size, batch_size)
            num_nodes = size + 1
            rows.append(
                Row(
                    setting={"num_customers": size, "batch_size": batch_size},
                    seconds=alternate(_transfers(batch, scope), scope.few_repeats),
                    num_bytes={
                        "matrices": 4 * batch_size * num_nodes**2,
                        "coords": 4 * batch_size * num_nodes * 2,
                    },
                )
            )
    last = rows[-1]
    place = f"N = {last.setting['num_customers']}, batch {last.setting['batch_size']}"
    more = last.num_bytes["matrices"] / last.num_bytes["coords"]
    findings = [
        f"{place}: matrices are {more:.1f} times the bytes and take "
        f"{last.times('matrices', 'coords')} as coordinates"
    ]
    if not on_cuda:
        findings.append(
            "no bus here: device memory is host memory, so a copy into new memory replaces "
            "each transfer"
        )
    return Lesson(
        name="matrices_or_coordinates",
        title="Only costs need distance matrices: they stay on the host, coordinates are sent",
        variants=variants,
        rows=tuple(rows),
        findings=tuple(findings),
    )


def _transfers(batch: TourBatch, scope: Scope) -> dict[str, Work]:
    device = scope.device
    matrices = torch.from_numpy(batch.matrices()).float()
    coords = torch.from_numpy(batch.coords).float()
    singles = list(matrices.unbind(0))
    there = _moved(matrices, device)
    work: dict[str, Work] = {
        "one by one": lambda: [_moved(single, device) for single in singles],
        "matrices": lambda: _moved(matrices, device),
        "matrices back": lambda: _moved(there, torch.device("cpu")),
        "coords": lambda: _moved(coords, device),
    }
    if device.type == "cuda":
        pinned = coords.pin_memory()
        work["coords pinned"] = lambda: pinned.to(device, non_blocking=True)
    return waited(work, device)


def _moved(tensor: Tensor, device: torch.device) -> Tensor:
    """A copy on the device in memory of its own, also where it is there already."""
    return tensor.to(device, copy=True)


def tensors_in_a_loop(scope: Scope) -> Lesson:
    """Tensors made in the hot path and asked for numbers there, or made once."""
    rows = tuple(
        Row(
            setting={"num_customers": size, "batch_size": batch_size},
            seconds=alternate(_makings(random_tours(size, batch_size), scope), scope.few_repeats),
        )
        for size in scope.sizes[:3]
        for batch_size in (count for count in scope.batches if count in (32, 128))
    )
    findings = []
    for row in (rows[0], rows[-1]):
        place = f"N = {row.setting['num_customers']}, batch {row.setting['batch_size']}"
        findings.append(
            f"{place}: compared with one tensor per batch, a tensor and .item() per leg takes "
            f"{row.times('each leg', 'once')}, per step {row.times('each step', 'once')}"
        )
    return Lesson(
        name="tensors_in_a_loop",
        title="Create tensors once, on their device; no .item() in a hot path",
        variants={
            "each leg": "torch.tensor and .item() for each instance at each step",
            "each step": "one tensor and one .item() at each step, for the whole batch",
            "once": "one tensor to the device and one back for the whole batch",
        },
        rows=rows,
        findings=tuple(findings),
    )


def _makings(batch: TourBatch, scope: Scope) -> dict[str, Work]:
    device = scope.device
    coords = torch.from_numpy(batch.coords).float().to(device)
    lists = batch.tours.tolist()
    steps = batch.tours.T.tolist()
    work: dict[str, Work] = {
        "each leg": lambda: leg_by_leg(coords, lists),
        "each step": lambda: step_by_step(coords, steps),
        "once": lambda: device_cost(coords, torch.from_numpy(batch.tours).to(device)).cpu(),
    }
    return waited(work, device)


def leg_by_leg(coords: Tensor, tours: list[list[int]]) -> list[float]:
    """A tensor and a number fetched from the device for each leg of each instance.

    Args:
        coords: [B, M, 2] float32.
        tours: B lists of T nodes.

    Returns:
        The B lengths.
    """
    costs = []
    for points, tour in zip(coords, tours, strict=True):
        last, total = points[0], 0.0
        for node in (*tour, 0):
            here = points[torch.tensor(node, device=coords.device)]
            total += torch.linalg.vector_norm(here - last).item()
            last = here
        costs.append(total)
    return costs


def step_by_step(coords: Tensor, steps: list[list[int]]) -> float:
    """A tensor and a number fetched from the device for each step of the whole batch.

    Args:
        coords: [B, M, 2] float32.
        steps: T lists of B nodes.

    Returns:
        The sum of the B lengths.
    """
    row = torch.arange(len(coords), device=coords.device)
    last, total = coords[:, 0], 0.0
    for nodes in (*steps, [0] * len(coords)):
        here = coords[row, torch.tensor(nodes, device=coords.device)]
        total += torch.linalg.vector_norm(here - last, dim=1).sum().item()
        last = here
    return total
