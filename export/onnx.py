"""The whole solve as one ONNX file: standard operators, opset 20, a Loop inside."""

import tempfile
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from vrpcore.errors import ExportError, MissingExtraError
from vrpcore.export.manifest import ModelSource, Stage
from vrpcore.export.signature import example_inputs, free_axes
from vrpcore.export.torchscript import script_rollout
from vrpcore.export.traced import trace_rollout
from vrpcore.formats.files import write_bytes
from vrpcore.learn.policy.policy import is_ours
from vrpcore.solve.backend import NO_DIGEST, content_digest

OPSET = 20


def export_onnx(source: ModelSource, path: Path, stage: Stage = nullcontext) -> None:
    """Writes the file; `write_proved` in `parity` is the careful way.

    The scripted rollout is converted, so ONNX and TorchScript come from one program
    and its loop, its branch for sampling and its early end are kept. With the user's own code,
    the steps in the loop are traced.

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

    with stage("converting to ONNX"):
        model = onnx.load_model_from_string(_convert(source))
        hoist_invariants(model)
    domains = {opset.domain for opset in model.opset_import}
    if domains - {"", "ai.onnx"}:
        raise ExportError(f"the conversion used operators outside the standard: {domains}")
    onnx.helper.set_model_props(model, source.metadata)
    model.producer_name, model.producer_version = "vrp", source.metadata["version"]
    with stage("writing"):
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


def _convert(source: ModelSource) -> bytes:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # This way of converting is deprecated, but it is the one that starts from the
        # scripted program; see docs/decisions.md.
        warnings.simplefilter("ignore")
        # Frozen: the converter loses parameters of a list of layers otherwise.
        build = script_rollout if is_ours(source.policy) else trace_rollout
        scripted = torch.jit.freeze(build(source.policy))
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
                dynamic_axes=free_axes(inputs) | {"tour": {0: "B", 1: "S", 2: "T"}},
                dynamo=False,
            )
        except RuntimeError as error:
            raise ExportError(f"conversion to ONNX failed: {str(error).splitlines()[0]}") from error
        return path.read_bytes()
