"""What is compiled for an accelerator, as far as it goes without one.

Dynamo's graphs do not depend on the device. Inductor lowers its operations for one that is not
there; what it needs Triton, kernels or a device for is not seen.
"""

import numpy as np
import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend
from torch._inductor.codecache import CacheBase
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.graph import GraphLowering
from torch._inductor.runtime.hints import DeviceProperties
from torch._inductor.virtualized import V
from torch.fx.experimental.proxy_tensor import make_fx

from tests.vrpcore.learn.decode.cases import SMALL, make_inputs
from tests.vrpcore.learn.fake_device import fake_cuda, on_device
from vrpcore.arrays.batch import Batch
from vrpcore.learn.decode.accelerated import in_bucket
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.decode.select import start_streams
from vrpcore.learn.decode.step_graph import FixedInputs
from vrpcore.learn.env.capacity import Loads, State
from vrpcore.learn.env.inputs import inputs_of, plain_inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import build_policy

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own
# An H100; only numbers of threads and registers are read.
H100 = DeviceProperties(
    type="cuda",
    index=0,
    multi_processor_count=132,
    cc=90,
    major=9,
    regs_per_multiprocessor=65536,
    max_threads_per_multi_processor=2048,
    warp_size=32,
)
SHAPES = ((3, 18, 12), (7, 22, 20), (12, 52, 20), (2, 110, 9))  # rows, nodes, starts


def bucketed(rows, num_nodes, num_starts):
    """Instances and first customers in the shapes that a device sees."""
    coords, demand, capacity, valid, starts = make_inputs(
        1, [num_nodes - 1] * rows, num_nodes, starts=num_starts
    )
    arrays = (part.numpy() for part in (coords, demand, capacity, valid))
    batch, starts, _ = in_bucket(Batch(*arrays), starts.numpy(), np.arange(rows))
    return inputs_of(map(torch.from_numpy, batch.columns)), torch.from_numpy(starts)


def beginning(policy, batch, starts):
    """What the first compiled step is given."""
    env, cache = policy.env, policy.encode(batch)
    streams = start_streams(torch.arange(len(starts), device=starts.device), starts.shape[1])
    fixed = env.prepare(batch)
    state = env.begin(batch, fixed, starts)
    return FixedInputs(cache, fixed, policy.way_weights(batch), streams), state


def graphs(dynamic, shapes):
    """Graphs of encoder and step after each shape; a break of a graph is an error."""
    torch._dynamo.reset()
    policy = build_policy(SMALL, 1).eval()
    counters = CompileCounterWithBackend("eager"), CompileCounterWithBackend("eager")
    encode, step = (
        torch.compile(work, backend=counter, fullgraph=True, dynamic=dynamic)
        for work, counter in zip(
            (policy.encode, FixedShapeRollout(policy)._advance), counters, strict=True
        )
    )
    found = []
    for shape in shapes:
        batch, starts = bucketed(*shape)
        with torch.no_grad():
            encode(batch)
            fixed, state = beginning(policy, batch, starts)
            for _ in range(3):
                state = step(fixed, state, 0.0)
        found.append(tuple(counter.frame_count for counter in counters))
    torch._dynamo.reset()
    return found


@pytest.mark.slow
def test_solving_compiles_one_encoder_and_at_most_two_steps_for_all_shapes():
    """The first state of a construction is spread over its starts, later ones are not."""
    found = graphs(True, SHAPES)
    assert {encoders for encoders, _ in found} == {1}
    assert found[-1][1] <= 2
    assert len({steps for _, steps in found[1:]}) == 1  # none for later shapes


@pytest.mark.slow
def test_training_with_one_size_compiles_once():
    assert graphs(False, [SHAPES[0]] * 3) == [(1, 1)] * 3


class Work(torch.nn.Module):
    """The encoder, or a step, with its weights as inputs of what is traced."""

    def __init__(self, policy, work):
        super().__init__()
        self.policy, self.work = policy, work

    def forward(self, *inputs):
        return tuple(self.work(self.policy, *inputs))


def encoder(policy, *batch):
    return policy.encode(plain_inputs(*batch))


def stepping(temperature):
    def step(policy, *parts):
        cache, (demand, capacity, streams, *state) = Cache(*parts[:6]), parts[6:]
        none = demand.new_zeros(0)
        fixed, state = (
            FixedInputs(cache, Loads(demand, capacity, none), none, streams),
            State(*state),
        )
        return FixedShapeRollout(policy)._advance(fixed, state, temperature)

    return step


@pytest.mark.parametrize(
    "precision", [torch.bfloat16, pytest.param(torch.float32, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", ["encoder", "greedy step", "sampled step"])
def test_inductor_lowers_every_operation_for_cuda(monkeypatch, name, precision):
    batch, starts = bucketed(3, 10, 4)
    with fake_cuda(monkeypatch) as device:
        policy = build_policy(SMALL, 1).eval().to("cuda")
        batch, (starts,) = inputs_of(on_device(batch.columns)), on_device([starts])
        enabled = precision == torch.bfloat16
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled):
            inputs, work = batch.columns, encoder
            if name != "encoder":
                fixed, state = beginning(policy, batch, starts)
                inputs = (*fixed.cache, *fixed.problem[:2], fixed.streams, *state)
                work = stepping(1.0 if name == "sampled step" else 0.0)
            weights = dict(policy.named_parameters(prefix="policy"))
            module = Work(policy, work)

            def traced(weights, *given):
                return torch.func.functional_call(module, weights, given)

            graph = make_fx(traced, decomposition_table=select_decomp_table())(weights, *inputs)
        lowered = lower(monkeypatch, graph, [*weights.values(), *inputs], device)
    assert lowered.device_types == {"cuda"}
    fallbacks = [one for one in lowered.operations if "Fallback" in type(one).__name__]
    assert fallbacks == []
    products = [one for one in lowered.operations if type(one).__name__ == "ExternKernelOut"]
    dtypes = {one.get_dtype() for one in products}
    assert precision in dtypes <= {precision, torch.float32}


def lower(monkeypatch, graph, inputs, device):
    """Inductor's graph of operations."""
    monkeypatch.setattr(DeviceProperties, "create", lambda *_: H100)
    monkeypatch.setattr(CacheBase, "get_system", staticmethod(lambda: {"hash": "none"}))
    graph.graph.set_codegen(torch.fx.graph.CodeGen())  # inputs and outputs one by one
    lowered = GraphLowering(graph, example_inputs=inputs)
    with V.set_graph_handler(lowered), V.set_fake_mode(device.fake):
        lowered.run(*inputs)
    return lowered
