"""From instances to checked solutions: construct, rank, improve, check."""

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from vrpcore.improve.savings import Routes
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.solve.backend import Backend
from vrpcore.solve.construction import Construction
from vrpcore.solve.deadline import TimeLimit
from vrpcore.solve.job import Job, admit
from vrpcore.solve.options import SolveOptions
from vrpcore.solve.stream import Crew, Report, Stage, in_order, windows
from vrpcore.solve.timed import TimedRun

# One batch is copied there, one runs, the tours of one are weighed; one alone where a
# time limit needs to know how long a batch takes.
_DEVICE_THREADS = 3
# Routes from an instance and its candidates (cheapest first), the time at which it ends, by
# the pipeline's clock, or None where counts end it, and the cores that it may use.
Search = Callable[[Instance, Sequence[Routes], float | None, int], Routes]


class Pipeline:
    """Solves streams and lists of instances.

    Args:
        backend: What constructs.
        search: What improves an instance's candidates on the host, safe to call from
            several threads; None: the cheapest construction is the answer.
        options: How.
        report: Told of progress, in the caller's thread.
        limit: When everything must be written, if there is such a time.
    """

    def __init__(
        self,
        backend: Backend,
        search: Search | None,
        options: SolveOptions,
        report: Report,
        limit: TimeLimit | None = None,
    ) -> None:
        self.backend, self.search, self.options = backend, search, options
        self._report, self._limit = report, limit or TimeLimit()

    def solve(
        self,
        instances: Iterable[Instance | InvalidInstance],
        warm_starts: Iterable[Solution | None] = (),
    ) -> list[Solution]:
        """One solution for each instance, in order; see `stream`."""
        return list(self.stream(instances, warm_starts))

    def stream(
        self,
        instances: Iterable[Instance | InvalidInstance],
        warm_starts: Iterable[Solution | None] = (),
    ) -> Iterator[Solution]:
        """One solution for each instance, in order, as soon as it and all before it are there.

        Without a time limit only some thousand instances are in memory at a time, and
        nothing is read ahead of a caller that stops asking.

        Args:
            instances: Any number of them.
            warm_starts: Earlier solutions by position; missing ones are None.

        Raises:
            VrpError: The backend failed.
        """
        cores = num_cores()
        threads = self.options.threads or cores
        if self.backend.info.device != "cpu":
            threads = _DEVICE_THREADS if self._limit.end is None else 1
        crew = Crew(threads, self.options.workers or cores)
        entries = self._admitted(instances, warm_starts)
        try:
            if self._limit.end is None:
                begin = partial(self._begin, self._construction(crew), crew)
                yield from in_order(windows(entries), begin, crew, self._report)
            else:
                yield from self._timed(entries, crew)
        finally:
            crew.close()

    def _timed(self, entries: Iterator[Job | Solution], crew: Crew) -> Iterator[Solution]:
        search = None if self.search is None else partial(self._search, crew)
        construction = self._construction(crew)
        run = TimedRun(construction, search, self.options, crew, self._limit)
        cut = windows(entries, whole=True)
        try:
            yield from run.metered(in_order(cut, run.begin, crew, self._report))
        except GeneratorExit:
            raise
        except BaseException:  # interrupted: what is constructed is an answer, too
            crew.closed = True
            kept = run.unfinished()
            self._report(Stage("finish", len(kept), kept))
            raise

    def _construction(self, crew: Crew) -> Construction:
        def note(text: str) -> None:
            crew.say(Stage("note", 0, note=text))

        return Construction(self.backend, self.options, note)

    def _admitted(
        self,
        instances: Iterable[Instance | InvalidInstance],
        warm_starts: Iterable[Solution | None],
    ) -> Iterator[Job | Solution]:
        sizes = self.backend.info.train_sizes
        pairs = zip(instances, itertools.chain(warm_starts, itertools.repeat(None)), strict=False)
        for position, (instance, warm_start) in enumerate(pairs):
            entry = admit(position, instance, warm_start, sizes)
            if isinstance(entry, Job) and entry.note:
                self._report(Stage("note", 0, note=entry.note))
            yield entry

    def _begin(self, construction: Construction, crew: Crew, jobs: list[Job]) -> None:
        for group in construction.grouped(jobs, self.options):
            work = partial(self._construct, construction, crew, group)
            crew.construct(work, quick=construction.is_quick(group, self.options))

    def _construct(self, construction: Construction, crew: Crew, group: list[Job]) -> None:
        construction.fill(group, self.options)
        crew.say(Stage("construct", len(group)))
        if self.search is None:
            answers = {job.position: job.answer(None, searched=False) for job in group}
            crew.say(Stage("finish", len(group), answers))
        for job in group if self.search is not None else ():
            crew.search(partial(self._finish, crew, job))
        if told := self.backend.tune():
            crew.say(Stage("note", 0, note=told))

    def _finish(self, crew: Crew, job: Job) -> None:
        answer = job.answer(self._search(crew, job, None), searched=True)
        crew.say(Stage("finish", 1, {job.position: answer}))

    def _search(self, crew: Crew, job: Job, end: float | None) -> Routes | None:
        """Searched routes, by the earlier of an end and the instance's own time."""
        if self.search is None:
            return None
        own = self.options.time_per_instance_s
        if own is not None:
            own_end = self._limit.clock() + own
            end = own_end if end is None else min(end, own_end)
        return self.search(job.instance, job.candidates, end, crew.cores_for_one())


def num_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
