"""The likelihood of given tours and its gradient: in one launch each, and by PyTorch, on CUDA.

python -m tests.bench.fused_likelihood [--cases 20:512 50:512 100:512] [--policies plain variants]
                                       [--products bf16 tf32] [-o RECORD]

Cases are N:INSTANCES, from all first customers (at most 50 of variants), nodes padded to a multiple
of 8 as in training; without the encoder. Milliseconds are medians of five; gigabytes are the most
that was held beyond what is given.
"""

import statistics
import time
from functools import partial

import torch

from benchmarks.records import Column
from tests.bench.arguments import OUTPUT, arguments
from tests.bench.one_launch import CUDA, KINDS, report
from vrpcore.learn.bench.self_cases import shipped_policy
from vrpcore.learn.decode import persistent
from vrpcore.learn.decode.fused_likelihood import fused_log_likelihood
from vrpcore.learn.decode.likelihood import log_likelihood
from vrpcore.learn.env.inputs import to_device
from vrpcore.learn.train.fused_pass import FUSED_NUMBERS
from vrpcore.learn.train.loss import Even, backward, chunk_rows, logs_by

COLUMNS = (
    Column("policy"), Column("N"), Column("instances by starts"), Column("products"),
    Column("PyTorch, ms", "{:.1f}"), Column("one launch each, ms", "{:.1f}"),
    Column("ratio", "{:.1f}"), Column("PyTorch, GB", "{:.1f}"), Column("launches, GB", "{:.1f}"),
    Column("cosine of gradients", "{:.5f}"),
)  # fmt: skip


def measured(work):
    """Milliseconds, and gigabytes beyond what was there."""
    work()
    milliseconds = []
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    for _ in range(5):
        torch.cuda.synchronize()
        started = time.perf_counter()
        work()
        torch.cuda.synchronize()
        milliseconds.append(1e3 * (time.perf_counter() - started))
    return statistics.median(milliseconds), (torch.cuda.max_memory_allocated() - before) / 1e9


def row(kind, size, count, precision):
    """A row of the table."""
    case = KINDS[kind](size, count)
    policy = shipped_policy(case.model, CUDA)
    nodes = case.batch.valid.shape[1]
    inputs = to_device(case.batch.padded(nodes + -nodes % 8), CUDA)
    starts = torch.from_numpy(case.starts).to(CUDA)
    seed = torch.arange(count, device=CUDA)
    with torch.autocast("cuda", torch.bfloat16, precision == "bf16"):
        with torch.no_grad():
            cache = policy.encode(inputs)
            tours = persistent.construct(policy, cache, inputs, starts, seed, 1.0)
        longest = int((tours != 0).any(0).any(0).nonzero().max()) + 1
        tours = tours[:, :, : longest + -longest % 4].long()
        parts = [part.detach().requires_grad_(part.is_floating_point()) for part in cache]
        cache = type(cache)(*parts)

        def learn(likelihood, numbers_each):
            policy.zero_grad()
            for part in cache:
                part.grad = None
            chunk = chunk_rows(numbers_each, tours, cache.distance.shape[1])
            logs = logs_by(likelihood, policy, inputs, tours.__getitem__)
            backward(policy, cache, chunk, logs, Even(1.0))
            own = [part.grad for part in cache if part.grad is not None]
            return torch.cat([each.flatten().float() for each in (*own, policy.decoder.room.grad)])

        ways = (
            partial(learn, log_likelihood, policy.decoder.num_heads),
            partial(learn, fused_log_likelihood, FUSED_NUMBERS),
        )
        slow, fast = (measured(way) for way in ways)
        cosine = torch.nn.functional.cosine_similarity(*(way() for way in ways), dim=0)
    shape = f"{count} x {starts.shape[1]}"
    ratio = {"bold": slow[0] / fast[0]}
    return [kind, size, shape, precision, slow[0], fast[0], ratio, slow[1], fast[1], float(cosine)]


def main():
    """Measures and prints each case."""
    given = arguments(
        __doc__,
        cases=["20:512", "50:512", "100:512"],
        policies=list(KINDS),
        products=["bf16", "tf32"],
        output=OUTPUT,
    )
    torch.set_float32_matmul_precision("high")
    rows = []
    for each in given.cases:
        size, count = map(int, each.split(":"))
        for kind in given.policies:
            for precision in given.products:
                rows.append(row(kind, size, count, precision))
                print(rows[-1], flush=True)
    report("python -m tests.bench.fused_likelihood", COLUMNS, rows, given.output)


if __name__ == "__main__":
    main()
