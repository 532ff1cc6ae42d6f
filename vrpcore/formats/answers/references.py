"""Reference costs, such as best known solutions, and how far an answer is from them."""

from collections.abc import Mapping
from dataclasses import replace

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.answers.solution_json import SOLUTION
from vrpcore.formats.answers.solutionio import parse_solutions
from vrpcore.formats.files import ByteReader, Source, open_reader
from vrpcore.formats.json.jsondocument import SOLUTIONS
from vrpcore.formats.json.jsonio import MAX_INSTANCES
from vrpcore.formats.json.jsonparse import JsonCursor
from vrpcore.formats.json.key_schema import MAX_MAGNITUDE, check_number, check_text
from vrpcore.instance.solution import Solution

_KEYS_OF_SOLUTIONS = frozenset((*SOLUTION, *SOLUTIONS.keys))


def read_references(source: Source) -> dict[str, float]:
    """Reads reference costs by instance name.

    Args:
        source: A JSON object `{name: cost}`, or solutions of any form that `read_solutions`
            reads. Those that are not solved, or state no cost, are skipped; a `.sol`
            file is named after the file.

    Returns:
        The costs; `solve` and `with_gap` find them by the instance's name.

    Raises:
        InstanceError: It is neither (the message says where), or one name has two costs
            (code DUPLICATE_KEY), or there are too many (TOO_MANY_INSTANCES).
        OutputError: The source cannot be opened or read.
    """
    with open_reader(source) as reader:
        data = reader.rest()
        members = _members(data)
        if members is not None:
            return _costs(members)
        solutions = parse_solutions(ByteReader(iter([data]), reader.label, reader.stem))
        references: dict[str, float] = {}
        for solution in solutions:
            if solution.status != "solved" or solution.cost is None:
                continue
            if references.setdefault(solution.name, solution.cost) != solution.cost:
                message = f"{describe(solution.name)} has two different costs"
                raise fault("references", message, "DUPLICATE_KEY")
        return references


def with_gap(solution: Solution, references: Mapping[str, float]) -> Solution:
    """A solution with its gap, (cost - reference) / reference.

    It gets one where it is solved and its name is among the references. A reference of 0
    is met only by a cost of 0 (gap 0.0); any other cost has no gap to it (None), nor has
    one to a reference below 0, or so small that the quotient is no number.
    """
    if solution.status != "solved" or solution.cost is None or solution.name not in references:
        return solution
    return replace(solution, gap=gap_to(references[solution.name], solution.cost))


def gap_to(reference: float, cost: float) -> float | None:
    """The gap of a cost to a reference, as `with_gap` has it; None: there is none."""
    if reference > 0:
        gap = (cost - float(reference)) / float(reference)
        return gap if abs(gap) <= MAX_MAGNITUDE else None
    return 0.0 if reference == cost == 0 else None


def _members(data: bytes) -> list[tuple[str, object]] | None:
    """Names and values of the object `{name: cost}`; None where the text is something else.

    One value that is no number makes it something else only under a key that solutions
    have, too: otherwise it is a wrong cost.
    """
    cursor = JsonCursor(data)
    members: list[tuple[str, object]] = []
    is_table = False
    try:
        if cursor.peek() != b"{":
            return None
        for key in cursor.members():
            if key not in _KEYS_OF_SOLUTIONS:
                is_table = True
            elif not (cursor.peek().isdigit() or cursor.peek() in (b"-", b"N", b"I")):
                return None  # NaN and Infinity are numbers, refused later
            members.append((key, cursor.value(cursor.span())))
            if len(members) > MAX_INSTANCES:
                break
        else:
            cursor.finish()
    except InstanceError:
        if is_table:
            raise
        return None
    if len(members) > MAX_INSTANCES:
        raise fault("references", f"more than {MAX_INSTANCES} names", "TOO_MANY_INSTANCES")
    return members


def _costs(members: list[tuple[str, object]]) -> dict[str, float]:
    references: dict[str, float] = {}
    for name, cost in members:
        check_text(name, "references")
        if name in references:
            message = f"duplicate key {describe(name)}; keep only one"
            raise fault("references", message, "DUPLICATE_KEY")
        references[name] = check_number(cost, f"references[{describe(name)}]", least=0.0)
    return references
