"""The whole solve as one program of `torch.export`: what PyTorch has in place of TorchScript."""

import io
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.export import Dim, ExportedProgram

from vrpcore.export.manifest import ModelSource, Stage, format_of
from vrpcore.export.signature import example_inputs, free_axes
from vrpcore.export.split_heads import split_heads
from vrpcore.formats.files import write_bytes
from vrpcore.learn.decode.rollout import Rollout, build_rollout
from vrpcore.learn.decode.select import sample, start_streams, uniform
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.torch_backend import CalledModule


class LoopedRollout(Rollout):
    """A rollout whose loop and whose branch for sampling are operators, which an export keeps.

    Its tables have one form for all sizes: to a program, sizes are variables.
    """

    def opened(self, inputs: Inputs, starts: Tensor) -> tuple[Any, Any, Any]:
        """Computes the tables, what the environment prepares, and the first state."""
        env = self.policy.env
        tables = self.tables(self.policy.encode(inputs), inputs, False)
        fixed = env.prepare(inputs)
        return tables, fixed, env.begin(inputs, fixed, starts)

    def scored(self, tables: Any, fixed: Any, state: Any) -> tuple[Tensor, Tensor]:
        """Scores the next nodes, [B, S, M], and counts the choices so far, []."""
        env = self.policy.env
        if self.by_tables:
            outlook, numbers = env.loose(fixed, state), env.context(fixed, state)
        else:
            outlook, numbers = env.outlook(fixed, state), env.shares(fixed, state)
        scores = self.scores(tables, env.last(state), numbers, outlook)
        return scores, env.num_choices(fixed, state)

    def construct(
        self, inputs: Inputs, starts: Tensor, temperature: Tensor, seed: Tensor
    ) -> Tensor:
        """See `Rollout.construct`."""
        env = self.policy.env
        sharpness = self.policy.decoder.logit_bound / temperature
        streams = start_streams(seed, starts.shape[1])
        tables, fixed, started = self.opened(inputs, starts)
        state_of = type(started)

        def goes_on(*parts: Tensor) -> Tensor:
            return env.unfinished(fixed, state_of(*parts))

        def step(*parts: Tensor) -> tuple[Tensor, ...]:
            state = state_of(*parts)
            scores, count = self.scored(tables, fixed, state)
            operands = (scores, sharpness, streams, count)
            choice = torch.cond(temperature > 0, _drawn, _best, operands)
            return _own(env.step(fixed, state, choice))

        parts = _own(started)
        parts = torch.while_loop(goes_on, step, parts)  # type: ignore[no-untyped-call]
        return env.tour(fixed, state_of(*parts))


def in_steps(policy: Policy, form: type[Rollout] = LoopedRollout) -> Any:
    """The rollout of a policy of `split_heads`, without gradients, with another `construct`."""
    both = type("InSteps", (form, type(build_rollout(policy))), {})
    return both(policy).eval().requires_grad_(False)


def build_program(policy: Policy) -> ExportedProgram:
    """Exports the rollout of a policy, on the CPU; instances, nodes and starts are free."""
    inputs = example_inputs(format_of(policy))
    axes = free_axes(inputs)
    shapes = {name: dict.fromkeys(axes.get(name, ()), Dim.DYNAMIC) for name in inputs}
    return torch.export.export(
        in_steps(split_heads(policy)), tuple(inputs.values()), dynamic_shapes=shapes
    )


def export_program(source: ModelSource, path: Path, stage: Stage = nullcontext) -> None:
    """Writes the file, `.pt2`; `write_proved` in `parity` is the careful way.

    Raises:
        OutputError: The file cannot be written.
    """
    buffer = io.BytesIO()
    with stage("tracing"):
        program = build_program(source.policy)
    with stage("writing"):
        torch.export.save(program, buffer, extra_files=dict(source.metadata))
        write_bytes(path, buffer.getvalue())


def open_program(path: Path) -> CalledModule:
    """Opens a file of `export_program`.

    Only one that this process has just written: PyTorch unpickles parts of such a file, so
    a foreign one could run any code.
    """
    program = torch.export.load(io.BytesIO(path.read_bytes()))
    return CalledModule(program.module(), torch.device("cpu"))


def _best(scores: Tensor, sharpness: Tensor, streams: Tensor, count: Tensor) -> Tensor:  # noqa: ARG001
    return scores.argmax(2)


def _drawn(scores: Tensor, sharpness: Tensor, streams: Tensor, count: Tensor) -> Tensor:
    return sample(scores * sharpness, uniform(streams, count))


def _own(parts: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Copies: what a loop carries on may share no memory with what it was given."""
    return tuple(part.clone(memory_format=torch.contiguous_format) for part in parts)
