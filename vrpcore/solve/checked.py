"""Checks of what callers in Python hand over, before anything is solved."""

from collections.abc import Iterable, Iterator, Mapping

from vrpcore.errors import ConfigError, describe, fault
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution

_WRONG = "WRONG_TYPE"


def several(
    instances: Iterable[Instance | InvalidInstance],
) -> Iterable[Instance | InvalidInstance]:
    """Instances as they are.

    Raises:
        InstanceError: It is a single one, or something else, such as a path.
    """
    if isinstance(instances, Instance | InvalidInstance):
        raise fault("instances", "a single instance, expected several; write [instance]", _WRONG)
    given: object = instances
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        message = f"{describe(given)}, expected instances; read them by read_instances(...)"
        raise fault("instances", message, _WRONG)
    return instances


def check_instance(value: object, position: int) -> None:
    """Checks one of several instances.

    Raises:
        InstanceError: It is none.
    """
    if not isinstance(value, Instance | InvalidInstance):
        message = f"{describe(value)}, expected an instance, as read_instances(...) returns it"
        raise fault(f"instances[{position}]", message, _WRONG)


def check_start(value: object, place: str) -> None:
    """Checks a warm start.

    Raises:
        InstanceError: It is no solution.
    """
    if not isinstance(value, Solution | None):
        message = f"{describe(value)}, expected a Solution, such as an earlier answer"
        raise fault(place, message, _WRONG)


def checked_starts(starts: Iterable[Solution | None]) -> Iterator[Solution | None]:
    """Warm starts, each checked when its turn comes; see `check_start`."""
    for index, start in enumerate(starts):
        check_start(start, f"warm_starts[{index}]")
        yield start


def check_callback(value: object, name: str) -> None:
    """Checks what is to be called.

    Raises:
        ConfigError: It cannot be called.
    """
    if value is not None and not callable(value):
        raise ConfigError(f"{name}: {describe(value)}, expected a function of one argument")
