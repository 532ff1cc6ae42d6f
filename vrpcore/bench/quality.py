"""Gap against time, of this project and of its rivals: `vrp bench quality`."""

from collections.abc import Iterator, Sequence

import numpy as np

from vrpcore.api import Solver
from vrpcore.bench.contender import Contender, judge
from vrpcore.bench.curves import Run
from vrpcore.bench.own import own_contenders
from vrpcore.bench.problem_set import ProblemSet
from vrpcore.bench.quality_record import Entries, QualityRecord, SetRecord
from vrpcore.bench.rivals import reference_contender, rival_contenders
from vrpcore.bench.timing import timed

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
    """Every point of every method that can be measured here, and what is missing, in words.

    Args:
        solver: This project's.
        budgets: Seconds per instance.
        seed: Source of all randomness.
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
        reference_s: Seconds per instance of the longer run; 0: none.
        seed: Of the longer run.
    """
    largest = max(instance.num_customers for instance in problems.instances)
    found = [c for c in contenders if c.most_customers is None or largest <= c.most_customers]
    if reference_s > 0 and None in problems.references:
        found += filter(None, [reference_contender(reference_s, seed)])
    return found


def num_pending(record: QualityRecord, entries: Entries) -> int:
    """How many runs are still to be made."""
    return sum(
        len(_pending(record.sets[problems.name], problems, contender))
        for problems, contenders in entries.items()
        for contender in contenders
    )


def measure(record: QualityRecord, entries: Entries) -> Iterator[str]:
    """Makes all runs that the record lacks, and writes them into it.

    Contenders take turns: each instance is solved by all of them, in an order of its own,
    before the next one's turn comes, so that a slow moment of the machine affects all alike.
    Those that take all instances in one call follow at the end of a set. Before a set each
    method solves its first instance once, untimed.

    Args:
        record: One that has joined the entries.
        entries: What to solve, and who solves it.

    Yields:
        What was just measured, once per run.
    """
    for problems, contenders in entries.items():
        kept, everything = record.sets[problems.name], range(len(problems.instances))
        todo = {c: _pending(kept, problems, c) for c in contenders}
        shown = [c for c in contenders if todo[c] and not c.hidden]
        for contender in {c.method: c for c in reversed(shown)}.values():
            contender.solve(problems.instances[:1])  # loads libraries and fills caches
        alone = [contender for contender in contenders if not contender.together]
        for place in everything:
            for index in np.random.default_rng(place).permutation(len(alone)).tolist():
                contender = alone[index]
                if place in todo[contender]:
                    _solve(kept, problems, contender, [place])
                    yield f"{problems.name}: {contender.method}"
        for contender in contenders:
            if contender.together and todo[contender]:
                _solve(kept, problems, contender, everything)
                for _ in todo[contender]:
                    yield f"{problems.name}: {contender.method}"


def _pending(kept: SetRecord, problems: ProblemSet, contender: Contender) -> list[int]:
    done = kept.runs(contender)
    return [place for place in range(len(problems.instances)) if place not in done]


def _solve(
    kept: SetRecord, problems: ProblemSet, contender: Contender, places: Sequence[int]
) -> None:
    instances = [problems.instances[place] for place in places]
    solved = timed(lambda: contender.solve(instances))
    cpu_s, wall_s = solved.cpu_s / len(places), solved.wall_s / len(places)
    for place, instance, attempt in zip(places, instances, solved.result, strict=True):
        cost, failure = judge(instance, attempt.routes)
        kept.runs(contender)[place] = Run(cost, attempt.solver_s, cpu_s, wall_s, failure)
