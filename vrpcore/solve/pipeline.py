"""From instances to checked solutions: construct, rank, improve, check."""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import NamedTuple

from vrpcore.cost.check import check_solution
from vrpcore.cost.routes import route_cost
from vrpcore.improve.savings import Routes, savings_routes
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Route, Solution
from vrpcore.solve.backend import Backend
from vrpcore.solve.construct import (
    MAX_POLICY_CUSTOMERS,
    construct,
    plan_batches,
)
from vrpcore.solve.options import SolveOptions

Deadline = Callable[[], bool]
Search = Callable[[Instance, Sequence[Routes], Deadline | None], Routes]


class Stage(NamedTuple):
    """Progress: so many instances have passed a stage.

    Attributes:
        name: `construct`, or `finish` for searched and checked.
        done: Instances through it since the last report.
        answers: Of `finish`: solutions by position, so that an interrupted caller can
            keep them.
    """

    name: str
    done: int
    answers: Mapping[int, Solution] = MappingProxyType({})


class Pipeline:
    """Solves lists of instances.

    Args:
        backend: What constructs.
        search: What improves an instance's candidates on the host, safe to call from
            several threads; None: the cheapest construction is the answer.
        options: How.
        report: Told of progress.
        deadline: Answers True when the time is up; None: there is no limit.
    """

    def __init__(
        self,
        backend: Backend,
        search: Search | None,
        options: SolveOptions,
        report: Callable[[Stage], None],
        deadline: Deadline | None = None,
    ) -> None:
        self.backend, self.search, self.options = backend, search, options
        self._report, self._deadline = report, deadline

    def solve(self, instances: Sequence[Instance | InvalidInstance]) -> list[Solution]:
        """One solution for each instance, in order."""
        answers: list[Solution | None] = [_without_search(instance) for instance in instances]
        problems = {
            row: instance
            for row, (instance, answer) in enumerate(zip(instances, answers, strict=True))
            if answer is None and isinstance(instance, Instance)
        }
        ready = {row: answer for row, answer in enumerate(answers) if answer is not None}
        self._report(Stage("finish", len(ready), ready))
        cores = os.cpu_count() or 1
        with (
            ThreadPoolExecutor(self.options.threads or cores) as constructors,
            ThreadPoolExecutor(self.options.workers or cores) as searchers,
        ):
            try:
                # What is constructed is searched while the rest is still being constructed.
                searches = {
                    row: searchers.submit(self._search, problems[row], candidates)
                    for row, candidates in self._construct(problems, constructors)
                }
                for row, search in searches.items():
                    answer = self._finish(problems[row], search.result())
                    answers[row] = answer
                    self._report(Stage("finish", 1, {row: answer}))
            except BaseException:
                constructors.shutdown(wait=False, cancel_futures=True)
                searchers.shutdown(wait=False, cancel_futures=True)
                raise
        return [answer for answer in answers if answer is not None]

    def _construct(
        self, problems: Mapping[int, Instance], constructors: ThreadPoolExecutor
    ) -> Iterator[tuple[int, list[Routes]]]:
        """Candidates of every problem; savings where the policy does not reach."""
        rows = list(problems)
        reached = [row for row in rows if problems[row].num_customers <= MAX_POLICY_CUSTOMERS]
        groups = plan_batches([problems[row] for row in reached], self.options)
        tasks = [[reached[index] for index in group] for group in groups]
        tasks += [[row] for row in rows if problems[row].num_customers > MAX_POLICY_CUSTOMERS]

        def work(group: list[int]) -> list[list[Routes]]:
            members = [problems[row] for row in group]
            if members[0].num_customers > MAX_POLICY_CUSTOMERS:
                return [[savings_routes(member)] for member in members]
            return construct(members, self.backend, self.options)

        # Largest first: a long task at the end would leave the other threads idle.
        tasks.reverse()
        for group, done in [(group, constructors.submit(work, group)) for group in tasks]:
            yield from zip(group, done.result(), strict=True)
            self._report(Stage("construct", len(group)))

    def _search(self, problem: Instance, candidates: list[Routes]) -> Routes | None:
        """The best routes within the fleet that candidates and search give."""
        most = problem.max_vehicles or problem.num_customers
        late = self._deadline is not None and self._deadline()
        if self.search is not None and not late:
            candidates = [self.search(problem, candidates, self._deadline)]
        return next((routes for routes in candidates if len(routes) <= most), None)

    def _finish(self, problem: Instance, routes: Routes | None) -> Solution:
        if routes is None:
            return _not_found(problem, self.search is not None)
        finished = [_finished_route(problem, route) for route in routes]
        costs = [route.cost for route in finished]
        solution = Solution(
            name=problem.name,
            status="solved",
            cost=sum(costs) if problem.integer_cost else math.fsum(costs),
            routes=tuple(finished),
            warnings=self._warnings(problem),
        )
        result = check_solution(problem, solution)
        if not result.ok:  # a bug: never hand out a wrong answer
            raise RuntimeError(f"{problem.name}: the answer fails its check: {result.problems}")
        return solution

    def _warnings(self, problem: Instance) -> tuple[str, ...]:
        low, high = self.backend.info.train_sizes
        codes = []
        if not low <= problem.num_customers <= high:
            codes.append("SIZE_OUT_OF_TRAINING")
        if problem.num_customers > MAX_POLICY_CUSTOMERS:
            codes.append("POLICY_SKIPPED")
        return tuple(codes)


def _finished_route(problem: Instance, route: list[int]) -> Route:
    cost = route_cost(problem, route)
    return Route(
        customers=tuple(problem.ids[customer - 1] for customer in route),
        load=problem.load(tuple(route)),
        cost=int(cost) if problem.integer_cost else cost,
    )


def _without_search(instance: Instance | InvalidInstance) -> Solution | None:
    """The answer where none has to be searched: invalid, empty or proved infeasible."""
    if isinstance(instance, InvalidInstance):
        return Solution(
            name=instance.name, status="invalid", code=instance.code, error=instance.error
        )
    if instance.num_customers == 0:
        return Solution(name=instance.name, status="solved", cost=0.0)
    if instance.max_vehicles is None:
        return None
    total = instance.load(tuple(range(1, instance.num_customers + 1)))
    if total <= instance.max_vehicles * instance.load_limit:
        return None
    return Solution(
        name=instance.name,
        status="infeasible",
        code="TOO_FEW_VEHICLES",
        error=(
            f"max_vehicles: {instance.max_vehicles} vehicles of capacity {instance.capacity:g} "
            f"cannot carry a total demand of {total:g}"
        ),
    )


def _not_found(problem: Instance, searched: bool) -> Solution:
    return Solution(
        name=problem.name,
        status="not_found",
        code="TOO_MANY_ROUTES",
        error=(
            f"max_vehicles: no solution with at most {problem.max_vehicles} routes was found"
            + ("" if searched else "; try --improve fast")
        ),
    )
