"""Draws the validation gap of training runs against hours and instances.

python -m tests.bench.learning_curve runs/imitate runs/finetune -o docs/quality/learning.svg

The runs follow each other: hours and instances go on. With --beside each is a curve of its own,
the mean gap of its sets.
"""

import json
from operator import itemgetter
from pathlib import Path

import matplotlib

from tests.bench.arguments import arguments

matplotlib.use("svg")
import matplotlib.pyplot as plt


def validations(folders):
    """Hours, instances and gaps by set at each validation of runs that follow each other."""
    found, hours, instances = [], 0.0, 0
    for folder in folders:
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
        seen = 0
        for line in lines:
            seen = line.get("instances", seen)
            gaps = {
                key.partition("/")[2]: value
                for key, value in line.items()
                if key.startswith("validation_gap/")
            }
            if gaps:
                found.append((hours + line["seconds"] / 3600, instances + seen, gaps))
        hours, instances = hours + lines[-1]["seconds"] / 3600, instances + seen
    return found


def curves(folders, beside):
    """Each curve's name, its validations, and what its gap is at one of them."""
    if beside:
        for folder in folders:
            yield folder.name, validations([folder]), lambda gaps: sum(gaps.values()) / len(gaps)
    else:
        found = validations(folders)
        for name in found[0][2]:
            yield name, found, itemgetter(name)


def main():
    args = arguments(
        __doc__,
        folders=[Path],
        output={"flags": ("-o", "--output"), "type": Path, "required": True},
        beside=False,
    )
    matplotlib.rcParams["svg.hashsalt"] = "vrp"
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for name, found, gap_of in curves(args.folders, args.beside):
        gaps = [100 * gap_of(gaps) for _, _, gaps in found]
        axes[0].plot([hours for hours, _, _ in found], gaps, marker=".", label=name)
        axes[1].plot([count / 1e6 for _, count, _ in found], gaps, marker=".", label=name)
    axes[0].set(xlabel="hours", ylabel="gap, greedy from 20 customers (%)", yscale="log")
    axes[1].set(xlabel="million instances")
    axes[1].legend()
    for show in (axes[0].yaxis.set_major_formatter, axes[0].yaxis.set_minor_formatter):
        show("{x:g}")  # no powers of ten
    for axis in axes:
        axis.grid(alpha=0.3, which="both")
    figure.tight_layout()
    figure.savefig(args.output, metadata={"Date": None})


if __name__ == "__main__":
    main()
