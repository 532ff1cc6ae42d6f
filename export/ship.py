"""Puts a trained policy into the package: weights, ONNX and the facts of its card.

    python -m vrpcore.export.ship runs/finetune/best.pt base vrpcore/models

The words of the card, `<name>.md`, are written by hand.
"""

import json
import sys
from pathlib import Path

from vrpcore.export.manifest import read_source
from vrpcore.export.onnx import export_onnx
from vrpcore.export.parity import Parity, write_proved
from vrpcore.learn.policy.checkpoint import load_checkpoint, save_checkpoint, without_training


def ship(checkpoint: Path, name: str, folder: Path) -> Parity:
    """Writes `<name>.pt` (without training state), `<name>.onnx` and `<name>.json`.

    Args:
        checkpoint: From a run folder.
        name: What `--model` will take.
        folder: The package's `vrpcore/models`.

    Raises:
        ModelError: The checkpoint is none.
        ExportError: The ONNX file does not reproduce the policy.
        OutputError: A file cannot be read or written.
    """
    content = load_checkpoint(checkpoint)
    weights, onnx = folder / f"{name}.pt", folder / f"{name}.onnx"
    save_checkpoint(weights, without_training(content) | {"name": name})
    source = read_source(weights)
    parity = write_proved(export_onnx, source, onnx)
    facts = {key: source.metadata[key] for key in ("name", "sha256", "format")}
    facts["train_sizes"] = content["train_sizes"]
    card = folder / f"{name}.json"
    card.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return parity


if __name__ == "__main__":
    sys.stdout.write(f"{ship(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))}\n")
