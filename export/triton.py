"""A model repository for the Triton inference server."""

import json
from contextlib import nullcontext, suppress
from pathlib import Path

import torch
from torch import Tensor

from vrpcore.errors import MissingExtraError, OutputError
from vrpcore.export.manifest import ModelSource, Stage
from vrpcore.export.onnx import export_onnx, write_model
from vrpcore.export.parity import Parity, write_proved
from vrpcore.export.signature import example_inputs
from vrpcore.solve.backend import FORMAT, INPUT_WORDS

MAX_BATCH = 256
QUEUE_MICROSECONDS = 2000

_CONFIG = """\
# A whole greedy multi-start solve; requests of one size share a batch.
name: {name}
backend: "onnxruntime"
max_batch_size: {max_batch}
input [
{inputs}
]
output [
  {{ name: "tour" data_type: TYPE_INT64 dims: [ -1, -1 ] }}
]
dynamic_batching {{ max_queue_delay_microseconds: {delay} }}
instance_group [ {{ kind: KIND_AUTO count: 1 }} ]
{parameters}"""
_REQUEST = """\
    curl -s localhost:8000/v2/models/{name}/infer -d '{{"inputs": [
      {{"name": "coords", "shape": [1, 3, 2], "datatype": "FP32", "data": [0, 0, 1, 0, 0, 1]}},
      {{"name": "demand", "shape": [1, 3], "datatype": "FP32", "data": [0, 3, 4]}},
      {{"name": "capacity", "shape": [1, 1], "datatype": "FP32", "data": [9]}},
      {{"name": "valid", "shape": [1, 3], "datatype": "BOOL", "data": [true, true, true]}},
      {{"name": "starts", "shape": [1, 2], "datatype": "INT64", "data": [1, 2]}}]}}'

"""
# Inputs that have no place in a batch, and kinds of the others.
_FIXED = ("temperature", "seed")
_KINDS = {
    torch.float32: ("TYPE_FP32", "float32"),
    torch.bool: ("TYPE_BOOL", "bool"),
    torch.int64: ("TYPE_INT64", "int64"),
}
_PARAMETER = "parameters: {{ key: {key} value: {{ string_value: {value} }} }}\n"

_README = """\
# {name} for Triton

    docker run --rm -p 8000:8000 -v "$PWD:/models" nvcr.io/nvidia/tritonserver:<release>-py3 \\
      tritonserver --model-repository=/models

Any release with the onnxruntime backend. A request holds instances of one size, padded or
not; Triton puts requests of the same shape into one batch (`dynamic_batching`).

| input | shape | |
|---|---|---|
{table}

Output: `tour` B, S, T int64: nodes in the order of their visit; depots stand between routes and
as padding. The caller computes costs and keeps the cheapest of the S tours.

{request}Which weights these are, `parameters` in `config.pbtxt` says.
"""


def export_triton(
    source: ModelSource, folder: Path, name: str, stage: Stage = nullcontext
) -> Parity:
    """Writes `config.pbtxt`, `1/model.onnx` and `README.md` into the model's folder.

    A README that is there stays, since somebody may have edited it; nothing in it changes with the
    weights of a policy of the same format. Triton batches only what has an axis for it:
    temperature and random streams are fixed, so the model is the greedy multi-start.

    Args:
        source: What to export.
        folder: The model repository; made where it is missing.
        name: Of the model, letters, digits, `-` and `_`.
        stage: Told of each stage.

    Raises:
        MissingExtraError: The extra `export` is not installed.
        ExportError: The file does not reproduce the policy.
        OutputError: The folder cannot be written.
    """
    version = folder / name / "1"
    try:
        version.mkdir(parents=True, exist_ok=True)
        parity = _write_greedy(source, version / "model.onnx", stage)
        inputs = _requested(source)
        config = _CONFIG.format(
            name=json.dumps(name),
            inputs=",\n".join(_described(key, value) for key, value in inputs.items()),
            max_batch=MAX_BATCH,
            delay=QUEUE_MICROSECONDS,
            parameters="".join(
                _PARAMETER.format(key=json.dumps(key), value=json.dumps(value))
                for key, value in source.metadata.items()
            ),
        )
        (folder / name / "config.pbtxt").write_text(config, encoding="utf-8")
        plain = source.metadata["format"] == FORMAT
        readme = _README.format(
            name=name,
            table="\n".join(_table_row(key, value) for key, value in inputs.items()),
            request=_REQUEST.format(name=name) if plain else "",
        )
        with (
            suppress(FileExistsError),
            (folder / name / "README.md").open("x", encoding="utf-8") as file,
        ):
            file.write(readme)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error}") from None
    return parity


def _requested(source: ModelSource) -> dict[str, Tensor]:
    """Examples of the inputs that a request has, by name."""
    inputs = example_inputs(source.metadata["format"])
    return {name: value for name, value in inputs.items() if name not in _FIXED}


def _described(name: str, value: Tensor) -> str:
    """An input in the config; Triton adds the axis of the batch."""
    dims = {3: "[ -1, 2 ]", 2: "[ -1 ]", 1: "[ 1 ] reshape: { shape: [ ] }"}[value.ndim]
    return f'  {{ name: "{name}" data_type: {_KINDS[value.dtype][0]} dims: {dims} }}'


def _table_row(name: str, value: Tensor) -> str:
    shape = {3: "B, M, 2", 2: "B, S" if name == "starts" else "B, M", 1: "B, 1"}[value.ndim]
    return f"| `{name}` | {shape} {_KINDS[value.dtype][1]} | {INPUT_WORDS[name]} |"


def _write_greedy(source: ModelSource, path: Path, stage: Stage) -> Parity:
    """Writes the model next to its target, and moves it there when nothing is left to change."""
    whole = path.with_name("whole.onnx")
    try:
        parity = write_proved(export_onnx, source, whole, stage=stage)
        with stage("fixing temperature and seeds"):
            _fix_greedy(whole)
        whole.replace(path)
    finally:
        whole.unlink(missing_ok=True)
    return parity


def _fix_greedy(path: Path) -> None:
    """Makes constants of the inputs that have no place in a batch."""
    try:
        import onnx
    except ImportError:
        raise MissingExtraError("export", "vrp export --triton") from None
    model = onnx.load_model(str(path))
    graph = model.graph
    kept = [value for value in graph.input if value.name not in _FIXED]
    del graph.input[:]
    graph.input.extend(kept)
    zero = onnx.helper.make_tensor("temperature", onnx.TensorProto.FLOAT, [], [0.0])
    graph.initializer.append(zero)
    zeros = onnx.helper.make_tensor("zeros", onnx.TensorProto.INT64, [1], [0])
    nodes = [
        onnx.helper.make_node("Shape", ["capacity"], ["seed_shape"]),
        onnx.helper.make_node("ConstantOfShape", ["seed_shape"], ["seed"], value=zeros),
        *graph.node,
    ]
    del graph.node[:]
    graph.node.extend(nodes)
    write_model(model, path)
