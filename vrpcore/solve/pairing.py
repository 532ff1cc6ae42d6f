"""Pair answers with instances and gaps; notify callers of better plans."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace

import numpy as np

from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.modelling.model_solution import ModelSolution
from vrpcore.solve.answer import interrupted, refused
from vrpcore.solve.checked import check_callback
from vrpcore.solve.stage import Improvement, Stage
from vrpcore.solve.stream import Stream

_MOST_GAP = 1e100  # beyond, a reference is as good as 0


def telling(
    report: Callable[[Stage], None] | None,
    on_improvement: Callable[[Improvement], object] | None,
    references: Mapping[str, float],
) -> Callable[[Stage], bool]:
    """Reports progress, and better plans also to whom wants only these; with their gaps.

    Returns:
        What the stream calls; True: `on_improvement` has returned True, so that search ends.

    Raises:
        ConfigError: One of them cannot be called.
    """
    check_callback(report, "report")
    check_callback(on_improvement, "on_improvement")

    def tell(stage: Stage) -> bool:
        enough = False
        if (found := stage.improvement) is not None:
            if found.cost is not None and found.name in references:
                found = found._replace(gap=gap_to(references[found.name], found.cost))
            if on_improvement is not None:
                returned = on_improvement(found)
                enough = isinstance(returned, bool | np.bool_) and bool(returned)
        if report is not None:
            report(stage._replace(improvement=found))
        return enough

    return tell


def with_gap(solution: Solution, references: Mapping[str, float]) -> Solution:
    """A solution with its gap, (cost - reference) / reference.

    It gets one where it is solved and its name is among the references. A reference of 0
    is met only by a cost of 0 (gap 0.0); any other cost has no gap to it (None), nor has
    one to a reference below 0, or so small that the quotient is no number.
    """
    if solution.status != "solved" or solution.cost is None or solution.name not in references:
        return solution
    return replace(solution, gap=gap_to(references[solution.name], solution.cost))


def gap_to(reference: float, cost: float) -> float | None:
    """The gap of a cost to a reference, as `with_gap` has it; None: there is none."""
    if reference > 0:
        gap = (cost - float(reference)) / float(reference)
        return gap if abs(gap) <= _MOST_GAP else None
    return 0.0 if reference == cost == 0 else None


def with_instance(
    item: Instance | InvalidInstance, answer: Solution, references: Mapping[str, float]
) -> ModelSolution:
    """An answer with its instance, and its gap to a known cost."""
    return ModelSolution.of(item, with_gap(answer, references) if references else answer)


def unknown(item: Instance | InvalidInstance) -> Solution:
    """The answer to what an interrupted call had not come to."""
    return refused(item) if isinstance(item, InvalidInstance) else interrupted(item)


def paired(
    stream: Stream,
    instances: Iterable[Instance | InvalidInstance],
    warm_starts: Iterable[Solution | None],
    references: Mapping[str, float],
) -> Generator[ModelSolution, None, None]:
    """The answers of a stream with their instances.

    What is thrown into it, the stream takes as its own interruption.
    """
    waiting: deque[Instance | InvalidInstance] = deque()

    def taken() -> Iterator[Instance | InvalidInstance]:
        for instance in instances:
            waiting.append(instance)
            yield instance

    with closing(stream.answers(taken(), warm_starts)) as answers:
        for answer in answers:
            try:
                yield with_instance(waiting.popleft(), answer, references)
            except GeneratorExit:
                raise
            except BaseException as error:  # the caller was interrupted while it had the answer
                answers.throw(error)
