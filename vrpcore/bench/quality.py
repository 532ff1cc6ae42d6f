"""Gap against time, of this project and of its rivals: `vrp bench quality`."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from vrpcore.api import Solver
from vrpcore.bench.contender import Contender, judge
from vrpcore.bench.curves import Run
from vrpcore.bench.own import own_contenders
from vrpcore.bench.problem_set import ProblemSet
from vrpcore.bench.quality_record import QualityRecord, SetRecord
from vrpcore.bench.rivals import reference_contender, rival_contenders
from vrpcore.bench.timing import timed
from vrpcore.instance.instance import Instance

# With 20 customers HGS is done after 5 ms: larger budgets alone would make it look slow.
BUDGETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
QUICK_BUDGETS = BUDGETS[:6]
SETS = ("uniform20", "uniform50", "uniform100", "uniform200")
QUICK_SETS = ("uniform20", "uniform50")
COUNT, QUICK_COUNT = 32, 4
REFERENCE_S, QUICK_REFERENCE_S = 5.0, 0.5


def all_contenders(
    solver: Solver, budgets: Sequence[float], seed: int
) -> tuple[list[Contender], list[str]]:
    """Every point of every method that can be measured here.

    Args:
        solver: This project's, with the model loaded.
        budgets: Seconds of an instance.
        seed: Of all that draw random numbers.

    Returns:
        The contenders, and a sentence for each method that is missing.
    """
    ascending = sorted(budgets)
    own, own_notes = own_contenders(solver, ascending, seed)
    rivals, rival_notes = rival_contenders(ascending, seed)
    return own + rivals, own_notes + rival_notes


def contenders_for(
    problems: ProblemSet, contenders: Sequence[Contender], reference_s: float, seed: int
) -> list[Contender]:
    """Those that take part on a set, and a longer run of a rival where costs are not known.

    Args:
        problems: The set.
        contenders: All of them.
        reference_s: Seconds of the longer run; 0: none.
        seed: Of it.
    """
    largest = max(instance.num_customers for instance in problems.instances)
    found = [c for c in contenders if c.most_customers is None or largest <= c.most_customers]
    if reference_s > 0 and None in problems.references:
        reference = reference_contender(reference_s, seed)
        found += [reference] if reference is not None else []
    return found


Plan = Mapping[str, Sequence[Contender]]


def num_pending(record: QualityRecord, sets: Sequence[ProblemSet], plan: Plan) -> int:
    """How many runs are still to be made."""
    return sum(
        len(_pending(record.sets[problems.name], problems, contender))
        for problems in sets
        for contender in plan[problems.name]
    )


def measure(record: QualityRecord, sets: Sequence[ProblemSet], plan: Plan) -> Iterator[str]:
    """Makes all runs that the record lacks, and writes them into it.

    Contenders take turns: each instance is solved by all of them, in an order of its own,
    before the next one's turn comes, so that a slow moment of the machine hits all alike.
    Those that take all instances in one call follow at the end of a set. Before a set each
    method solves its first instance once, untimed.

    Args:
        record: To which `join` has been told of every set and contender.
        sets: What to solve.
        plan: Contenders by set name.

    Yields:
        What was just measured, once a run.
    """
    for problems in sets:
        kept = record.sets[problems.name]
        contenders = plan[problems.name]
        todo = {c: _pending(kept, problems, c) for c in contenders}
        _warm_up([c for c in contenders if todo[c]], problems.instances[0])
        alone = [contender for contender in contenders if not contender.together]
        for place in range(len(problems.instances)):
            for index in np.random.default_rng(place).permutation(len(alone)).tolist():
                contender = alone[index]
                if place in todo[contender]:
                    _solve(kept, problems, contender, [place])
                    yield f"{problems.name}: {contender.method}"
        for contender in contenders:
            if contender.together and todo[contender]:
                _solve(kept, problems, contender, list(range(len(problems.instances))))
                for _ in todo[contender]:
                    yield f"{problems.name}: {contender.method}"


def _pending(kept: SetRecord, problems: ProblemSet, contender: Contender) -> list[int]:
    done = kept.runs(contender)
    return [place for place in range(len(problems.instances)) if place not in done]


def _warm_up(contenders: Sequence[Contender], instance: Instance) -> None:
    """Loads libraries and fills caches."""
    first = {c.method: c for c in reversed(contenders) if not c.hidden}
    for contender in first.values():
        contender.solve([instance])


def _solve(
    kept: SetRecord, problems: ProblemSet, contender: Contender, places: Sequence[int]
) -> None:
    instances = [problems.instances[place] for place in places]
    solved = timed(lambda: contender.solve(instances))
    cpu_s, wall_s = solved.cpu_s / len(places), solved.wall_s / len(places)
    for place, instance, attempt in zip(places, instances, solved.result, strict=True):
        cost, failure = judge(instance, attempt.routes)
        kept.runs(contender)[place] = Run(
            cost=cost, solver_s=attempt.solver_s, cpu_s=cpu_s, wall_s=wall_s, failure=failure
        )
