"""Turn an instance into a task, or answer it at once."""

from collections.abc import Container

from vrpcore.arrays.coverage import why_not_covered
from vrpcore.cost.far import doubtful_places
from vrpcore.cost.no_road import suspected_no_road
from vrpcore.errors import InstanceError, fault
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.search import hgs_library, rich_library
from vrpcore.solve.answer import refused, settled, unsearchable
from vrpcore.solve.checked import check_instance
from vrpcore.solve.given_routes import is_given
from vrpcore.solve.known_plans import (
    AMOUNTS_UNKNOWN,
    check_rows,
    freeze_note,
    freeze_time,
    known_plans,
    lost_routes,
    ready_to_keep,
    unknown_amounts,
    with_options,
)
from vrpcore.solve.order import Task
from vrpcore.solve.solve_options import SolveOptions

NO_ROAD_SUSPECTED = "NO_ROAD_SUSPECTED"
PLACE_SUSPECTED = "PLACE_SUSPECTED"


def admit(
    position: int,
    instance: Instance | InvalidInstance,
    warm_start: Solution | None,
    *,
    knows_variants: bool = False,
    named: bool = False,
    options: SolveOptions | None = None,
) -> Task | Solution:
    """Turn an instance into a task, or answer it at once.

    Args:
        position: Its place in the input.
        instance: As read.
        warm_start: An earlier solution of it.
        knows_variants: There is a policy of the literature's variants.
        named: The caller named the model.
        options: How it is solved. Where a plan is to be kept, it is with the search of constraints.
    """
    check_instance(instance, position)
    if isinstance(instance, InvalidInstance):
        return refused(instance)
    task = Task(position=position, instance=instance, named=named)
    try:
        check_rows(instance, warm_start)
        lost = _go_on(task, warm_start, options)
    except InstanceError as error:
        return refused(instance.refused(error))
    instance = task.instance
    with task.contained():
        if (answer := settled(instance)) is not None:
            return answer
    constrained = instance.constraints is not None
    if not (rich_library.is_built() if constrained else task.in_reach or hgs_library.is_built()):
        return unsearchable(instance)
    with task.contained():
        task.covered = constrained and knows_variants and why_not_covered(instance) is None
        if (suspicion := suspected_no_road(instance)) is not None:
            task.warnings.append(f"{NO_ROAD_SUSPECTED}: {suspicion}")
            task.notes.append(f"{instance.name}: {suspicion}")
        for doubt in doubtful_places(instance):
            task.warnings.append(f"{PLACE_SUSPECTED}: {doubt}")
            task.notes.append(f"{instance.name}: {doubt}")
        task.known, codes, notes = known_plans(instance, warm_start, lost, task.freeze)
        task.warnings += codes
        task.notes += notes
        if task.freeze is not None and task.known and instance.constraints is not None:
            changed = unknown_amounts(instance, task.known[-1], warm_start)
            if changed is not None:
                task.warnings.append(f"{AMOUNTS_UNKNOWN}: {changed}")
                task.notes.append(f"{instance.name}: {changed}")
    return task


def _go_on(task: Task, warm_start: Solution | None, options: SolveOptions | None) -> Container[int]:
    """Make a task ready to keep its known plan, or to go on with it.

    Returns:
        The known routes whose vehicles are lost.

    Raises:
        InstanceError: The time or the vehicles are not those of this instance.
    """
    lost: Container[int] = ()
    constraints = task.instance.constraints
    if options is not None and options.keeps and constraints and constraints.split is not None:
        message = "no plan is kept, or goes on, where customers may be split; leave keep and freeze"
        raise InstanceError(f"{message} out, or split", code="CONFLICT")
    if options is not None and options.keeps:
        with task.contained():
            task.instance = ready_to_keep(task.instance, warm_start)
        if is_given(task.instance):
            message = "c takes the steps as they are: leave that, or keep and freeze, out"
            raise InstanceError(f"options.{message}", code="CONFLICT")
        if options.freeze is not None:
            if warm_start is not None and not (warm_start.has_routes or warm_start.routes):
                message = f"the plan that goes on has no routes: its status is {warm_start.status}"
                raise fault("freeze", message, "FREEZE")
            task.freeze = freeze_time(task.instance, options.freeze)
            if options.lost is not None:
                lost = lost_routes(task.instance, warm_start, options.lost)
            task.instance = with_options(task.instance, options.lost, options.goods)
            if (note := freeze_note(task.instance, options.freeze)) is not None:
                task.notes.append(f"{task.instance.name}: {note}")
    constraints = task.instance.constraints
    vehicles = () if constraints is None else constraints.vehicles
    if task.freeze is None and any(each.is_lost for each in vehicles):
        advice = "give that, or leave it out"
        message = f"a vehicle is lost, which means nothing without freeze; {advice}"
        raise InstanceError(message, code="FREEZE")
    return lost
