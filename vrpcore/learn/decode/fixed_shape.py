"""Whole tours on an accelerator without waiting for the host at every step."""

import warnings
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from vrpcore.errors import is_out_of_memory
from vrpcore.learn.decode.rollout import Rollout
from vrpcore.learn.decode.select import sample, start_streams, uniform
from vrpcore.learn.decode.step_graph import (
    STEPS_BETWEEN_TESTS,
    FixedInputs,
    GraphPool,
    State,
    StepGraph,
    shapes,
)
from vrpcore.learn.device import COMPILE_OPTIONS, runs_triton
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.env.transfer import HostCopy
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy, has_tables

if TYPE_CHECKING:
    from vrpcore.learn.decode.persistent import PersistentRollout

# Each keeps the memory of its shape, and takes longer to record than a few solves: one gives way
# only to a shape that was met twice as often.
_MOST_GRAPHS = 16


class FixedShapeRollout:
    """Constructs tours by a step of fixed shape, which can be compiled.

    Whether all are done is asked every few steps and answered one question later, so
    that the device never idles; steps behind the end change nothing. On CUDA with Triton, up to
    1024 nodes need no steps: see `persistent`.

    Args:
        policy: The policy to follow.
        compiled: Compile the step; that of variants stays as it is.
        one_size: All batches have one shape; else shapes are compiled as variables.
        graphed: On CUDA, replay the steps of a shape as one launch. A shape is recorded
            when it is met for the second time.

    Attributes:
        records: Whether shapes may be recorded now; those that were are replayed in any case.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        compiled: bool = False,
        one_size: bool = False,
        graphed: bool = False,
    ) -> None:
        self.policy, self.records = policy, True
        self.device = next(policy.parameters()).device
        recorded = graphed and self.device.type == "cuda"
        self._graph_pool = GraphPool(self.device) if recorded else None
        self._graphs: dict[object, StepGraph] = {}
        self._met: Counter[object] = Counter()
        self._step = self._advance
        self._persistent = _persistent(self.policy, self.device)
        # Triton 3.6 fails on what the compiler makes of a sampled step of variants.
        if compiled and not policy.knows_variants:
            self._step = torch.compile(self._advance, dynamic=not one_size, options=COMPILE_OPTIONS)

    def construct(
        self,
        cache: Cache,
        inputs: Inputs,
        starts: Tensor,
        seed: Tensor,
        temperature: float,
    ) -> Tensor:
        """Construct whole tours, equal to those of `Rollout` but for rounding.

        Args:
            cache: Of the instances, without gradients.
            inputs: B instances.
            starts: [B, S] int64, nodes of first customers; 0 lets the policy choose.
            seed: [B] int64, random stream of each instance.
            temperature: 0 = greedy, else samples from logits / temperature.

        Returns:
            [B, S, T] int64 as from `Rollout`; T is at least the longest tour.
        """
        arguments = (cache, inputs, starts, seed, temperature)
        if self._persistent is not None:
            tours = self._persistent.construct(self.by_steps, *arguments)
            if tours is not None:
                return tours
        return self.by_steps(*arguments)

    def by_steps(
        self, cache: Cache, inputs: Inputs, starts: Tensor, seed: Tensor, temperature: float
    ) -> Tensor:
        """See `construct`; step by step in any case."""
        env, num_nodes = self.policy.env, inputs.valid.shape[1]
        problem, streams = env.prepare(inputs), start_streams(seed, starts.shape[1])
        fixed = FixedInputs(cache, problem, self.policy.way_weights(inputs), streams)
        state = env.begin(inputs, problem, starts)
        graph = self._graph(fixed, state, temperature)
        question: HostCopy | None = None
        taken = env.started
        while taken < 2 * num_nodes:
            state = graph.replay() if graph else self._steps(fixed, state, temperature)
            taken += STEPS_BETWEEN_TESTS
            if taken >= num_nodes:
                if question is not None and not bool(question.wait()):
                    break
                question = HostCopy((env.num_open(state) > 0).any())
        length = taken + 1 - env.started  # a tour shows the first depot where it is a choice
        return env.tour(problem, state)[:, :, :length].contiguous()

    def forget(self) -> None:
        """Gives back the memory of recorded shapes."""
        self._graphs.clear()

    def _graph(self, fixed: FixedInputs, state: State, temperature: float) -> StepGraph | None:
        """The graph of these shapes with this batch in it; None to go step by step."""
        if self._graph_pool is None:
            return None
        key = (shapes(fixed, state), temperature)
        self._met[key] += 1
        graph = self._graphs.get(key)
        if graph is None and self._met[key] > 1 and self._has_room(self._met[key]):
            graph = self._record(self._graph_pool, fixed, state, temperature)
            if graph is not None:
                self._graphs[key] = graph
        if graph is not None:
            graph.load(fixed, state)
        return graph

    def _has_room(self, met: int) -> bool:
        """Return whether a shape met this often may be recorded; the least met one gives way."""
        if not self.records:
            return False
        if len(self._graphs) < _MOST_GRAPHS:
            return True
        least = min(self._graphs, key=self._met.__getitem__)
        if met < 2 * self._met[least]:
            return False
        del self._graphs[least]
        return True

    def _record(
        self, graph_pool: GraphPool, fixed: FixedInputs, state: State, temperature: float
    ) -> StepGraph | None:
        steps = partial(self._steps, temperature=temperature)
        try:
            return StepGraph(graph_pool, steps, fixed, state)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            # A driver that cannot record still computes.
            warnings.warn(f"CUDA graphs failed, continuing without them: {error}", stacklevel=2)
            self._graph_pool = None
            self._graphs.clear()
            return None

    def _steps(self, fixed: FixedInputs, state: State, temperature: float) -> State:
        for _ in range(STEPS_BETWEEN_TESTS):
            state = self._step(fixed, state, temperature)
        return state

    def _advance(self, fixed: FixedInputs, state: State, temperature: float) -> State:
        cache, problem, weight, streams = fixed
        env = self.policy.env
        outlook = env.outlook(problem, state)
        numbers = env.shares(problem, state)
        logits = self.policy(cache, env.last(state), numbers, outlook, weight).float()
        if temperature > 0:
            draw = uniform(streams, env.num_choices(problem, state))
            return env.step(problem, state, sample(logits / temperature, draw))
        return env.step(problem, state, logits.argmax(2))


def construct_once(
    policy: Policy, inputs: Inputs, starts: Tensor, temperature: float, seed: Tensor
) -> Tensor:
    """Constructs tours without gradients, by the loop that suits the policy's device.

    Arguments, all on that device, and result as of `FixedShapeRollout.construct`.
    """
    with torch.no_grad():
        if starts.device.type == "cpu" and has_tables(policy):
            return Rollout(policy).construct(inputs, starts, torch.tensor(temperature), seed)
        cache = policy.encode(inputs)
        return FixedShapeRollout(policy).construct(cache, inputs, starts, seed, temperature)


def _persistent(policy: Policy, device: torch.device) -> "PersistentRollout | None":
    """Return the constructor in one launch, where a compiler for it exists."""
    if not runs_triton(device):
        return None
    try:
        from vrpcore.learn.decode.persistent import PersistentRollout
    except Exception as error:  # a compiler that is there and cannot be loaded
        warnings.warn(f"Triton cannot be used: {error}", stacklevel=3)
        return None
    return PersistentRollout(policy)
