"""Reference costs, such as best known solutions."""

from contextlib import suppress

import msgspec

from vrpcore.errors import InstanceError, describe
from vrpcore.formats.answers.solution_json import SolutionDocument
from vrpcore.formats.json.explain import check_mapping, check_number, check_text
from vrpcore.formats.json.jsondocument import SOLUTIONS
from vrpcore.formats.json.jsonparse import JsonText
from vrpcore.formats.json.values import Number

_KEYS_OF_SOLUTIONS = frozenset((*SolutionDocument.__struct_fields__, *SOLUTIONS.keys))


def reference_table(data: bytes) -> dict[str, float] | None:
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
