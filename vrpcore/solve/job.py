"""One instance on its way through the pipeline."""

from dataclasses import dataclass, field

from vrpcore.errors import InstanceError
from vrpcore.formats.warmstart import given_routes, warm_routes
from vrpcore.improve.savings import Routes, savings_routes
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.solve.answer import not_found, rank_of, refused, settled, solved
from vrpcore.solve.construct import MAX_POLICY_CUSTOMERS

WARM_START_IGNORED = "WARM_START_IGNORED"
POLICY_SKIPPED = "POLICY_SKIPPED"
SIZE_OUT_OF_TRAINING = "SIZE_OUT_OF_TRAINING"


@dataclass(slots=True, kw_only=True)
class Job:
    """An instance that has to be constructed and perhaps searched.

    Attributes:
        position: Its place in the input.
        instance: The instance.
        known: Routes known before: a warm start, and the instance's own.
        candidates: What was constructed and what was known, cheapest first.
        warnings: Codes that go with its answer.
        note: What the user should be told about it, empty where nothing.
        construct_s: Seconds that its construction took, where it was alone in its group.
    """

    position: int
    instance: Instance
    known: list[Routes] = field(default_factory=list)
    candidates: list[Routes] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    note: str = ""
    construct_s: float = 0.0

    @property
    def size(self) -> int:
        """N, the number of customers."""
        return self.instance.num_customers

    def take(self, constructed: list[Routes], most: int) -> None:
        """Keeps the best of what was constructed, and what was known among them.

        Args:
            constructed: Cheapest first.
            most: How many to keep: as many as the search looks at.
        """
        found = constructed[:most]
        if self.known:
            found = self._ranked([*self.known, *found])
        self.candidates = found

    def answer(self, found: Routes | None, *, searched: bool) -> Solution:
        """The checked answer, never dearer than what was known before.

        Args:
            found: What the search found; None where this instance was not searched.
            searched: True where this run searches at all.
        """
        instance = self.instance
        most = instance.max_vehicles or instance.num_customers
        choice = [found] if found is not None else self.candidates or [savings_routes(instance)]
        if self.known and found is not None:
            choice = self._ranked([found, *self.known])
        self.candidates = []  # the largest part of what a job holds
        best = next((routes for routes in choice if len(routes) <= most), None)
        if best is None:
            return not_found(instance, self.warnings, searched=searched)
        return solved(instance, best, self.warnings)

    def _ranked(self, solutions: list[Routes]) -> list[Routes]:
        return sorted(solutions, key=lambda routes: rank_of(self.instance, routes))


def admit(
    position: int,
    instance: Instance | InvalidInstance,
    warm_start: Solution | None,
    train_sizes: tuple[int, int],
) -> Job | Solution:
    """What has to be done for an instance, or its answer where nothing has to be.

    Args:
        position: Its place in the input.
        instance: As read.
        warm_start: An earlier solution of it.
        train_sizes: Smallest and largest N that the model was trained on.
    """
    if isinstance(instance, InvalidInstance):
        return refused(instance)
    if (answer := settled(instance)) is not None:
        return answer
    job = Job(position=position, instance=instance)
    if not train_sizes[0] <= job.size <= train_sizes[1]:
        job.warnings.append(SIZE_OUT_OF_TRAINING)
    if job.size > MAX_POLICY_CUSTOMERS:
        job.warnings.append(POLICY_SKIPPED)
    _add_known(job, warm_start)
    return job


def _add_known(job: Job, warm_start: Solution | None) -> None:
    """The instance's own routes and the warm start, where they are solutions of it."""
    for given in (None, warm_start) if warm_start else (None,):
        try:
            found = (
                given_routes(job.instance) if given is None else warm_routes(job.instance, given)
            )
        except InstanceError as error:
            job.warnings.append(WARM_START_IGNORED)
            job.note = f"{job.instance.name}: warm start ignored: {error}"
            continue
        if found:
            job.known.append(found)
