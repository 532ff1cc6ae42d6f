"""Reference costs, such as best known solutions, and how far an answer is from them."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import msgspec

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.answers.solution_json import SolutionDocument
from vrpcore.formats.answers.solutionio import parse_solutions
from vrpcore.formats.files import ByteReader, Source, open_reader
from vrpcore.formats.json.explain import check_mapping, check_number, check_text
from vrpcore.formats.json.jsondocument import SOLUTIONS
from vrpcore.formats.json.jsonparse import JsonText
from vrpcore.formats.json.values import MAX_MAGNITUDE, Number
from vrpcore.formats.read import MAX_INSTANCES
from vrpcore.instance.solution import Solution

_KEYS_OF_SOLUTIONS = frozenset((*SolutionDocument.__struct_fields__, *SOLUTIONS.keys))


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
            (code DUPLICATE), or there are too many (TOO_LARGE).
        OutputError: The source cannot be opened or read.
    """
    with open_reader(source) as reader:
        data = reader.rest()
        if (table := _table(data)) is not None:
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


def _table(data: bytes) -> dict[str, float] | None:
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
