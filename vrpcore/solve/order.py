"""One caller's instances, and the state of each on the way to its answer."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from vrpcore.errors import internal_words, is_internal, log_internal
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan
from vrpcore.instance.solution import INTERNAL, Solution
from vrpcore.search.effort import Effort
from vrpcore.search.kept_routes import is_better
from vrpcore.search.savings import savings_routes
from vrpcore.search.search import search_instance
from vrpcore.search.watch import Seen, Watch
from vrpcore.solve.answer import (
    INTERRUPTED,
    failed,
    not_found,
    planned,
    rank_of,
    solved,
)
from vrpcore.solve.budget import Budget
from vrpcore.solve.construct import KEPT, MAX_POLICY_CUSTOMERS, asks_policy, asks_variants
from vrpcore.solve.given_routes import given_answer, is_given
from vrpcore.solve.known_plans import WARM_START_REPAIRED
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.stage import Stage

if TYPE_CHECKING:
    from vrpcore.replan.known_vehicles import Keep

ROUNDING = 1e-6  # relative: searches of plain instances round lengths
POLICY_SKIPPED = "POLICY_SKIPPED"
SIZE_OUT_OF_TRAINING = "SIZE_OUT_OF_TRAINING"
# Of the candidates of a whole order, by customers: about a quarter of a gigabyte.
_CANDIDATE_CUSTOMERS = 10_000_000


@dataclass(slots=True, kw_only=True, eq=False)
class Task:
    """An instance that has to be constructed and perhaps searched.

    Attributes:
        position: Its place in the input.
        instance: The instance.
        known: Plans known before: a warm start, and the instance's own routes. Of a plain instance
            they are solutions; with constraints they may break limits.
        candidates: What was constructed, the best first; of a plain instance also what was known.
        unsearched: With constraints, the plan where nothing searches, once it is made.
        warnings: Codes that go with its answer, some with a colon and what was found.
        notes: What the user should know about it.
        construct_s: Seconds that its construction took, where it was alone in its batch.
        covered: A policy knows all of its constraints.
        named: The caller named the model.
        constructor: As of `Solution`.
        error: The first internal error on its way.
        freeze: The time before which what known routes begin stays; None: everything may change.
        started: When it was admitted, in seconds of a clock.
        watch: Watches its search; None: it is not searched.
        trace: As of `Solution`, where somebody looks at its search.
        order: The order that it belongs to; set by the order.
    """

    position: int
    instance: Instance
    known: list[Plan] = field(default_factory=list)
    candidates: list[Plan] = field(default_factory=list)
    unsearched: Plan | None = None
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    construct_s: float = 0.0
    covered: bool = False
    named: bool = False
    constructor: str | None = None
    error: Exception | None = None
    freeze: float | None = None
    started: float = field(default_factory=time.perf_counter)
    watch: Watch | None = None
    trace: list[tuple[float, float]] = field(default_factory=list)
    order: "Order" = field(init=False)

    @property
    def size(self) -> int:
        """N, the number of customers."""
        return self.instance.num_customers

    @property
    def in_reach(self) -> bool:
        """Return whether a policy could construct it."""
        known = self.covered or self.instance.constraints is None
        return known and self.size <= MAX_POLICY_CUSTOMERS

    @property
    def asks_policy(self) -> bool:
        """Return whether the policy constructs it; if not, savings or insertion do."""
        if self.instance.constraints is not None:
            unknown = self.covered and not self.known
            return unknown and asks_variants(self.size, self.order.options)
        return asks_policy(self.size, self.order.options)

    def skip_policy(self) -> None:
        """Notes that no policy can construct it, where the caller asked for one."""
        if self.named or self.order.options.asks_for_policy:
            self.warnings.insert(0, POLICY_SKIPPED)

    @property
    def needs_savings(self) -> bool:
        """Return whether it needs savings routes where the policy is not asked.

        A search makes its own, in less time; with constraints, insertion makes the first plan, and
        the search begins with it.
        """
        return self.instance.constraints is None and not self.order.search_certain

    @property
    def leaves_choice(self) -> bool:
        """Return whether a search has a choice: a single customer may be left out, too."""
        several = self.size > 1 or self.instance.constraints is not None
        return several and not is_given(self.instance)

    @property
    def starts(self) -> Sequence[Plan]:
        """The plans that a search begins with."""
        if self.instance.constraints is None:
            return self.candidates
        return self.known or self.candidates

    @property
    def keep(self) -> "Keep | None":
        """The known plan that is to be kept: the warm start, else the instance's own routes."""
        cost, freeze = self.order.options.keep_cost, self.freeze
        if self.instance.constraints is None or not self.order.options.keeps:
            return None
        from vrpcore.replan.known_vehicles import Keep

        if not self.known:
            return None if freeze is None else Keep(Plan([], freeze=freeze))
        return Keep(self.known[-1]._replace(freeze=freeze), cost)

    def take(self, constructed: Sequence[Plan]) -> None:
        """Keeps the best of what was constructed (the best first), and what was known."""
        if self.instance.constraints is not None:
            self.candidates = list(constructed)
            return
        found = list(constructed[: self.order.kept])
        self.candidates = self._ranked([*self.known, *found]) if self.known else found

    @contextmanager
    def contained(self) -> Iterator[None]:
        """Keeps an internal error with this instance, as `error`: it costs no other anything."""
        try:
            yield
        except Exception as error:
            if not is_internal(error):
                raise
            self.blame(error)

    def blame(self, error: Exception) -> None:
        """Notes an internal error that this instance has met; the first one counts."""
        if self.error is None:
            self.error = error
            log_internal(error)

    def plan(self) -> None:
        """Makes the plan of an instance that nothing searches, which may take long.

        `answer` then only checks it.
        """
        if is_given(self.instance):
            return
        with self.contained():
            if self.instance.constraints is not None:
                self.unsearched = self._made(self.keep)
            elif not self.candidates:
                self.candidates = [Plan.of(savings_routes(self.instance))]

    def answer(self, found: Plan | None) -> Solution:
        """The checked answer; costs no more than the best known plan.

        If an internal error leaves no such answer, the one before it counts: what was
        constructed or known, then only savings or insertion, which know nothing of a plan that
        goes on. A warning says so.

        Args:
            found: What the search found; None if this instance was not searched.
        """
        answer = self._contained_answer(found)
        if answer is None and found is not None:
            answer = self._contained_answer(None)
        goes_on = self.freeze is not None and bool(self.known)
        if answer is None and (self.candidates or self.known) and not goes_on:
            self.candidates, self.known = [], []
            self.unsearched = self.constructor = None
            answer = self._contained_answer(None)
        if not self.order.stopped:  # else another thread may answer it, too
            self.candidates, self.unsearched = [], None  # the largest part of what a task holds
        if answer is None:
            return failed(self.instance.name, cast(Exception, self.error))
        answer = self._with_trace(answer)
        if self.order.stopped:
            answer = replace(answer, warnings=(*answer.warnings, INTERRUPTED))
        if self.error is None:
            return answer
        words = f"{INTERNAL}: {internal_words(self.error, self.instance.name)}"
        return replace(answer, warnings=(*answer.warnings, words))

    @property
    def iterations(self) -> int:
        """Iterations of its search so far; 0 where it is not searched."""
        return 0 if self.watch is None else self.watch.seen().iterations

    def note(self, cost: float) -> None:
        """Adds a plan of this cost to the trace."""
        self.trace.append((time.perf_counter() - self.started, cost))

    def _with_trace(self, answer: Solution) -> Solution:
        """The answer with what led to it; the last plan that was seen may be the answer's."""
        heuristic = "savings" if self.instance.constraints is None else "insertion"
        if (cost := answer.cost) is not None:
            if not self.trace or abs(self.trace[-1][1] - cost) > ROUNDING * abs(cost):
                self.note(cost)
            self.trace[-1] = self.trace[-1][0], cost
        return replace(
            answer,
            constructor=self.constructor or heuristic,
            iterations=self.iterations,
            trace=tuple(self.trace),
        )

    def _contained_answer(self, found: Plan | None) -> Solution | None:
        answer = None
        with self.contained():
            answer = self._checked(found)
        return answer

    def _checked(self, found: Plan | None) -> Solution:
        instance = self.instance
        if is_given(instance):
            warnings = [each for each in self.warnings if each != POLICY_SKIPPED]
            answer = given_answer(instance, warnings)
            return replace(answer, seconds=time.perf_counter() - self.started)
        if instance.constraints is not None:
            return self._planned(found)
        most = instance.max_vehicles or instance.num_customers
        choice = [found] if found is not None else self.candidates
        choice = choice or [Plan.of(savings_routes(instance))]
        if known := self._ranked(self.known):
            choice = self._ranked([*choice, *known])
            if not is_better(self._rank(choice[0]), self._rank(known[0])):
                choice = known  # they stay where nothing is better
        best = next((plan for plan in choice if plan.num_vehicles <= most), None)
        if best is None:
            return not_found(instance, self.warnings, searched=self.order.searches)
        return solved(instance, best, self.warnings)

    def _planned(self, found: Plan | None) -> Solution:
        """The answer of an instance with constraints."""
        keep = self.keep
        if found is None:
            found = self.unsearched or self._made(keep)
        repaired = found.repaired and bool(self.known) and WARM_START_REPAIRED not in self.warnings
        warnings = [*self.warnings, *[WARM_START_REPAIRED] * repaired]
        kept = keep.plan if keep is not None and keep.cost is not None else None
        known = self.known[-1] if self.known else None
        routes = self.instance.origin.with_vans(found.routes, known)
        answer = planned(self.instance, found._replace(routes=routes), warnings, kept)
        return replace(answer, seconds=time.perf_counter() - self.started)

    def _made(self, keep: "Keep | None") -> Plan:
        """The plan of an instance with constraints that nothing searched.

        Where the caller named the model and wants no search, the policy's. Else, and where no
        plan of the policy is whole, the better of insertion's and the policy's.
        """
        if self.constructor and self.named and not self.order.searches and keep is None:
            from vrpcore.search.constrained_search import best_of

            own = best_of(self.instance, self.candidates)
            if own is not None:
                return own
            self.skip_policy()
        effort = Effort("none", self.order.plan_end())
        fewest = self.order.options.fewest_vehicles
        found = search_instance(
            self.instance, self.starts, effort, fewest_vehicles=fewest, keep=keep
        )
        constructed = [{route.stops for route in plan.routes} for plan in self.candidates]
        if {route.stops for route in found.routes} not in constructed:
            self.constructor = None
        return found

    def _ranked(self, plans: list[Plan]) -> list[Plan]:
        return sorted(plans, key=self._rank)

    def _rank(self, plan: Plan) -> tuple[bool, int, float]:
        fewest = self.order.options.fewest_vehicles
        return rank_of(self.instance, plan, fewest_vehicles=fewest)


class Order:
    """One caller's instances.

    Args:
        entries: Tasks, and answers where nothing has to be done; from `admit`.
        options: How to solve.
        first: The position of the first entry.
        end: When the answers must be written, by the session's clock; None: no limit.
        tell: Called with progress by the thread that makes it.

    Attributes:
        searches: Whether the options ask for a search.
        search_certain: A search follows each construction; False if time may be too short.
        kept: How many candidates of an instance are kept.
        budget: How the time is shared; None without a limit.
        last: The position of the last entry.
        due: Whose turn it is: the earliest goes first; set by the session.
        tasks: Those that are with the session, by position.
        held: Those that wait until all are constructed, because they share the time.
        answers: Those that are there, by position.
        in_time: Of what can be searched, whether there was time for that when its turn came.
        stopped: Its caller wants no more than what there is by now.
        future: Gets all answers at once; cancelling it takes the order back.
    """

    def __init__(
        self,
        entries: Sequence[Task | Solution],
        options: SolveOptions,
        first: int = 0,
        end: float | None = None,
        tell: Callable[[Stage], None] = lambda _: None,
    ) -> None:
        self.options, self.tell = options, tell
        self.due, self.last = 0.0, first + len(entries) - 1
        self.tasks: dict[int, Task] = {}
        self.answers: dict[int, Solution] = {}
        for position, entry in enumerate(entries, start=first):
            if isinstance(entry, Task):
                self.tasks[position] = entry
                entry.order = self
                if not entry.in_reach:
                    entry.skip_policy()
            else:
                self.answers[position] = entry
        self._taken = dict(self.tasks)
        self.held: list[Task] = []
        self.searches = self.search_certain = options.improve != "none"
        self.kept = KEPT[options.improve]
        self.budget: Budget | None = None
        if end is not None:
            taken = self._taken.values()
            plain = [task.size for task in taken if task.instance.constraints is None]
            others = [task.size for task in taken if task.instance.constraints is not None]
            covered = [task.size for task in taken if task.asks_policy and task.covered]
            self.budget = Budget(plain, options, end, others, covered)
            self.kept = max(1, min(self.kept, _CANDIDATE_CUSTOMERS // max(1, sum(plain))))
        self.future: Future[list[Solution]] = Future()
        self.in_time: set[bool] = set()
        self.stopped = False

    @cached_property
    def batch_options(self) -> SolveOptions:
        """The options without times: tasks share batches where these are equal."""
        return self.options.untimed()

    @property
    def dropped(self) -> bool:
        """Return whether its caller no longer waits for it: it failed or was taken back."""
        return self.future.done()

    def plan_end(self) -> float | None:
        """The time by which unsearched plans but the first must be there; None: no limit."""
        if self.stopped:
            return 0.0
        if self.budget is None:
            return None
        now = time.perf_counter()
        return now + self.budget.left(now)

    @property
    def searched(self) -> list[Task]:
        """Tasks of it that are being searched."""
        started = (task for task in self._taken.values() if task.watch is not None)
        return [task for task in started if task.position not in self.answers]

    def incumbents(self) -> Iterator[tuple[Task, Seen]]:
        """The findings so far of each running search."""
        for task in self.searched:
            if (watch := task.watch) is not None:  # else it failed meanwhile
                yield task, watch.seen()

    def end_search(self, position: int) -> None:
        """Ends the search of one task, if it has one; its answer is the best plan by then."""
        task = self._taken.get(position)
        if task is not None and task.watch is not None:
            task.watch.stop()

    def stop(self) -> None:
        """Ends its searches, which are answered with what they have; none begins after that."""
        self.stopped = True
        self.future.cancel()
        for task in self.searched:
            cast(Watch, task.watch).stop()

    def unsearched(self, *, all_of_them: bool) -> Iterator[tuple[int, Solution]]:
        """After `stop`: positions and answers, one by one, of what is not searched.

        Of plain instances that are not constructed yet only where all of them are asked for.
        """
        for task in self._taken.values():
            known = task.candidates or task.instance.constraints is not None
            if (known or all_of_them) and task.position not in self.answers:
                yield task.position, task.answer(None)
