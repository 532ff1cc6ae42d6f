"""Answers of every family, format and model for fixed seeds, to compare before and after a change.

python -m tests.bench.goldens FOLDER [--only PREFIX] [--against FOLDER]

Runs the command line as users do and writes what it answers into FOLDER, one file each, without
times and versions. With --against, files that differ from those of an earlier run are listed, and
the exit code is 1. The search computes with whole numbers, so its answers are the same on every
machine; what a policy decides and training learns differs with the processor's vectors, so both
runs need the same kind. Public sets need VRP_TEST_DATA; without it they are left out.
"""

import argparse
import filecmp
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.vrpcore.documents import detailed_document, mixed_document
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.instance.variant_generator import VARIANTS

VRP = [sys.executable, "-m", "vrpcore.cli"]
UNTIMED = {
    "seconds", "instances_per_second", "computing_times", "version", "peak_memory_mb",
}  # fmt: skip
SETS = {  # folder: convention of its numbers, files
    "cvrplib/A": ("auto", 3), "cvrplib/B": ("auto", 3), "cvrplib/P": ("auto", 3),
    "cvrplib/X": ("auto", 2), "variants/solomon": ("dimacs", 3),
    "variants/cordeau_mdvrp": ("none", 2), "variants/hvrp_classic": ("none", 2),
    "variants/li_lim_pdptw": ("none", 2), "variants/pyvrp_hfvrp": ("none", 1),
    "variants/pyvrp_mdvrptw": ("none", 1), "variants/pyvrp_pcvrptw": ("none", 1),
    "variants/pyvrp_sdvrptw": ("none", 1), "variants/pyvrp_vrpb": ("none", 1),
}  # fmt: skip
MOST_BYTES = 40_000  # of a public file; larger ones have hundreds of customers
TRAINING = {
    "quick": ["quick", "train.time_limit_s=null"],
    "prefer": ["quick", "train.time_limit_s=null", "train.objective=prefer", "train.improve=5"],
    "two-phase": ["quick", "train.time_limit_s=null", "train.rollout=two_phase"],
    "variants": ["variants", "train.time_limit_s=null", "train.objective=prefer",
                 "train.batch_size=8"],
    "imitate": ["imitate", "train.time_limit_s=null", "train.batch_size=16"],
}  # fmt: skip


def vrp(*arguments, into, stdin=None):
    """Runs a command; what it prints, and its exit code, go into a file beside its answer."""
    run = subprocess.run([*VRP, *map(str, arguments)], input=stdin, capture_output=True)
    into.parent.mkdir(parents=True, exist_ok=True)
    if run.stdout:
        into.write_bytes(without_times(run.stdout))
    into.with_name(f"{into.name}.code").write_text(f"{run.returncode}\n")
    return run


def without_times(text):
    """A document, or lines of documents, without what differs from run to run."""
    try:
        lines = [json.loads(text)]
    except ValueError:
        try:
            lines = [json.loads(line) for line in text.splitlines()]
        except ValueError:
            return text
    return "\n".join(json.dumps(bare(line), indent=1) for line in lines).encode() + b"\n"


def bare(value):
    """The same without the keys of `UNTIMED`."""
    if isinstance(value, dict):
        return {key: bare(item) for key, item in value.items() if key not in UNTIMED}
    return [bare(item) for item in value] if isinstance(value, list) else value


def plain(out, scratch):
    """Plain instances: sizes, amounts of search, decoding, models, formats."""
    for n, distribution in (("5-30", "uniform"), ("50", "uniform"), ("100", "xstyle")):
        source = plain_instances(out, scratch, n, distribution)
        for name, options in {
            "fast": [], "fewest": ["--fewest-vehicles"], "multistart": ["--improve", "none"],
            "x8": ["--improve", "none", "--augment", "8"],
            "greedy": ["--improve", "none", "--decode", "greedy"],
            "sample": ["--improve", "none", "--decode", "sample", "--samples", "8"],
            "small": ["--model", "small"], "small-none": ["--model", "small", "--improve", "none"],
            "variants": ["--model", "variants", "--improve", "none"],
        }.items():  # fmt: skip
            solve(source, out / f"plain/{n}-{name}.json", *options)
    small = scratch / "plain-5-30.json"
    solve(small, out / "plain/deep.json", "--improve", "deep")
    for kind in ("jsonl", "csv", "geojson"):
        solve(small, out / f"plain/answer.{kind}", "--format", kind)
    vrp("solve", small, "-o", scratch / "sol", "--format", "sol", into=out / "plain/sol")
    for file in sorted((scratch / "sol").glob("*.sol")):
        (out / "plain" / file.name).write_bytes(file.read_bytes())


def plain_instances(out, scratch, n, distribution="uniform"):
    """A file of six plain instances."""
    source = scratch / f"plain-{n}.json"
    vrp("generate", "--n", n, "--count", 6, "--distribution", distribution, "--seed", 7,
        "-o", source, into=out / "generate" / n)  # fmt: skip
    return source


def solve(source, into, *options):
    """Solves a file; the answer is written to `into`."""
    return vrp("solve", source, "--format", "json", *options, into=into)


def variants(out, scratch):
    """The 48 variants and the other families, searched and by the policy alone."""
    for name in [*VARIANTS, "hfvrp", "pcvrp", "pdp", "pdptw"]:
        source = variant_instances(out, scratch, name)
        (out / "generate" / f"{name}.json").write_bytes(source.read_bytes())
        solve(source, out / f"variants/{name}.json")
        solve(source, out / f"variants/{name}-none.json", "--improve", "none")
        solve(source, out / f"variants/{name}-fewest.json", "--fewest-vehicles")


def variant_instances(out, scratch, name):
    """A file of three instances of a variant."""
    source = scratch / f"{name}.json"
    vrp("generate", "--n", "12-30", "--count", 3, "--variant", name, "--seed", 5, "-o", source,
        into=out / "generate" / name)  # fmt: skip
    return source


def documents(out, scratch):
    """Random documents of all that an instance may ask for, and VROOM's."""
    made = {
        "mixed": [mixed_document(seed, 1 + seed % 25) for seed in range(120)],
        "detailed": [detailed_document(seed, 1 + seed % 15) for seed in range(120)],
        "vroom": [vroom_problem(seed, 2 + seed % 12) for seed in range(80)],
    }
    for name, items in made.items():
        source = scratch / f"{name}.jsonl"
        source.write_text("".join(json.dumps(each) + "\n" for each in items))
        solve(source, out / f"documents/{name}.json")
        solve(source, out / f"documents/{name}.csv", "--format", "csv")
        vrp("solve", source, into=out / f"documents/{name}-own.jsonl")
        answer = out / f"documents/{name}.json"
        vrp("check", source, answer, into=out / f"documents/{name}-check.txt")
        solve(source, out / f"documents/{name}-warm.json", "--warm-start", answer)


def public(out, scratch):
    """The smallest files of each public set."""
    data = os.environ.get("VRP_TEST_DATA")
    for folder, (rounding, count) in SETS.items() if data else ():
        files = sorted((path.stat().st_size, path) for path in Path(data, folder).iterdir()
                       if path.suffix in (".vrp", ".txt"))  # fmt: skip
        for size, path in files[:count]:
            if size <= MOST_BYTES:
                solve(path, out / "public" / folder / f"{path.stem}.json", "--round", rounding)
    bad = sorted(Path(data, "bad").rglob("*.*")) if data else ()
    for path in bad:
        if path.suffix in (".json", ".vrp") and path.name != "index.json":
            run = solve(path, out / "bad" / f"{path.name}.json")
            said = run.stderr.decode().replace(data, "").splitlines(keepends=True)
            kept = "".join(line for line in said if not line.startswith("time "))
            (out / "bad" / f"{path.name}.txt").write_text(kept)


def sheets(out, scratch):
    """Spreadsheets: the example of `vrp generate --template csv`."""
    vrp("generate", "--template", "csv", "-o", scratch / "sheet", into=out / "generate/sheet")
    stops, fleet = scratch / "sheet/stops.csv", scratch / "sheet/vans.csv"
    solve(stops, out / "sheets/answer.json", "--fleet", fleet)
    solve(stops, out / "sheets/answer.csv", "--fleet", fleet, "--format", "csv")


def exports(out, scratch):
    """Tours of exported models."""
    easy = plain_instances(out, scratch, "5-30")
    hard = [variant_instances(out, scratch, name) for name in ("vrptw", "mdovrpbl")]
    for model in ("base", "variants", "small"):
        for kind in ("onnx", "torchscript"):
            file = scratch / f"{model}.{kind}"
            vrp("export", model, f"--{kind}", "-o", file, into=out / f"export/{model}-{kind}")
            for source in (easy, *(hard if model == "variants" else ())):
                into = out / f"export/{model}-{kind}-{source.name}"
                solve(source, into, "--improve", "none", "--model", file)
                if into.exists():  # without the file's name and hash
                    document = json.loads(into.read_bytes())
                    document.pop("model", None)
                    into.write_text(json.dumps(document, indent=1))


def training(out, scratch):
    """Twenty steps of each kind: losses, costs and the weights' hash."""
    data = os.environ.get("VRP_TEST_DATA")
    labels = Path(data or "", "labels/u20.npz")
    for name, (config, *settings) in TRAINING.items():
        if config == "imitate" and not data:
            continue
        run = scratch / f"run-{name}"
        options = [part for each in (*settings, "train.steps=20", "train.log_every=5",
                                     "train.validate_every=20", "train.validation_size=16")
                   for part in ("--set", each)]  # fmt: skip
        done = vrp("train", "--config", config, *options, "--out", run,
                   *(("--data", labels) if config == "imitate" else ()),
                   into=out / f"training/{name}")  # fmt: skip
        metrics = run / "metrics.jsonl"
        if not metrics.exists():
            (out / f"training/{name}.txt").write_bytes(done.stderr)
            continue
        rows = [json.loads(line) for line in metrics.read_text().splitlines()]
        digest = weights(run / "last.pt")
        (out / f"training/{name}.json").write_text(json.dumps([digest, *bare(rows)], indent=1))


def weights(path):
    """Hash of a checkpoint's weights, whatever their names."""
    import torch

    checkpoint = torch.load(path, weights_only=True)
    digest = hashlib.sha256()
    for value in checkpoint["policy"].values():
        digest.update(np.ascontiguousarray(value.numpy()).tobytes())
    return digest.hexdigest()


PARTS = (plain, variants, documents, public, sheets, exports, training)


def files_of(folder):
    """The files in a folder and below it."""
    return [path for path in folder.rglob("*") if path.is_file()]


def differences(before, after):
    """Files of two runs that differ or exist in one of them only."""
    files = {path.relative_to(root) for root in (before, after) for path in files_of(root)}
    for file in sorted(files):
        pair = before / file, after / file
        if not all(path.exists() for path in pair):
            yield f"{file}: only in {pair[0 if pair[0].exists() else 1].parent}"
        elif not filecmp.cmp(*pair, shallow=False):
            yield f"{file}: differs"


def main():
    """Runs the parts, and compares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="parts whose name begins so")
    parser.add_argument("--against", type=Path, help="folder of an earlier run")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for part in PARTS:
            if part.__name__.startswith(args.only):
                print(part.__name__, file=sys.stderr)
                part(args.folder, Path(scratch))
    found = list(differences(args.against, args.folder)) if args.against else []
    print("\n".join(found) or f"{len(files_of(args.folder))} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
