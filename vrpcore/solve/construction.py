"""Constructing groups of jobs in the memory that there is."""

import math
import threading
import time
from collections.abc import Callable, Sequence

from vrpcore.errors import is_out_of_memory
from vrpcore.improve.savings import Routes, savings_routes
from vrpcore.instance.instance import Instance
from vrpcore.solve.backend import Backend
from vrpcore.solve.construct import (
    MAX_POLICY_CUSTOMERS,
    asks_policy,
    construct,
    plan_batches,
)
from vrpcore.solve.job import POLICY_SKIPPED, Job
from vrpcore.solve.options import SolveOptions

_TOGETHER = 64  # instances that the policy is not asked for
# How many candidates each level of search looks at; more would only fill memory.
KEPT = {"none": 1, "fast": 16, "deep": 32}


class Construction:
    """Fills jobs with candidates.

    A batch that does not fit into memory is halved, and later ones of its size are split
    beforehand. One instance that does not fit alone gets savings routes.

    Args:
        backend: What runs the policy.
        options: `improve` says how many candidates are kept.
        note: Told in words what the user should know.

    Attributes:
        kept: How many candidates of an instance are kept.
        searched: A search follows, which makes its own savings, in less time.
        on_host: The policy runs on the host's own cores.
    """

    def __init__(
        self, backend: Backend, options: SolveOptions, note: Callable[[str], None]
    ) -> None:
        self._backend, self._note = backend, note
        self.kept = KEPT[options.improve]
        self.searched = options.improve != "none"
        self.on_host = backend.info.device == "cpu"
        self._lock = threading.Lock()
        self._most_nodes: float = math.inf  # padded nodes of a batch that are known to fit

    def grouped(self, jobs: Sequence[Job], options: SolveOptions) -> list[list[Job]]:
        """Jobs in groups to be constructed, the largest sizes first.

        A long task at the end would leave the other threads idle; groups of one size keep
        the order of the input, so that the first answers come first.
        """
        reached = [job for job in jobs if asks_policy(job.size, options)]
        planned = plan_batches([job.instance for job in reached], options, self.on_host)
        groups = [[reached[row] for row in rows] for rows in planned]
        alone = [job for job in jobs if not asks_policy(job.size, options)]
        groups += [[job] for job in alone if job.size > MAX_POLICY_CUSTOMERS]
        small = [job for job in alone if job.size <= MAX_POLICY_CUSTOMERS]
        groups += [small[first : first + _TOGETHER] for first in range(0, len(small), _TOGETHER)]
        return sorted(groups, key=lambda group: -max(job.size for job in group))

    def is_quick(self, group: Sequence[Job], options: SolveOptions) -> bool:
        """Whether a group of `grouped` needs nothing: its search makes its own savings."""
        size = group[0].size
        return self.searched and size <= MAX_POLICY_CUSTOMERS and not asks_policy(size, options)

    def fill(self, jobs: Sequence[Job], options: SolveOptions | None) -> None:
        """Constructs one of the groups.

        Args:
            jobs: Their `candidates` are set; to nothing where the search needs none.
            options: How to decode; None: without the policy.
        """
        started = time.perf_counter()
        if options is not None and asks_policy(jobs[0].size, options):
            self._fit(jobs, options)
        else:
            needed = not self.searched or jobs[0].size > MAX_POLICY_CUSTOMERS
            for job in jobs:
                job.take([savings_routes(job.instance)] if needed else [], 1)
        if len(jobs) == 1:
            jobs[0].construct_s = time.perf_counter() - started

    def _fit(self, jobs: Sequence[Job], options: SolveOptions) -> None:
        nodes = max(job.size for job in jobs) + 1
        waiting = list(jobs)
        while waiting:
            rows = int(max(1, min(len(waiting), self._most_nodes // nodes)))
            if rows < len(waiting) and not self.on_host:
                rows = 1 << (rows.bit_length() - 1)  # a device's batches are powers of two
            part, waiting = waiting[:rows], waiting[rows:]
            candidates = self._try([job.instance for job in part], options)
            if candidates is None:
                self._halve(part, nodes, options)
                continue
            for job, found in zip(part, candidates, strict=True):
                job.take(found, self.kept)

    def _try(
        self, instances: Sequence[Instance], options: SolveOptions
    ) -> list[list[Routes]] | None:
        """Candidates, None where memory ran out; by then the failed attempt's is free."""
        try:
            return construct(instances, self._backend, options)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            return None

    def _halve(self, jobs: Sequence[Job], nodes: int, options: SolveOptions) -> None:
        half = len(jobs) // 2
        if not half:
            job = jobs[0]
            self._note(
                f"{job.instance.name}: {job.size} customers do not fit into memory; "
                "starting from savings instead of the policy"
            )
            job.warnings.append(POLICY_SKIPPED)
            job.take([savings_routes(job.instance)], 1)
            return
        with self._lock:
            self._most_nodes = min(self._most_nodes, half * nodes)
        self._note(f"out of memory with {len(jobs)} instances per batch: continuing with {half}")
        self._fit(jobs, options)
