"""Solutions in, of every format: JSON, JSON Lines, VROOM's, spreadsheets, CVRPLIB's `.sol`."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import msgspec

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.answers.solution_json import SolutionDocument, read_solution
from vrpcore.formats.files import ByteReader, Source, open_reader
from vrpcore.formats.json.explain import check_mapping, check_number, check_text
from vrpcore.formats.json.jsondocument import INSTANCES, SOLUTIONS, is_vroom_answer, read_elements
from vrpcore.formats.json.jsonparse import JsonReader, JsonText
from vrpcore.formats.json.python_values import plain_value
from vrpcore.formats.json.values import Number
from vrpcore.formats.options import MAX_INSTANCES
from vrpcore.formats.other_files import other_document, other_file
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.solution import Solution

_EXPECTED = (
    "expected vrp-solutions/1 JSON, JSON Lines, answers of VROOM's, a CVRPLIB .sol file, or the "
    "CSV or workbook that answers a spreadsheet of stops"
)
_KEYS_OF_SOLUTIONS = frozenset((*SolutionDocument.__struct_fields__, *SOLUTIONS.keys))
WARM_START = "warm_start"
_MARK = f'"{WARM_START}"'.encode()


def read_solutions(source: Source) -> list[Solution]:
    """Reads solutions, all of them or none.

    Args:
        source: A path, `-` for standard input, or a file's bytes; detected from content.

    Returns:
        Solutions in order. A `.sol` file is one solution named after the file; it states
        no loads and costs of routes (`NOT_STATED`) and perhaps no cost (None). A CSV answer
        states neither, and rounded times. It and answers of VROOM's get the names of their
        instance from `with_own_ids`.

    Raises:
        InstanceError: Something is not what it should be; the message says where.
        OutputError: The source cannot be opened or read.
    """
    with open_reader(source) as reader:
        return parse_solutions(reader)


def parse_solutions(reader: ByteReader) -> list[Solution]:
    """Reads at most `MAX_INSTANCES` solutions from an open source; see `read_solutions`."""
    if not (first := reader.skip_blank()):
        raise InstanceError(f"the input is empty, {_EXPECTED}", code="EMPTY")
    if first in (b"{", b"["):
        return list(_solutions(reader))
    from vrpcore.formats.answers.sol_files import read_sol
    from vrpcore.formats.sheets.csv_answers import read_csv_answer
    from vrpcore.formats.sheets.opened import is_answer

    head = reader.head()
    if is_answer(head):
        return [read_csv_answer(reader)]
    if other := other_file(head, f"line {reader.line_number}", SOLUTIONS.list_key):
        raise other
    return [read_sol(reader, _EXPECTED)]


def read_line(reader: ByteReader, place: str) -> Solution:
    """Reads the next line of `vrp-solutions/1` as JSON Lines.

    Raises:
        InstanceError: It is none; the message begins with the place.
    """
    return read_solution(JsonText(line=reader.line_number, data=reader.line()), place)


class AnswerParts(NamedTuple):
    """The parts of a body with earlier answers.

    Attributes:
        instances: A body of its own.
        earlier: Answers, of any format; None: null, as if left out.
    """

    instances: ByteReader
    earlier: ByteReader | None


def parts_of(body: bytes) -> AnswerParts | None:
    """The instances and the earlier answers of a body that has both; None: it has not.

    A value that is a text stands for the file with this text, or for a workbook in base64.
    """
    if _MARK not in body or not body.lstrip().startswith(b"{"):
        return None
    reader, found = JsonReader(JsonText(body)), dict[str, bytes]()
    for key in reader.members():
        reader.peek()
        start = reader.position
        reader.value()
        found[key] = reader.since(start)
    reader.finish()
    if found.keys() != {INSTANCES.list_key, WARM_START}:
        return None

    def part(key: str) -> ByteReader:
        if found[key].startswith(b'"'):
            from vrpcore.formats.sheets.bundle import sent_reader

            return sent_reader(str(JsonText(found[key]).parsed()), key, key)
        return ByteReader(iter([found[key]]), key, None)

    earlier = None if found[WARM_START] == b"null" else part(WARM_START)
    return AnswerParts(part(INSTANCES.list_key), earlier)


def read_references(source: Source) -> dict[str, float]:
    """Reads reference costs by instance name.

    Args:
        source: A JSON object `{name: cost}`, or solutions of any form that `read_solutions`
            reads. Those that are not solved, or state no cost, are skipped; a `.sol`
            file is named after the file.

    Returns:
        The costs; `solve` finds them by the instance's name.

    Raises:
        InstanceError: It is neither (the message says where), or one name has two costs
            (code DUPLICATE), or there are too many (TOO_LARGE).
        OutputError: The source cannot be opened or read.
    """
    with open_reader(source) as reader:
        data = reader.rest()
        if (table := _reference_table(data)) is not None:
            if len(table) > MAX_INSTANCES:
                raise fault("references", f"more than {MAX_INSTANCES} names", "TOO_LARGE")
            return table
        solutions = parse_solutions(ByteReader(iter([data]), reader.label, reader.stem))
        references: dict[str, float] = {}
        for solution in solutions:
            if solution.status != "solved" or solution.cost is None:
                continue
            if references.setdefault(solution.name, solution.cost) != solution.cost:
                message = f"{describe(solution.name)} has two different costs"
                raise fault("references", message, "DUPLICATE")
        return references


def _reference_table(data: bytes) -> dict[str, float] | None:
    """The object `{name: cost}`; None where the text is something else.

    One value that is no number makes it something else only under a key that solutions have, too:
    otherwise it is a wrong cost.
    """
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        costs = msgspec.json.decode(data, type=dict[str, Number])
        if data.count(b":") == msgspec.json.encode(costs).count(b":"):  # no name is twice
            return costs
    if not data.lstrip().startswith(b"{") or b'"status"' in data:
        return None
    try:
        found = check_mapping(JsonText(data).parsed(), "references")
    except InstanceError:
        if any(f'"{key}"'.encode() in data for key in _KEYS_OF_SOLUTIONS):
            return None
        raise
    for key in _KEYS_OF_SOLUTIONS & found.keys():
        if not isinstance(found[key], int | float):
            return None
    return {
        check_text(name, "references"): check_number(cost, f"references[{describe(name)}]", 0.0)
        for name, cost in found.items()
    }


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
        raise fault("references", message, "WRONG_TYPE")
    return {
        name: reference_cost(cost, f"references[{describe(name)}]")
        for name, cost in references.items()
    }


def _solutions(reader: ByteReader) -> Iterator[Solution]:
    for index, element in enumerate(read_elements(reader, SOLUTIONS)):
        if index >= MAX_INSTANCES:
            message = f"more than {MAX_INSTANCES} solutions; split the input"
            raise fault(SOLUTIONS.list_key, message, "TOO_LARGE")
        place = f"{SOLUTIONS.list_key}[{index}]"
        if isinstance(element, InstanceError):
            raise fault(place, str(element), element.code)
        try:
            yield read_solution(element, place)
        except InstanceError:
            if (other := _other(element.parsed(place), place)) is None:
                raise
            yield other


def _other(value: object, place: str) -> Solution | None:
    """An answer of VROOM's; None: nothing that is known."""
    if is_vroom_answer(value):
        from vrpcore.formats.vroom.vroom_solution import read_vroom_answer

        return read_vroom_answer(check_mapping(value, place), place)
    if other := other_document(value, place, SOLUTIONS.list_key):
        raise other from None
    return None


def with_own_ids(instance: Instance, solution: Solution) -> Solution:
    """A solution with the ids of its instance, whatever its file could say of them.

    Those of JSON are compared as texts. A `.sol` is known by routes without stated loads. Ids
    that the instance does not have stay as they are.
    """
    if solution.kind == "csv":
        from vrpcore.formats.sheets.csv_answers import with_sheet_names

        return with_sheet_names(instance, solution)
    if solution.kind == "vroom":
        from vrpcore.formats.vroom.vroom_solution import with_vroom_ids

        return with_vroom_ids(instance, solution)
    if not any(route.states_load for route in solution.routes):
        from vrpcore.formats.answers.sol_files import with_sol_ids

        solution = with_sol_ids(instance, solution)
    return _with_ids(instance, solution)


def _with_ids(instance: Instance, solution: Solution) -> Solution:
    """A solution with each id as its instance has it, a number or a text."""
    exact = set(instance.ids)
    texts: dict[str, CustomerId] = {str(own): own for own in instance.ids}

    def own(name: CustomerId) -> CustomerId:
        return name if name in exact else texts.get(str(name), name)

    routes = (
        replace(route, customers=tuple(map(own, route.customers))) for route in solution.routes
    )
    unserved = (replace(each, id=own(each.id)) for each in solution.unserved)
    return replace(solution, routes=tuple(routes), unserved=tuple(unserved))
