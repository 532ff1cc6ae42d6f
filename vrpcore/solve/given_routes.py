"""Routes that are given, of which only the times are asked for: VROOM's option `c`."""

from collections.abc import Sequence
from dataclasses import replace

from vrpcore.cost.timeline import Timeline
from vrpcore.errors import InstanceError
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.referee.referee import check_solution
from vrpcore.solve.answer import refused, stated
from vrpcore.solve.starting_routes import own_routes

_MOST_NAMED = 5  # of the limits that the routes break
_ADVICE = "leave 'c' out of the options to have the steps repaired"
_NOT_GIVEN = "no step names it, and option 'c' keeps the steps as they are"


def is_given(instance: Instance) -> bool:
    """Return whether an instance's own routes are its answer, and only times are asked for."""
    options = instance.origin.options
    return options is not None and bool(options.given)


def given_answer(instance: Instance, warnings: Sequence[str]) -> Solution:
    """The instance's own routes with their times, as they are: nobody is added, moved or left out.

    Args:
        instance: With constraints, and routes.
        warnings: Codes that go with it.

    Returns:
        An answer that has passed its check; `invalid` (code ROUTES) where the routes break
        limits, with those in words.
    """
    plan, times = own_routes(instance), Timeline(instance)
    late = [route for route in plan.routes if times.schedule(route) is None]
    if late:
        names = [instance.node_name(instance.num_depots - 1 + stop) for stop in late[0].stops]
        message = f"the route {', '.join(names[:_MOST_NAMED])}"
        message += " ..." if len(names) > _MOST_NAMED else ""
        return _refused(instance, f"{message} cannot keep all time windows, shifts and breaks")
    found = stated(instance, plan, warnings)
    if problems := check_solution(instance, found).problems:
        return _refused(instance, "; ".join(problems[:_MOST_NAMED]))
    unserved = [
        replace(item, detail=_NOT_GIVEN) if item.reason == "FLEET" else item
        for item in found.unserved
    ]
    return replace(found, unserved=tuple(unserved))


def _refused(instance: Instance, why: str) -> Solution:
    words = f"options.c: the given steps break limits: {why}; {_ADVICE}"
    return refused(instance.refused(InstanceError(words, code="ROUTES")))
