"""The rollout of a policy with the user's own code: its steps, as PyTorch saw them run."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_flatten, tree_unflatten

from vrpcore.errors import ExportError
from vrpcore.export.manifest import format_of
from vrpcore.export.program import LoopedRollout, in_steps
from vrpcore.export.signature import example_inputs
from vrpcore.export.split_heads import split_heads
from vrpcore.learn.decode.rollout import Rollout
from vrpcore.learn.decode.select import sample, start_streams, uniform
from vrpcore.learn.env.inputs import Inputs, inputs_of
from vrpcore.learn.policy.policy import Policy


class TracedRollout(Rollout):
    """A scripted loop around steps that were traced, for the CPU.

    TorchScript compiles the source of what it scripts and knows only some of Python; what is
    traced may be any, without branches on tensors and their sizes.
    """

    logit_bound: Final[float]

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self.logit_bound = float(policy.decoder.logit_bound)
        self.begin, self.scored, self.step, self.unfinished, self.tour = _traced(in_steps(policy))
        del self.policy  # or its source is compiled, too

    def construct(
        self, inputs: Inputs, starts: Tensor, temperature: Tensor, seed: Tensor
    ) -> Tensor:
        """See `Rollout.construct`."""
        sampling = bool(temperature > 0)
        sharpness = self.logit_bound / temperature
        streams = start_streams(seed, starts.shape[1])
        fixed, state = self.begin(inputs, starts)
        while bool(self.unfinished(fixed, state)):
            scores, count = self.scored(fixed, state)
            if sampling:
                choice = sample(scores * sharpness, uniform(streams, count))
            else:
                choice = scores.argmax(2)
            state = self.step(fixed, state, choice)
        found: Tensor = self.tour(fixed, state)
        return found


class _Piece(nn.Module):
    """A function of a rollout, and the weights that it may read."""

    def __init__(self, rollout: Rollout, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.rollout, self.compute = rollout, compute

    def forward(self, *inputs: Any) -> Any:
        return self.compute(*inputs)


class _Form:
    """How a nested tuple, such as a state, is made of its tensors."""

    def __init__(self, example: Any) -> None:
        self.leaves, self.spec = tree_flatten(example)

    def pack(self, value: Any) -> tuple[Tensor, ...]:
        return tuple(leaf for leaf in tree_flatten(value)[0] if isinstance(leaf, Tensor))

    def require_tensors(self, name: str) -> None:
        if any(not isinstance(leaf, Tensor) for leaf in self.leaves):
            raise ExportError(f"{name} holds more than tensors, which a file cannot carry")

    def unpack(self, tensors: tuple[Tensor, ...]) -> Any:
        left = iter(tensors)
        leaves = [next(left) if isinstance(leaf, Tensor) else leaf for leaf in self.leaves]
        return tree_unflatten(leaves, self.spec)


def _traced(rollout: LoopedRollout) -> list[Any]:
    """The functions of `TracedRollout`: their nested tuples are flat ones."""
    env = rollout.policy.env
    example = example_inputs(format_of(rollout.policy))
    *columns, starts, _, _ = example.values()
    inputs = inputs_of(columns)
    tables, prepared, state = rollout.opened(inputs, starts)
    shared, moving = _Form((tables, prepared)), _Form(state)
    _Form(prepared).require_tensors(f"{type(env).__name__}.prepare")
    moving.require_tensors(f"a state of {type(env).__name__}")

    def begin(inputs: tuple[Tensor, ...], starts: Tensor) -> Any:
        tables, prepared, state = rollout.opened(Inputs(*inputs), starts)
        return shared.pack((tables, prepared)), moving.pack(state)

    def scored(fixed: Any, state: Any) -> Any:
        tables, prepared = shared.unpack(fixed)
        return rollout.scored(tables, prepared, moving.unpack(state))

    def step(fixed: Any, state: Any, choice: Tensor) -> Any:
        return moving.pack(env.step(shared.unpack(fixed)[1], moving.unpack(state), choice))

    def unfinished(fixed: Any, state: Any) -> Tensor:
        return env.unfinished(shared.unpack(fixed)[1], moving.unpack(state))

    def tour(fixed: Any, state: Any) -> Tensor:
        return env.tour(shared.unpack(fixed)[1], moving.unpack(state))

    now = (shared.pack((tables, prepared)), moving.pack(state))
    calls: list[tuple[Callable[..., Any], Any]] = [
        (begin, (inputs, starts)), (scored, now), (step, (*now, starts)), (unfinished, now),
        (tour, now),
    ]  # fmt: skip
    traced: Callable[..., Any] = torch.jit.trace
    return [traced(_Piece(rollout, compute), given, check_trace=False) for compute, given in calls]


def trace_rollout(policy: Policy) -> Any:
    """The rollout with its steps traced, weights included.

    Raises:
        ExportError: PyTorch cannot trace the user's own code, or a branch or number in it depends
            on values or sizes of tensors, so that it would stay as the example has it.
    """
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            traced = torch.jit.script(in_steps(split_heads(policy), TracedRollout))
        except (RuntimeError, TypeError) as error:
            reason = " ".join(str(error).split())[:300]
            raise ExportError(f"code of your own cannot be traced: {reason}") from None
    others = str(Path(__file__).parents[1]), str(Path(torch.__file__).parent)
    for each in seen:
        is_own = not each.filename.startswith(others)
        if is_own and each.category.__name__ == "TracerWarning":
            words = str(each.message).split(". ")[0]
            raise ExportError(f"{each.filename} line {each.lineno}: would stay as it is: {words}")
    return traced
