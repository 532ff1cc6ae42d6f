"""The whole solve as one ONNX file: standard operators, opset 20, a Loop inside."""

import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vrpcore.arrays.batch import Batch
from vrpcore.errors import ExportError, MissingExtraError
from vrpcore.export.manifest import Source
from vrpcore.export.torchscript import script_rollout
from vrpcore.formats.files import write_bytes
from vrpcore.solve.backend import INPUT_NAMES, NO_DIGEST, VARIANTS_FORMAT, content_digest

OPSET = 20


def export_onnx(source: Source, path: Path) -> None:
    """Writes the file; `write_proved` in `parity` is the careful way.

    The scripted rollout is converted, so ONNX and TorchScript come from one program
    and its loop, its branch for sampling and its early end are kept.

    Raises:
        MissingExtraError: The extra `export` is not installed.
        ExportError: The conversion failed, or left the standard operators.
        OutputError: The file cannot be written.
    """
    try:
        import onnx
    except ImportError:
        raise MissingExtraError("export", "vrp export --onnx") from None
    from vrpcore.export.invariants import hoist_invariants

    model = onnx.load_model_from_string(_convert(source))
    hoist_invariants(model)
    domains = {opset.domain for opset in model.opset_import}
    if domains - {"", "ai.onnx"}:
        raise ExportError(f"the conversion used operators outside the standard: {domains}")
    onnx.helper.set_model_props(model, source.metadata)
    model.producer_name, model.producer_version = "vrp", source.metadata["version"]
    write_model(model, path)


def write_model(model: Any, path: Path) -> None:
    """Checks an `onnx.ModelProto` and writes it with its digest, whatever it stated before.

    Raises:
        OutputError: The file cannot be written.
    """
    import onnx

    onnx.checker.check_model(model, full_check=True)
    metadata = {item.key: item.value for item in model.metadata_props}
    onnx.helper.set_model_props(model, metadata | {"digest": NO_DIGEST})
    content = model.SerializeToString()
    digest = content_digest(content, NO_DIGEST)
    write_bytes(path, content.replace(NO_DIGEST.encode(), digest.encode(), 1))


def example_inputs(
    model_format: str, batch_size: int = 3, num_nodes: int = 9, num_starts: int = 4
) -> dict[str, Tensor]:
    """Small valid inputs by name, in the order of the signature, with one padded row.

    Args:
        model_format: What the model knows: one of `INPUT_NAMES`.
        batch_size: B.
        num_nodes: M.
        num_starts: S.
    """
    generator = torch.Generator().manual_seed(0)
    demand = torch.randint(1, 10, (batch_size, num_nodes), generator=generator).float()
    valid = torch.ones(batch_size, num_nodes, dtype=torch.bool)
    valid[0, -1] = False
    demand[:, 0] = 0.0
    demand[0, -1] = 0.0
    batch = Batch(
        coords_unit=torch.rand(batch_size, num_nodes, 2, generator=generator).numpy(),
        demand=demand.numpy(),
        capacity=np.full(batch_size, 20.0, np.float32),
        valid=valid.numpy(),
    )
    arrays = batch.full() if model_format == VARIANTS_FORMAT else batch.columns
    choices = (
        torch.arange(1, num_starts + 1).repeat(batch_size, 1),
        torch.tensor(0.0),
        torch.arange(batch_size),
    )
    values = [*(torch.from_numpy(array.copy()) for array in arrays), *choices]
    return dict(zip(INPUT_NAMES[model_format], values, strict=True))


def _dynamic_axes(inputs: Mapping[str, Tensor]) -> dict[str, dict[int, str]]:
    """Names of the axes that differ from call to call: instances, nodes, starts."""
    axes = {
        name: dict(enumerate(("B", "S" if name == "starts" else "M")[: value.ndim]))
        for name, value in inputs.items()
        if value.ndim
    }
    return axes | {"tour": {0: "B", 1: "S", 2: "T"}}


def _convert(source: Source) -> bytes:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # This way of converting is deprecated, but it is the one that starts from the
        # scripted program; see docs/log.md.
        warnings.simplefilter("ignore")
        # Frozen: the converter loses parameters of a list of layers otherwise.
        scripted = torch.jit.freeze(script_rollout(source.policy))
        path = Path(folder) / "policy.onnx"
        inputs = example_inputs(source.metadata["format"])
        try:
            torch.onnx.export(
                scripted,
                tuple(inputs.values()),
                path,
                input_names=list(inputs),
                output_names=["tour"],
                opset_version=OPSET,
                dynamic_axes=_dynamic_axes(inputs),
                dynamo=False,
            )
        except RuntimeError as error:
            raise ExportError(f"conversion to ONNX failed: {str(error).splitlines()[0]}") from error
        return path.read_bytes()
