"""Make a model repository for NVIDIA's Triton server from an exported policy.

    vrp export --onnx -o base.onnx
    python docs/serving/triton_repository.py base.onnx repository

Triton puts requests of one size into one batch. Temperature and seeds have no place in it, so they
become constants: the model is the greedy multi-start. Its output `tour` [B, S, T] has the nodes in
the order of their visit; the caller computes costs and keeps the cheapest of the S tours.
"""

import argparse
import json
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from vrpcore.export.onnx import write_model

FIXED = ("temperature", "seed")
DIMS = {3: "[ -1, 2 ]", 2: "[ -1 ]", 1: "[ 1 ] reshape: { shape: [ ] }"}  # but for the batch
CONFIG = """\
name: {name}
backend: "onnxruntime"
max_batch_size: 256
input [
{inputs}
]
output [ {{ name: "tour" data_type: TYPE_INT64 dims: [ -1, -1 ] }} ]
dynamic_batching {{ max_queue_delay_microseconds: 2000 }}
instance_group [ {{ kind: KIND_AUTO count: 1 }} ]
{parameters}
"""


def make_greedy(model: onnx.ModelProto) -> None:
    """Make constants of the inputs that have no place in a batch."""
    graph = model.graph
    kept = [value for value in graph.input if value.name not in FIXED]
    del graph.input[:]
    graph.input.extend(kept)
    graph.initializer.append(helper.make_tensor("temperature", TensorProto.FLOAT, [], [0.0]))
    zeros = helper.make_tensor("zeros", TensorProto.INT64, [1], [0])
    nodes = [
        helper.make_node("Shape", ["capacity"], ["seed_shape"]),
        helper.make_node("ConstantOfShape", ["seed_shape"], ["seed"], value=zeros),
        *graph.node,
    ]
    del graph.node[:]
    graph.node.extend(nodes)


def described(value: onnx.ValueInfoProto) -> str:
    """An input in the configuration."""
    kind = TensorProto.DataType.Name(value.type.tensor_type.elem_type)
    kind = {"FLOAT": "FP32"}.get(kind, kind)
    dims = DIMS[len(value.type.tensor_type.shape.dim)]
    return f'  {{ name: "{value.name}" data_type: TYPE_{kind} dims: {dims} }}'


def write_repository(file: Path, folder: Path) -> Path:
    """Write `config.pbtxt` and `1/model.onnx` into the model's folder, which is returned."""
    model = onnx.load_model(str(file))
    make_greedy(model)
    made = folder / file.stem
    (made / "1").mkdir(parents=True, exist_ok=True)
    write_model(model, made / "1" / "model.onnx")
    parameters = [
        f"parameters: {{ key: {json.dumps(each.key)} "
        f"value: {{ string_value: {json.dumps(each.value)} }} }}"
        for each in model.metadata_props
    ]
    config = CONFIG.format(
        name=json.dumps(file.stem),
        inputs=",\n".join(map(described, model.graph.input)),
        parameters="\n".join(parameters),
    )
    (made / "config.pbtxt").write_text(config, encoding="utf-8")
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="of vrp export --onnx")
    parser.add_argument("folder", type=Path, help="the repository")
    given = parser.parse_args()
    write_repository(given.file, given.folder)
