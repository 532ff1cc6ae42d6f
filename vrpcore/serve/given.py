"""Instances in a body, and earlier answers to start from."""

from collections.abc import Sequence
from typing import NamedTuple

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.answers.solutionio import parse_solutions
from vrpcore.formats.files import ByteReader
from vrpcore.formats.json.jsondocument import INSTANCES
from vrpcore.formats.json.jsonparse import JsonReader, JsonText
from vrpcore.formats.sheets.bundle import sent_reader
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.solve.warm_starts import WarmStarts

Items = list[Instance | InvalidInstance]
_KEY = "warm_start"
_MARK = f'"{_KEY}"'.encode()


class Given(NamedTuple):
    """The content of a body.

    Attributes:
        items: Instances, valid or not.
        starts: An earlier solution of each, or None; of the last ones they may be missing.
    """

    items: Items
    starts: Sequence[Solution | None] = ()


class Parts(NamedTuple):
    """The parts of a body with earlier answers.

    Attributes:
        instances: A body of its own.
        earlier: Answers, of any format.
    """

    instances: ByteReader
    earlier: ByteReader


def parts_of(body: bytes) -> Parts | None:
    """The instances and the earlier answers of a body that has both; None: it has not.

    A value that is a text stands for the file with this text, or for a workbook in base64.
    """
    if _MARK not in body or not body.lstrip().startswith(b"{"):
        return None
    reader, found = JsonReader(body), dict[str, bytes]()
    for key in reader.members():
        reader.peek()
        start = reader.position
        reader.value()
        found[key] = reader.since(start)
    reader.finish()
    if found.keys() != {INSTANCES.list_key, _KEY}:
        return None

    def part(key: str) -> ByteReader:
        if found[key].startswith(b'"'):
            return sent_reader(str(JsonText(found[key]).parsed()), key, key)
        return ByteReader(iter([found[key]]), key, None)

    return Parts(part(INSTANCES.list_key), part(_KEY))


def starts_of(items: Items, earlier: ByteReader) -> list[Solution | None]:
    """The earlier answer of each instance: by name, else by position.

    Raises:
        InstanceError: They cannot be read, or are not as many as the instances.
    """
    try:
        found = parse_solutions(earlier)
    except InstanceError as error:
        raise InstanceError(f"{_KEY}: {error}", code=error.code) from None
    if len(found) != len(items):
        message = f"{len(found)} solutions for {len(items)} instances; give one for each"
        raise fault(_KEY, message, "SHAPE")
    starts = WarmStarts(found, lambda _: None)
    return [starts.take(item.name, position) for position, item in enumerate(items)]
