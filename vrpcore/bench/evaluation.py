"""`vrp eval`: tours of a policy without search, against known costs and another policy."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from vrpcore.bench.problem_set import ProblemSet
from vrpcore.bench.timing import timed
from vrpcore.errors import InternalError
from vrpcore.instance.instance import Float64
from vrpcore.instance.solution import Solution
from vrpcore.solve.backend import ModelInfo
from vrpcore.solve.construct import MAX_POLICY_CUSTOMERS
from vrpcore.solve.order import POLICY_SKIPPED
from vrpcore.solve.solve_options import Decoding
from vrpcore.solve.solver import Solver

FORMAT = "vrp-eval/1"


class Mean(NamedTuple):
    """A mean and its standard error; the latter is NaN of a single value."""

    value: float
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Results of a model on a set.

    Attributes:
        name: Of the set.
        model: What constructed: its name and the beginning of its SHA-256.
        instances: How many.
        unsolved: How many of them the policy does not cover, or has no whole plan for; means leave
            them out.
        cost: Mean cost.
        known: How many of the others have a reference.
        gap: Mean gap to the references; None without any.
        difference: Mean of the relative differences to the first model's costs, where both have
            one; None of the first model.
        wall_s: Seconds by the clock, once the model is open.
        cpu_s: CPU seconds of all threads.
    """

    name: str
    model: str
    instances: int
    unsolved: int
    cost: float
    known: int
    gap: Mean | None
    difference: Mean | None
    wall_s: float
    cpu_s: float


def mean_and_error(values: Float64) -> Mean | None:
    """The mean of values that are not NaN, [B] float64; None where there are none."""
    given = values[~np.isnan(values)]
    if not len(given):
        return None
    error = given.std(ddof=1) / math.sqrt(len(given)) if len(given) > 1 else math.nan
    return Mean(float(given.mean()), float(error))


def evaluate(
    solvers: Sequence[Solver], problems: ProblemSet, decoding: Decoding, seed: int
) -> list[Evaluation]:
    """Lets each model construct all instances of a set, without search.

    Args:
        solvers: One a model that was named, as insertion has a part in the answers of others; they
            are compared with the first.
        problems: The set; known routes of its instances are not looked at.
        decoding: How; without `starts` from all first customers, as the literature has it.
        seed: Of samples.

    Raises:
        InternalError: A bug changed or cost an answer.
    """
    most = max(instance.num_customers for instance in problems.instances)
    options: dict[str, Any] = {
        **asdict(decoding),
        "starts": decoding.starts or min(max(most, 1), MAX_POLICY_CUSTOMERS),
        "improve": "none",
        "seed": seed,
    }
    reference = np.array([cost or math.nan for cost in problems.references], np.float64)
    first: Float64 | None = None
    found = []
    for solver in solvers:
        solver.solve(problems.instances[:1], **options)  # opens the model, which is not timed
        call = timed(partial(solver.solve, problems.instances, **options))
        cost = np.array([_cost(problems.name, answer) for answer in call.result], np.float64)
        mean = mean_and_error(cost)
        found.append(
            Evaluation(
                name=problems.name,
                model=_constructors(solver, call.result),
                instances=len(cost),
                unsolved=int(np.isnan(cost).sum()),
                cost=math.nan if mean is None else mean.value,
                known=int((~np.isnan(cost) & ~np.isnan(reference)).sum()),
                gap=mean_and_error(_differences(cost, reference)),
                difference=None if first is None else mean_and_error(_differences(cost, first)),
                wall_s=call.wall_s,
                cpu_s=call.cpu_s,
            )
        )
        first = cost if first is None else first
    return found


def _differences(cost: Float64, other: Float64) -> Float64:
    """Relative ones, [B] float64; of equal costs 0, of others to 0 NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(cost == other, 0.0, cost / other - 1)
    return np.where(np.isinf(found), math.nan, found)


def _cost(place: str, answer: Solution) -> float:
    if answer.fault is not None:
        raise InternalError(f"{place}: {answer.name}: {answer.fault}")
    # A heuristic constructed it.
    if answer.cost is None or answer.status != "solved" or POLICY_SKIPPED in answer.warnings:
        return math.nan
    return float(answer.cost)


def _constructors(solver: Solver, answers: Sequence[Solution]) -> str:
    """The models that constructed; `base` leaves instances with constraints to another."""
    names = {answer.constructor for answer in answers}
    used = [each for each in solver.models if each.name in names] or [solver.model]
    return model_text(*used)


def model_text(*models: ModelInfo) -> str:
    """The models as records state them: their names and the beginnings of their hashes."""
    return " + ".join(f"{each.name} {each.sha256[:12]}" for each in models)


def evaluations_to_json(
    rows: Iterable[Evaluation],
    decoding: Decoding,
    seed: int,
    environment: Mapping[str, object],
) -> str:
    """The figures as a JSON document."""
    document = {
        "format": FORMAT,
        "environment": dict(environment),
        "decoding": {**asdict(decoding), "seed": seed},
        "rows": [
            {
                name: value._asdict() if isinstance(value, Mean) else value
                for name, value in ((field, getattr(row, field)) for field in row.__slots__)
            }
            for row in rows
        ],
    }
    return json.dumps(_plain(document), indent=1, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    """Replace values that are not finite by null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
