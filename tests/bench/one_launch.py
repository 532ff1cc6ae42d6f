"""Whole tours in one launch beside steps that are compiled and recorded, on CUDA.

python -m tests.bench.one_launch [--cases 20:2048 50:1024 100:1024] [-o RECORD]

Cases are N:INSTANCES, plain and variants, greedy and sampled from all first customers (at most
50 of variants), products in bfloat16 and TF32. Without the encoder; medians of five.
"""

import statistics
import time

import torch

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.vrpcore.learn.decode.persistent_cases import tours_alike
from vrpcore.learn.bench.self_cases import plain_case, shipped_policy, variants_case
from vrpcore.learn.decode import persistent
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.env.inputs import to_device

CUDA = torch.device("cuda")
KINDS = {"plain": plain_case, "variants": variants_case}
RATE = "{:,.0f}"
COLUMNS = (
    Column("policy"), Column("N"), Column("instances"), Column("products"),
    Column("steps", RATE), Column("compiled steps", RATE), Column("one launch", RATE),
    Column("ratio", "{:.1f}"), Column("one launch, sampled", RATE), Column("the same", "{:.4f}"),
)  # fmt: skip


def rate(work, count):
    """Instances a second."""
    for _ in range(3):  # a shape is recorded when it is met for the second time
        work()
    seconds = []
    for _ in range(5):
        torch.cuda.synchronize()
        started = time.perf_counter()
        work()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - started)
    return count / statistics.median(seconds)


def row(kind, size, count, precision):
    case = KINDS[kind](size, count)
    policy = shipped_policy(case.model, CUDA)
    inputs, starts = to_device(case.batch, CUDA), torch.from_numpy(case.starts).to(CUDA)
    seed = torch.arange(count, device=CUDA)
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, precision == "bf16"):
        cache = policy.encode(inputs)
        rates = [
            rate(lambda steps=steps: steps.by_steps(cache, inputs, starts, seed, 0.0), count)
            for steps in (
                FixedShapeRollout(policy, graphed=True),
                FixedShapeRollout(policy, graphed=True, compiled=True, one_size=True),
            )
        ]
        launched = [
            rate(
                lambda heat=heat: persistent.construct(policy, cache, inputs, starts, seed, heat),
                count,
            )
            for heat in (0.0, 1.0)
        ]
        tours = persistent.construct(policy, cache, inputs, starts, seed, 0.0)
        expected = FixedShapeRollout(policy).by_steps(cache, inputs, starts, seed, 0.0)
    same = tours_alike(tours, expected)
    ratio = launched[0] / max(rates)
    return [kind, size, count, precision, *rates, launched[0], ratio, launched[1], same]


def report(command, columns, rows, output):
    """Shows what was measured with the shipped models on this card."""
    here = origin(command) | {"machine": torch.cuda.get_device_name()}
    show(PageRecord(**here, model="base, variants", columns=columns, rows=rows), output)


def main():
    given = arguments(__doc__, cases=["20:2048", "50:1024", "100:1024"], output=OUTPUT)
    torch.set_float32_matmul_precision("high")
    rows = []
    for each in given.cases:
        size, count = map(int, each.split(":"))
        for kind in KINDS:
            for precision in ("bf16", "tf32"):
                rows.append(row(kind, size, count, precision))
                print(rows[-1], flush=True)
    report("python -m tests.bench.one_launch", COLUMNS, rows, given.output)


if __name__ == "__main__":
    main()
