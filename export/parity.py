"""Checks that an exported file builds the same tours as the policy that it came from."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.arrays.batch import Batch, make_batch, plain_batch
from vrpcore.errors import ExportError, ModelError, OutputError, VrpError
from vrpcore.export.manifest import ModelSource, Stage
from vrpcore.formats.files import own_part, reason
from vrpcore.instance.generator import random_problems
from vrpcore.instance.variant_generator import VARIANTS, instances_of
from vrpcore.learn.decode.likelihood import choice_logits
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.env.inputs import to_device
from vrpcore.learn.env.transfer import tensors_on
from vrpcore.learn.policy.policy import Policy, is_ours
from vrpcore.learn.torch_backend import CalledModule
from vrpcore.solve.backend import Backend
from vrpcore.solve.models import open_backend

LEAST_IDENTICAL = 0.99
LARGEST_MARGIN = 1e-4
_SIZES = (10, 20, 50, 100)
_COUNT = 16
_STARTS = 10
_TEMPERATURES = (0.0, 1.0)
_OF_OWN_CODE = "docs/adding.md says what an export asks of code of your own"
Constructor = Backend | CalledModule  # an opened file


class Parity(NamedTuple):
    """The comparison of an exported file with the policy.

    Attributes:
        tours: Tours compared, greedy and sampled, four sizes, with padding.
        identical: Share of them that are identical.
        largest_margin: Largest distance between the two best logits at the first
            choice where a pair of greedy tours parts; 0 where none does.
    """

    tours: int
    identical: float
    largest_margin: float

    def require(self, name: str) -> None:
        """Fails where the file does not reproduce the policy.

        Raises:
            ExportError: Fewer than 99 % identical, or a difference that no rounding
                of float32 explains.
        """
        if self.identical < LEAST_IDENTICAL or self.largest_margin >= LARGEST_MARGIN:
            raise ExportError(
                f"{name}: only {self.identical:.2%} of {self.tours} tours are identical to the "
                f"policy's, largest logit margin at a difference {self.largest_margin:.1e} "
                f"(needed: {LEAST_IDENTICAL:.0%}, below {LARGEST_MARGIN:.0e})"
            )


def open_to_solve(path: Path) -> Constructor:
    """Opens a file as `vrp solve` does, on the CPU; see `open_backend`."""
    return open_backend(str(path.absolute()), "cpu")


def write_proved(
    write: Callable[[ModelSource, Path, Stage], None],
    source: ModelSource,
    path: Path,
    open_file: Callable[[Path], Constructor] = open_to_solve,
    stage: Stage = nullcontext,
) -> Parity:
    """Writes an export next to its target, compares, and only then takes the target's name.

    Args:
        write: `export_onnx`, or another of these.
        source: What is exported.
        path: The target.
        open_file: What opens such a file.
        stage: Told of each stage.

    Raises:
        ExportError: The file does not run, or not as the policy; nothing is left of it.
        OutputError: The file cannot be written.
    """
    unproved = own_part(path)
    try:
        write(source, unproved, stage)
        parity = compare(source.policy, open_file(unproved), stage)
        parity.require(str(path))
        unproved.replace(path)
    except (ExportError, ModelError, RuntimeError) as error:
        if is_ours(source.policy):
            raise
        whole = isinstance(error, VrpError)
        words = str(error) if whole else " ".join(str(error).split())[:300]
        raise ExportError(f"{path}: {words}; {_OF_OWN_CODE}") from None
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {reason(error)}") from None
    finally:
        with suppress(OSError):
            unproved.unlink()
    return parity


def compare(policy: Policy, exported: Constructor, stage: Stage = nullcontext) -> Parity:
    """Decodes the same instances through the policy, eagerly on the CPU, and the file.

    Args:
        policy: What was exported.
        exported: The file, opened.
        stage: Told of how many tours are compared.
    """
    batches = list(_variants_batches() if policy.knows_variants else _plain_batches())
    total = sum(len(_TEMPERATURES) * _starts(batch).size for batch in batches)
    with stage(f"proving on {total} tours"):
        same, margin = _compared(policy, exported, batches)
    return Parity(tours=total, identical=same / total, largest_margin=margin)


def _compared(policy: Policy, exported: Constructor, batches: Iterable[Batch]) -> tuple[int, float]:
    """The number of identical tours, and the largest margin, as of `Parity`."""
    same, margin = 0, 0.0
    cpu = torch.device("cpu")
    rollout = build_rollout(policy)
    for batch in batches:
        starts = _starts(batch)
        seed = np.arange(len(starts), dtype=np.int64)
        for temperature in _TEMPERATURES:
            with torch.inference_mode():
                choices = map(torch.tensor, (starts, temperature, seed))
                expected = rollout(*tensors_on(batch.columns, cpu), *choices)
            found = torch.from_numpy(exported.construct(batch, starts, temperature, seed))
            equal = (expected == found).all(dim=2)
            same += int(equal.sum())
            if temperature == 0.0 and not bool(equal.all()):
                margin = max(margin, _margin(policy, batch, expected, found))
    return same, margin


def _starts(batch: Batch) -> NDArray[np.int64]:
    """[B, S] int64: the policy's choice, then the first customers."""
    starts = batch.depots[:, None] - 1 + np.arange(_STARTS, dtype=np.int64)
    starts[:, 0] = 0
    return starts


def _variants_batches() -> Iterator[Batch]:
    """All variants of each size, with two nodes of padding or more."""
    rng = np.random.default_rng(21)
    covered = [each for each in VARIANTS.values() if each.covered]
    for size in _SIZES:
        problems = random_problems("uniform", (len(covered), size), "by_size", rng)
        instances = instances_of(covered, problems, "parity", rng)
        most = max(len(each.own_constraints.depots) for each in instances)
        yield make_batch(instances, most + size + 2)


def _plain_batches() -> Iterator[Batch]:
    """Plain instances of each size, with two nodes of padding."""
    rng = np.random.default_rng(20)
    for size in _SIZES:
        drawn = random_problems("uniform", (_COUNT, size), "by_size", rng)
        customers = np.full(_COUNT, size)
        yield plain_batch(drawn.coords, drawn.demand, drawn.capacity, customers).padded(size + 3)


def _margin(policy: Policy, batch: Batch, expected: Tensor, found: Tensor) -> float:
    """Logit distance between the two choices where each pair of tours first differs."""
    with torch.inference_mode():
        inputs = to_device(batch, torch.device("cpu"))
        logits = choice_logits(policy, policy.encode(inputs), inputs, expected)[0]
        first_choice = expected.shape[2] - logits.shape[2]
        expected, found = expected[:, :, first_choice:], found[:, :, first_choice:]
        differs = expected != found
        first = differs.to(torch.int64).argmax(dim=2, keepdim=True)
        here = first.unsqueeze(3).expand(-1, -1, -1, logits.shape[3])
        at_first = logits.gather(2, here).squeeze(2)
        ours = at_first.gather(2, expected.gather(2, first))
        theirs = at_first.gather(2, found.gather(2, first))
        margins = (ours - theirs).abs().squeeze(2)
        return float(torch.where(differs.any(dim=2), margins, 0.0).max())
