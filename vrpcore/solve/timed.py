"""Solving a list of instances within a time limit: first construct all, then search."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from vrpcore.improve.savings import Routes
from vrpcore.instance.solution import Solution
from vrpcore.solve.construct import MAX_POLICY_CUSTOMERS, WORK_S, asks_policy, policy_work
from vrpcore.solve.construction import Construction
from vrpcore.solve.deadline import Budget, Ladder, Shares, TimeLimit, preparation_seconds
from vrpcore.solve.job import Job
from vrpcore.solve.options import SolveOptions
from vrpcore.solve.stream import Crew, Stage

# Searches a job until an end; None: nothing searches.
JobSearch = Callable[[Job, float], Routes | None]

# A few instances are constructed before the others to see how fast the backend is.
_PROBE_SHARE, _PROBE_MOST = 0.02, 8
# Unsearched instances that are finished before the caller's thread is told.
_FINISHED_AT_ONCE = 100
# Of the candidates of all instances together, by customers: about a quarter of a gigabyte.
_CANDIDATE_CUSTOMERS = 10_000_000


class TimedRun:
    """One list of instances on its way to its answers.

    Args:
        construction: Constructs groups.
        search: Searches one job.
        options: What was asked for.
        crew: The threads.
        limit: When everything must be written; it has an end.
    """

    def __init__(
        self,
        construction: Construction,
        search: JobSearch | None,
        options: SolveOptions,
        crew: Crew,
        limit: TimeLimit,
    ) -> None:
        self._construction, self._search, self._options = construction, search, options
        self._crew = crew
        self._clock, self._end = limit.clock, limit.end or 0.0
        self._lock = threading.Lock()
        # Checking is Python: threads that do it side by side wait for each other in every call.
        self._finishing = threading.Lock()
        self._jobs: list[Job] = []
        self._constructed: dict[int, Job] = {}
        self._queue: deque[Job] = deque()
        self._unready = 0
        self._sizes: dict[int, int] = {}
        self._budget = Budget(0, self._end)

    def begin(self, jobs: list[Job]) -> None:
        """Starts the work; the crew reports the answers.

        Args:
            jobs: All of them.
        """
        self._jobs, self._unready = jobs, len(jobs)
        self._sizes = {job.position: job.size for job in jobs}
        customers = sum(self._sizes.values())
        kept = _CANDIDATE_CUSTOMERS // max(1, customers)
        self._construction.kept = max(1, min(self._construction.kept, kept))
        self._budget = Budget(customers, self._end)
        least = sum(preparation_seconds(job.size) for job in jobs)
        if (self._end - self._clock()) * self._crew.workers < least:  # some will not be searched
            self._construction.searched = False
        self._ladder = Ladder(
            [job.instance for job in jobs],
            self._options,
            self._crew.threads,
            self._clock(),
            self._budget,
        )
        groups = self._construction.grouped(jobs, self._options)
        self._probe(groups)
        for group in groups:
            quick = self._construction.is_quick(group, self._options)
            self._crew.construct(partial(self._construct, group), quick=quick)

    def unfinished(self) -> dict[int, Solution]:
        """Answers of what is constructed and was to be searched: what an interruption keeps."""
        searched = self._search is not None
        return {
            job.position: job.answer(None, searched=searched)
            for job in list(self._constructed.values())
            if job.candidates
        }

    def metered(self, answers: Iterable[Solution]) -> Iterator[Solution]:
        """Passes answers on and measures how long the caller takes with each."""
        for position, answer in enumerate(answers):
            before = self._clock()
            yield answer
            self._budget.written(self._sizes.get(position, 0), self._clock() - before)

    def _probe(self, groups: list[list[Job]]) -> None:
        """Constructs a few instances of the middle group and takes them out of it."""
        reached = [group for group in groups if asks_policy(group[0].size, self._options)]
        if not reached:
            return
        group = reached[len(reached) // 2]
        count = len(group)
        if self._construction.on_host:  # elsewhere a few take as long as the whole group
            each = WORK_S * policy_work(group[0].size, self._options)
            left = self._end - self._clock()
            count = int(min(max(_PROBE_SHARE * left / each, 1), _PROBE_MOST, count))
        probe, group[:count] = group[:count], []
        if not group:
            groups.remove(group)
        self._construct(probe)

    def _construct(self, group: list[Job]) -> None:
        instances = [job.instance for job in group]
        begun = self._clock()
        asked = asks_policy(group[0].size, self._options)
        rung = self._ladder.choose(instances, begun) if asked else None
        self._construction.fill(group, rung)
        if rung is not None:
            self._ladder.measured(instances, rung, self._clock() - begun)
        self._crew.say(Stage("construct", len(group)))
        if self._search is None:
            self._finish(group, None)
            return
        self._count_ready(group)

    def _count_ready(self, group: list[Job]) -> None:
        """Begins to search when all are constructed."""
        with self._lock:
            self._constructed.update((job.position, job) for job in group)
            self._unready -= len(group)
            if self._unready:
                return
        self._begin_search()

    def _begin_search(self) -> None:
        jobs = self._jobs
        sizes = [job.size for job in jobs]
        shares = Shares(sizes, self._crew.workers, self._budget)
        scarce = shares.scarce(self._clock())
        if scarce:  # the first seconds gain most per second where instances are small
            jobs = sorted(jobs, key=lambda job: job.size)
        self._queue = deque(jobs)
        self._jobs = []
        for _ in range(self._crew.workers):
            self._crew.search(partial(self._search_on, shares, scarce))

    def _search_on(self, shares: Shares, by_size: bool) -> None:
        """Searches one instance after the other until none is left."""
        while not self._crew.closed and (jobs := self._take(1)):
            (job,) = jobs
            least = job.construct_s if job.size > MAX_POLICY_CUSTOMERS else 0.0
            end = shares.end_of(job.size, self._clock(), least)
            found = None
            if self._search is not None and end is not None and job.size > 1:
                found = self._search(job, end)
            if by_size and end is None:  # nor is there time for the others, which are larger
                jobs += self._take(_FINISHED_AT_ONCE - 1)
            self._finish(jobs, found)

    def _take(self, most: int) -> list[Job]:
        taken: list[Job] = []
        with suppress(IndexError):  # the other workers take, too
            while len(taken) < most:
                taken.append(self._queue.popleft())
        return taken

    def _finish(self, jobs: Sequence[Job], found: Routes | None) -> None:
        searched = self._search is not None
        customers = sum(job.size for job in jobs)
        with self._finishing:
            begun = self._clock()
            answers = {job.position: job.answer(found, searched=searched) for job in jobs}
            self._budget.finished(customers, self._clock() - begun)
        for position in answers:
            self._constructed.pop(position, None)
        self._crew.say(Stage("finish", len(jobs), answers))
