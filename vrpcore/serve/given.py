"""Instances in a body, and earlier answers to start from."""

from collections.abc import Sequence
from typing import NamedTuple

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.solutions import WARM_START, parse_solutions
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.solve.warm_starts import WarmStarts

Items = list[Instance | InvalidInstance]


class Given(NamedTuple):
    """The content of a body.

    Attributes:
        items: Instances, valid or not.
        starts: An earlier solution of each, or None; of the last ones they may be missing.
    """

    items: Items
    starts: Sequence[Solution | None] = ()


def starts_of(items: Items, earlier: ByteReader) -> list[Solution | None]:
    """The earlier answer of each instance: by name, else by position.

    Raises:
        InstanceError: They cannot be read, or are not as many as the instances.
    """
    try:
        found = parse_solutions(earlier)
    except InstanceError as error:
        raise InstanceError(f"{WARM_START}: {error}", code=error.code) from None
    if len(found) != len(items):
        message = f"{len(found)} solutions for {len(items)} instances; give one for each"
        raise fault(WARM_START, message, "SHAPE")
    starts = WarmStarts(found, lambda _: None)
    return [starts.take(item.name, position) for position, item in enumerate(items)]
