"""Options that an instance brings itself: those of a document of VROOM's."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from vrpcore.errors import InstanceError
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.search.hgs_library import is_built
from vrpcore.solve.solve_options import Improve, SolveOptions

# By VROOM's levels of exploration.
_IMPROVE: tuple[Improve, ...] = ("none", "fast", "fast", "fast", "fast", "deep")


def own_options(item: Instance | InvalidInstance, options: SolveOptions) -> SolveOptions:
    """The options of one instance: what its document says comes before what all others have.

    Args:
        item: The instance.
        options: Of the run or request.
    """
    own, changes = item.origin.options if isinstance(item, Instance) else None, dict[str, Any]()
    if own is None:
        return options
    if own.explore is not None and is_built():
        level = _IMPROVE[own.explore]
        if level == "none" and options.fewest_vehicles:
            level = "fast"  # they are found by a search only
        if level == "none":
            changes = dict.fromkeys(options.of_search)  # nothing is left to be ended
        changes["improve"] = level
    if own.threads is not None:
        changes["workers"] = own.threads
    if own.limit_s is not None:
        changes["time_per_instance"] = own.limit_s
    return replace(options, **changes) if changes else options


def shared_options(
    items: Iterable[Instance | InvalidInstance], options: SolveOptions
) -> SolveOptions:
    """The options of all instances of one order.

    Args:
        items: The instances; invalid ones ask for nothing.
        options: Of the request.

    Raises:
        InstanceError: They differ (code CONFLICT).
    """
    valid = (item for item in items if isinstance(item, Instance))
    found = {own_options(item, options): item.name for item in valid}
    if len(found) > 1:
        first, second, *_ = found.values()
        message = "have different 'options'; send them in requests of their own"
        raise InstanceError(f"{first} and {second} {message}", code="CONFLICT")
    return next(iter(found), options)
