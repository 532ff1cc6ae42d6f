"""Sampling whole tours on an accelerator without waiting for the host."""

import torch
from torch import Tensor

from vrpcore.decode.select import sample, start_streams, uniform
from vrpcore.env.batch import DeviceBatch
from vrpcore.env.state import State
from vrpcore.env.step import choice_mask, num_choices, reset, state_tour, take_step
from vrpcore.policy.decoder import Cache
from vrpcore.policy.policy import Policy

STEPS_BETWEEN_TESTS = 4


class HostCopy:
    """A tensor on its way to the host.

    Args:
        values: On any device; must not change until `wait` returns.
    """

    def __init__(self, values: Tensor) -> None:
        self._event: torch.cuda.Event | None = None
        if values.is_cuda:
            self._values = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
            stream = torch.cuda.Stream(values.device)  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream(values.device))
            with torch.cuda.stream(stream):
                self._values.copy_(values, non_blocking=True)
                self._event = torch.cuda.Event()  # type: ignore[no-untyped-call]
                self._event.record(stream)
            values.record_stream(stream)
        else:
            self._values = values

    def wait(self) -> Tensor:
        """The values on the host; waits for this copy alone."""
        if self._event is not None:
            self._event.synchronize()
        return self._values


class Sampler:
    """Samples tours by a step of fixed shape, which can be compiled.

    Whether all are done is asked every few steps and answered one question later, so
    that the device never idles; steps behind the end change nothing.

    Args:
        policy: The policy to follow.
        compiled: Compile the step; with CUDA graphs on CUDA.
        one_size: All batches have one shape; else shapes are compiled as variables and
            CUDA graphs, which are bound to a shape, are not used.
    """

    def __init__(self, policy: Policy, compiled: bool, one_size: bool) -> None:
        self.policy = policy
        self.device = next(policy.parameters()).device
        self._graphed = compiled and one_size and self.device.type == "cuda"
        self._step = self._advance
        if compiled:
            mode = "reduce-overhead" if self._graphed else None
            self._step = torch.compile(self._advance, dynamic=not one_size, mode=mode)

    def _advance(self, cache: Cache, inputs: DeviceBatch, state: State, streams: Tensor) -> State:
        room = inputs.capacity.unsqueeze(1)
        mask = choice_mask(state)
        logits = self.policy(cache, state.last, state.remaining / room, mask)
        choice = sample(logits.float(), uniform(streams, num_choices(state)))
        return take_step(state, choice, inputs.demand, inputs.capacity)

    def sample(self, cache: Cache, inputs: DeviceBatch, starts: Tensor, seed: Tensor) -> Tensor:
        """Whole tours, the same as `Rollout.construct` gives at temperature 1.

        Args:
            cache: Of the instances, without gradients.
            inputs: B instances.
            starts: [B, S] int64, first customers.
            seed: [B] int64.

        Returns:
            [B, S, T] int64, 0 = depot and padding; T is the steps taken.
        """
        num_nodes = inputs.valid.shape[1]
        streams = start_streams(seed, starts.shape[1])
        state = reset(inputs.demand, inputs.capacity, inputs.valid, starts.shape[1])
        state = take_step(state, starts, inputs.demand, inputs.capacity)
        question: HostCopy | None = None
        taken = 1
        while taken < 2 * num_nodes:
            state = self._step(cache, inputs, state, streams)
            if self._graphed:  # the next replay overwrites this one's outputs
                state = State(*(part.clone() for part in state))
            taken += 1
            if taken >= num_nodes and taken % STEPS_BETWEEN_TESTS == 0:
                if question is not None and not bool(question.wait()):
                    break
                question = HostCopy((state.num_open > 0).any())
        return state_tour(state)[:, :, :taken].contiguous()
