"""Checks of what callers in Python hand over, before anything is solved."""

from collections.abc import Iterable, Iterator, Mapping

from vrpcore.errors import ConfigError, describe, fault
from vrpcore.formats.json.explain import check_number
from vrpcore.formats.json.python_values import plain_value
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


def reference_cost(value: object, place: str) -> float:
    """A known cost.

    Raises:
        InstanceError: It is no number.
    """
    return check_number(plain_value(value), place, least=0.0)


def reference_costs(references: object) -> dict[str, float]:
    """Known costs by the names of instances; None: there are none.

    Raises:
        InstanceError: They are something else.
    """
    if references is None:
        return {}
    if not isinstance(references, Mapping):
        message = f"{describe(references)}, expected costs by instance name: {{name: cost}}"
        raise fault("references", message, _WRONG)
    return {
        name: reference_cost(cost, f"references[{describe(name)}]")
        for name, cost in references.items()
    }


def check_callback(value: object, name: str) -> None:
    """Checks what is to be called.

    Raises:
        ConfigError: It cannot be called.
    """
    if value is not None and not callable(value):
        raise ConfigError(f"{name}: {describe(value)}, expected a function of one argument")
