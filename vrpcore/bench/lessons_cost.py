"""Lessons about the cost of tours: where to compute it, and what padding wastes."""

import torch

from vrpcore.bench.lesson import Lesson, Row, Scope, crossover
from vrpcore.bench.timing import Work, alternate, waited
from vrpcore.bench.tours import (
    TourBatch,
    device_cost,
    loop_cost,
    masked_matrix_cost,
    random_tours,
)
from vrpcore.cost.cost import tour_cost


def host_or_device(scope: Scope) -> Lesson:
    """Loop, numpy and device compared, over sizes and batches."""
    variants = {
        "loop": "Python loop over precomputed nested lists of distances; many exceed the caches",
        "numpy": "vrpcore.cost.tour_cost: float64, from coordinates",
        "device": f"gather, norm, sum from coordinates, float32; here {scope.device_name}",
    }
    if scope.device.type == "cuda":
        variants["device, tours back"] = (
            "the same, then the tours to the host, where they are needed"
        )
        variants["tours back, numpy"] = "the tours to the host, then numpy"
    rows = tuple(
        Row(
            setting={"num_customers": size, "batch_size": batch_size},
            seconds=alternate(_cost_work(random_tours(size, batch_size), scope), scope.repeats),
        )
        for size in scope.sizes
        for batch_size in scope.batches
    )
    return Lesson(
        name="host_or_device",
        title="Small work on an accelerator is mostly launch overhead: compare with the host",
        variants=variants,
        rows=rows,
        findings=tuple(_crossovers(rows, scope)),
    )


def _cost_work(batch: TourBatch, scope: Scope) -> dict[str, Work]:
    matrices, lists = batch.matrices().tolist(), batch.tour_lists()
    coords, starts = batch.coords, batch.tours[:, None]
    device_coords = torch.from_numpy(coords).float().to(scope.device)
    device_tours = torch.from_numpy(batch.tours).to(scope.device)

    def device_and_back() -> tuple[torch.Tensor, torch.Tensor]:
        cost = device_cost(device_coords, device_tours)
        return cost.cpu(), device_tours.cpu()

    work: dict[str, Work] = {
        "loop": lambda: loop_cost(matrices, lists),
        "numpy": lambda: tour_cost(coords, starts),
        "device": lambda: device_cost(device_coords, device_tours),
    }
    if scope.device.type == "cuda":
        work["device, tours back"] = device_and_back
        work["tours back, numpy"] = lambda: tour_cost(coords, device_tours.cpu().numpy()[:, None])
    return waited(work, scope.device)


def _crossovers(rows: tuple[Row, ...], scope: Scope) -> list[str]:
    pairs = [("numpy", "loop"), ("device", "loop"), ("device", "numpy")]
    if scope.device.type == "cuda":
        pairs.append(("device, tours back", "tours back, numpy"))
    findings = []
    for size in scope.sizes:
        own = [row for row in rows if row.setting["num_customers"] == size]
        parts = [_won(crossover(own, *pair), pair, scope) for pair in pairs]
        findings.append(f"N = {size}: {'; '.join(parts)}")
    return findings


def _won(first: int | None, pair: tuple[str, str], scope: Scope) -> str:
    winner, loser = (f"[{name}]" if "," in name else name for name in pair)
    if first is None:
        return f"{winner} never beats {loser} up to batch {scope.batches[-1]}"
    if first == scope.batches[0]:
        return f"{winner} beats {loser} at every batch"
    return f"{winner} beats {loser} from batch {first} on"


def padding(scope: Scope) -> Lesson:
    """The same tours padded to 2M and cut to what they use."""
    rows = []
    for size in scope.sizes:
        for batch_size in (count for count in scope.batches if count in (32, 128)):
            batch = random_tours(size, batch_size)
            rows.append(
                Row(
                    setting={
                        "num_customers": size,
                        "batch_size": batch_size,
                        "used_length": batch.tours.shape[1],
                        "padded_length": 2 * (size + 1),
                    },
                    seconds=alternate(_padding_work(batch, scope), scope.repeats),
                )
            )
    last = rows[-1]
    return Lesson(
        name="padding",
        title="Vectorise without padding waste: cut tours to the length they use",
        variants={
            "loop": "Python loop over precomputed matrices, each tour at its own length",
            "masked 2M": "numpy: legs gathered from matrices at 2M, padding masked",
            "numpy 2M": "vrpcore.cost.tour_cost on tours padded to 2M",
            "numpy used": "the same, cut to the longest tour",
            "device 2M": f"gather, norm, sum at 2M; {scope.device_name}",
            "device used": "the same, cut to the longest tour",
        },
        rows=tuple(rows),
        findings=(
            _slower(rows[0], "masked 2M", "loop"),
            _slower(rows[0], "numpy 2M", "numpy used"),
            _slower(last, "numpy 2M", "numpy used"),
            _slower(last, "device 2M", "device used"),
        ),
    )


def _slower(row: Row, slow: str, fast: str) -> str:
    place = f"N = {row.setting['num_customers']}, batch {row.setting['batch_size']}"
    return f"{place}: {slow} takes {row.times(slow, fast)} as {fast}"


def _padding_work(batch: TourBatch, scope: Scope) -> dict[str, Work]:
    matrices = batch.matrices()
    nested, lists = matrices.tolist(), batch.tour_lists()
    used, padded = batch.tours, batch.padded_tours()
    coords = torch.from_numpy(batch.coords).float().to(scope.device)
    device_used = torch.from_numpy(used).to(scope.device)
    device_padded = torch.from_numpy(padded).to(scope.device)
    work: dict[str, Work] = {
        "loop": lambda: loop_cost(nested, lists),
        "masked 2M": lambda: masked_matrix_cost(matrices, padded),
        "numpy 2M": lambda: tour_cost(batch.coords, padded[:, None]),
        "numpy used": lambda: tour_cost(batch.coords, used[:, None]),
        "device 2M": lambda: device_cost(coords, device_padded),
        "device used": lambda: device_cost(coords, device_used),
    }
    return waited(work, scope.device)
