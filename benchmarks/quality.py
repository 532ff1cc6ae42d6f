"""Gap against time, of this project and of its rivals: `python -m benchmarks quality`."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.contender import Contender, judge
from benchmarks.curves import SolverRun
from benchmarks.own import own_contenders
from benchmarks.quality_record import Entries, QualityRecord, SetRecord
from benchmarks.rivals import reference_contenders, rival_contenders
from vrpcore.bench.problem_set import ProblemSet
from vrpcore.bench.timing import timed
from vrpcore.instance.instance import Instance
from vrpcore.solve.solver import Solver

# With 20 customers HGS is done after 5 ms: larger budgets alone would make it look slow.
BUDGETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
QUICK_BUDGETS = BUDGETS[:6]
SETS = ("uniform20", "uniform50", "uniform100", "uniform200")
QUICK_SETS = ("uniform20", "uniform50")
COUNT, QUICK_COUNT = 32, 4
REFERENCE_S, QUICK_REFERENCE_S = 5.0, 0.5


def all_contenders(
    solver: Solver, budgets: Sequence[float], seed: int, fewest_vehicles: bool = False
) -> tuple[list[Contender], list[str]]:
    """Return every point of every method that can run here, and a message for each missing one.

    Args:
        solver: This project's.
        budgets: Seconds per instance.
        seed: Source of all randomness.
        fewest_vehicles: With constraints, fewer vehicles come before cost.
    """
    ascending = sorted(budgets)
    own, own_notes = own_contenders(solver, ascending, seed, fewest_vehicles)
    rivals, rival_notes = rival_contenders(ascending, seed, fewest_vehicles)
    return own + rivals, own_notes + rival_notes


def contenders_for(
    problems: ProblemSet, contenders: Sequence[Contender], reference_s: float, seed: int
) -> list[Contender]:
    """Return the contenders of a set, with a longer run of a rival where costs are not known.

    Args:
        problems: The set.
        contenders: All of them.
        reference_s: Seconds per instance of the longer run; 0: none.
        seed: Of the longer run.
    """
    reasons = _refusals(problems, contenders)
    found = [c for c in contenders if c not in reasons and _small_enough(problems, c)]
    if reference_s > 0 and None in problems.references:
        longer = reference_contenders(reference_s, seed, problems.vehicles is not None)
        taking = [each for each in longer if each not in _refusals(problems, longer)]
        found += taking[:1]
    return found


def left_out(problems: ProblemSet, contenders: Sequence[Contender]) -> list[str]:
    """A sentence for each reason why contenders do not take part on a set, size aside.

    Args:
        problems: The set.
        contenders: All of them.
    """
    methods: dict[str, list[str]] = {}
    reasons = _refusals(problems, contenders)
    for contender, reason in reasons.items():
        whole = all(c in reasons for c in contenders if c.method == contender.method)
        name = contender.method if whole else f"{contender.method}, {contender.setting}"
        methods.setdefault(reason, []).append(name)
    return [
        f"{', '.join(dict.fromkeys(names))}: left out of {problems.name}: {reason}"
        for reason, names in methods.items()
    ]


def _refusals(problems: ProblemSet, contenders: Sequence[Contender]) -> dict[Contender, str]:
    """The reasons of contenders that refuse some instance."""
    known: dict[Callable[[Instance], str | None], str | None] = {}
    for refuses in dict.fromkeys(contender.refuses for contender in contenders):
        found = ((each.name, refuses(each)) for each in problems.instances)
        known[refuses] = next((f"{why} ({name})" for name, why in found if why), None)
    reasons = ((contender, known[contender.refuses]) for contender in contenders)
    return {contender: reason for contender, reason in reasons if reason is not None}


def _small_enough(problems: ProblemSet, contender: Contender) -> bool:
    largest = max(instance.num_customers for instance in problems.instances)
    return contender.most_customers is None or largest <= contender.most_customers


def num_pending(record: QualityRecord, entries: Entries) -> int:
    """Count the runs still to be made."""
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
        for position in everything:
            for index in np.random.default_rng(position).permutation(len(alone)).tolist():
                contender = alone[index]
                if position in todo[contender]:
                    _solve(kept, problems, contender, [position])
                    yield f"{problems.name}: {contender.method}"
        for contender in contenders:
            if contender.together and todo[contender]:
                _solve(kept, problems, contender, everything)
                for _ in todo[contender]:
                    yield f"{problems.name}: {contender.method}"


def _pending(kept: SetRecord, problems: ProblemSet, contender: Contender) -> list[int]:
    done = kept.runs(contender)
    return [position for position in range(len(problems.instances)) if position not in done]


def _solve(
    kept: SetRecord, problems: ProblemSet, contender: Contender, positions: Sequence[int]
) -> None:
    instances = [problems.instances[position] for position in positions]
    solved = timed(lambda: contender.solve(instances))
    cpu_s, wall_s = solved.cpu_s / len(positions), solved.wall_s / len(positions)
    for position, instance, attempt in zip(positions, instances, solved.result, strict=True):
        cost, failure = judge(instance, attempt.routes)
        run = SolverRun(cost, attempt.solver_s, cpu_s, wall_s, failure)
        if problems.vehicles is not None and cost is not None:
            run = run._replace(vehicles=attempt.num_routes)
        kept.runs(contender)[position] = run
