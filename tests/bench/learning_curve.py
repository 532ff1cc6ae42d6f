"""Draws the validation gap of training runs against hours and instances.

python tests/bench/learning_curve.py runs/imitate runs/finetune -o docs/quality/learning.svg

The runs follow each other: hours and instances go on. With --beside each is a curve of its own,
the mean gap of its sets.
"""

import argparse
import json
from pathlib import Path

import matplotlib

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


def draw_after_each_other(axes, folders):
    """A curve for each set, through all runs."""
    found = validations(folders)
    for name in found[0][2]:
        gaps = [100 * gaps[name] for _, _, gaps in found]
        axes[0].plot([hours for hours, _, _ in found], gaps, marker=".", label=name)
        axes[1].plot([count / 1e6 for _, count, _ in found], gaps, marker=".", label=name)


def draw_beside(axes, folders):
    """A curve for each run."""
    for folder in folders:
        found = validations([folder])
        gaps = [100 * sum(gaps.values()) / len(gaps) for _, _, gaps in found]
        axes[0].plot([hours for hours, _, _ in found], gaps, marker=".", label=folder.name)
        axes[1].plot([count / 1e6 for _, count, _ in found], gaps, marker=".", label=folder.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--beside", action="store_true")
    args = parser.parse_args()
    matplotlib.rcParams["svg.hashsalt"] = "vrp"
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    (draw_beside if args.beside else draw_after_each_other)(axes, args.folders)
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
