"""Every runtime of an exported policy beside eager PyTorch: the same tours, and milliseconds.

python -m tests.bench.runtimes [--models base variants] [--count 32] [--rounds 7]
    [-o docs/results/records/runtimes.json]

The policy constructs greedily from up to 50 first customers, without costs and ranking, in batches
that fit a core's cache. The runtimes take turns, one thread each; medians of CPU milliseconds an
instance.
"""

import statistics
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import torch

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.bench.timing import in_turn, timed
from vrpcore.export.manifest import read_source
from vrpcore.export.onnx import export_onnx
from vrpcore.export.parity import open_to_solve
from vrpcore.export.program import export_program, open_program
from vrpcore.export.torchscript import export_torchscript
from vrpcore.learn.bench.self_cases import plain_case, variants_case
from vrpcore.solve.models import checkpoint_path

# Instances of a batch by their size: few enough rollouts for the cache.
SIZES = {20: 32, 50: 8, 100: 4}
EAGER = "PyTorch, eager"
FILES = {
    "ONNX Runtime (`--onnx`)": (export_onnx, "onnx", open_to_solve),
    "torch.export (`--pt2`)": (export_program, "pt2", open_program),
    "TorchScript (`--torchscript`)": (export_torchscript, "ts", open_to_solve),
}
COLUMNS = (
    Column(""),
    Column("tours as eager ones", "{:.2%} of {}"),
    *(Column(f"N={size}", "{:.2f} ms") for size in SIZES),
)


def opened(model, folder):
    """The policy in every form, by name."""
    source = read_source(checkpoint_path(model))
    forms = {EAGER: open_to_solve(checkpoint_path(model))}
    for name, (write, ending, open_file) in FILES.items():
        path = Path(folder, f"{model}.{ending}")
        write(source, path)
        forms[name] = open_file(path)
    return forms, source.metadata["sha256"][:12]


def constructed(form, batches):
    """Greedy tours of all batches."""
    return [
        form.construct(batch, starts, 0.0, np.zeros(len(starts), np.int64))
        for batch, starts in batches
    ]


def batches_of(case, rows):
    """Its instances in batches of so many, with their starts."""
    count = len(case.starts)
    pieces = (slice(first, first + rows) for first in range(0, count, rows))
    return [(case.batch.take(piece), case.starts[piece]) for piece in pieces]


def measured(forms, make_case, count, rounds):
    """Of each form: how many tours equal the eager ones, of how many; milliseconds by size."""
    equal, total = dict.fromkeys(forms, 0), 0
    spent = {name: [] for name in forms}
    for size, rows in SIZES.items():
        batches = batches_of(make_case(size, count), rows)
        tours = {name: constructed(form, batches) for name, form in forms.items()}
        total += sum(each.shape[0] * each.shape[1] for each in tours[EAGER])
        for name, found in tours.items():
            pairs = zip(found, tours[EAGER], strict=True)
            equal[name] += sum(int((one == other).all(2).sum()) for one, other in pairs)
        calls = {
            name: partial(timed, partial(constructed, form, batches[:1]))
            for name, form in forms.items()
        }
        for name, found in in_turn(calls, rounds).items():
            seconds = statistics.median(each.cpu_s for each in found)
            spent[name].append(1e3 * seconds / len(batches[0][1]))
    return {name: ((equal[name] / total, total), spent[name]) for name in forms}


def main():
    """Prints the table; writes the record where a file is named."""
    args = arguments(__doc__, models=["base", "variants"], count=32, rounds=7, output=OUTPUT)
    torch.set_num_threads(1)
    rows, digests = [], []
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            forms, digest = opened(model, folder)
        make_case = variants_case if model == "variants" else plain_case
        digests.append(f"{model} {digest}")
        for name, (share, spent) in measured(forms, make_case, args.count, args.rounds).items():
            rows.append([f"`{model}`, {name}", share, *spent])
    command = f"python -m tests.bench.runtimes --models {' '.join(args.models)}"
    command += f" --count {args.count} --rounds {args.rounds}"
    notes = ["Greedy from up to 50 first customers, one thread; CPU milliseconds per instance."]
    record = PageRecord(
        **origin(command), model=", ".join(digests), columns=COLUMNS, rows=rows, notes=notes
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
