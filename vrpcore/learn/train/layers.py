"""The encoder's layers in float32 on a CPU, compiled, with their gradient by hand.

The same as `vrpcore.learn.policy.encoder.EncoderLayer`, whose weights they read.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.encoder import EncoderLayer
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train.training_library import LAID_OUT, NUM_WEIGHTS, Step

# Rows of scores are filled up to multiples of this, with scores far below all others.
_STRIDE = 32
_FAR = -1.0e4


class Shape(NamedTuple):
    """B instances of M nodes, `stride` numbers per row of scores, D and F features."""

    batch_size: int
    num_nodes: int
    stride: int
    num_heads: int
    features: int
    wide: int


def encode(policy: Policy, inputs: Inputs, step: Step, bf16: bool) -> Cache:
    """Compute `policy.encode(inputs)`; gradients flow through.

    Args:
        policy: On the CPU.
        inputs: B instances.
        step: The compiled step.
        bf16: Multiply in bfloat16, by PyTorch.
    """
    if bf16 or policy.encoder.recompute:
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            return policy.encode(inputs)
    nodes, bias, distance = policy.enter(inputs)
    nodes = pass_layers(nodes, bias, policy.encoder.layers, step)
    return policy.decoder.cache(nodes, distance)


def pass_layers(nodes: Tensor, bias: Tensor, layers: nn.ModuleList, step: Step) -> Tensor:
    """Passes the nodes through all layers; gradients flow to nodes, bias and weights.

    Args:
        nodes: [B, M, D] float32.
        bias: [B, H, M, M] float32, added to the scores.
        layers: Of the encoder.
        step: The compiled step.

    Returns:
        [B, M, D] float32.
    """
    batch_size, num_heads, num_nodes, _ = bias.shape
    wide = cast(nn.Linear, cast(EncoderLayer, layers[0]).feedforward[0]).out_features
    stride = -(-num_nodes // _STRIDE) * _STRIDE
    shape = Shape(batch_size, num_nodes, stride, num_heads, nodes.shape[2], wide)
    bias = F.pad(bias, (0, stride - num_nodes), value=_FAR)
    weights = [weight for layer in layers for weight in _weights(cast(EncoderLayer, layer))]
    found: Tensor = _Layers.apply(step, shape, nodes.contiguous(), bias, *weights)  # type: ignore[no-untyped-call]
    return found


def _weights(layer: EncoderLayer) -> Iterator[Tensor]:
    """The weights as `Weights` of native/training/layer.hpp."""
    yield layer.attention.inward.weight
    yield layer.attention.outward.weight
    yield from layer.attention_norm.parameters()
    yield from layer.feedforward.parameters()
    yield from layer.feedforward_norm.parameters()


def _parts(shape: Shape, step: Step) -> list[tuple[slice, list[Tensor]]]:
    """Divide instances among threads, and give each its scratch memory."""
    parts = []
    for rows in step.shares(shape.batch_size):
        count = (rows.stop - rows.start) * shape.num_nodes
        wide = max(shape.wide, 3 * shape.features)
        sizes = (LAID_OUT, count * wide, count * shape.features, shape.num_nodes * shape.stride)
        parts.append((rows, list(map(torch.empty, sizes))))
    return parts


def _record(shape: Shape) -> list[Tensor]:
    """Values for a layer's gradient: heads to last_scale of `Layer` (native/training/layer.hpp)."""
    rows, width = shape.batch_size * shape.num_nodes, shape.features
    scores = shape.batch_size * shape.num_heads * shape.num_nodes * shape.stride
    sizes = (3 * rows * width, scores, rows * width, rows * width, rows, rows * shape.wide)
    return [torch.empty(size) for size in (*sizes, rows * width, rows)]


class _Layers(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, step: Step, shape: Shape, nodes: Tensor, bias: Tensor, *weights: Tensor
    ) -> Tensor:
        ctx.step, ctx.shape, ctx.bias, ctx.passes = step, shape, bias, []
        parts = _parts(shape, step)
        for own in zip(*[iter(weights)] * NUM_WEIGHTS, strict=True):
            record, result = _record(shape), torch.empty_like(nodes)
            arrays = [*own, *[None] * NUM_WEIGHTS, nodes, result, *record, bias, None]

            def run(part: tuple[slice, list[Tensor]], arrays: list[Tensor | None] = arrays) -> None:
                rows, scratch = part
                step.layer([*arrays, *scratch], shape[1:], rows)

            step.each(run, parts)
            ctx.passes.append((own, nodes, record))
            nodes = result
        return nodes

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        step, shape, bias = ctx.step, ctx.shape, ctx.bias
        slope = slope.clone(memory_format=torch.contiguous_format)
        bias_slope = torch.zeros_like(bias)
        parts, gradient = _parts(shape, step), []
        while ctx.passes:
            own, nodes, record = ctx.passes.pop()
            arrays = [nodes, slope, *record, bias, bias_slope]

            def run(
                part: tuple[slice, list[Tensor]],
                own: list[Tensor] = own,
                arrays: list[Tensor] = arrays,
            ) -> list[Tensor]:
                rows, scratch = part
                share = [torch.empty_like(weight) for weight in own]
                step.layer([*own, *share, *arrays, *scratch], shape[1:], rows, gradient=True)
                return share

            first, *others = step.each(run, parts)
            for other in others:
                torch._foreach_add_(first, other)
            gradient.append(first)
        weights = [slope for share in reversed(gradient) for slope in share]
        return None, None, slope, bias_slope, *weights
