"""Keys that are not VROOM's in its documents: left out, as VROOM does, and reported."""

import difflib
from collections.abc import Mapping
from typing import NamedTuple

from vrpcore.formats.json.jsonparse import JsonObject
from vrpcore.formats.json.key_schema import Keys
from vrpcore.formats.json.keys import plain_name
from vrpcore.formats.vroom.vroom_keys import (
    BREAK,
    COSTS,
    JOB,
    MATRICES,
    PROBLEM,
    SHIPMENT,
    STEP,
    VEHICLE,
    VISIT,
    unsupported,
)

_MOST_NAMED = 8
_ANY = "*"  # stands for all names of an object


class _Kind(NamedTuple):
    """The keys of an object; None: any. `parts` are objects in it, or lists of objects."""

    keys: Keys | None
    parts: "Mapping[str, _Kind]"


_VISIT = _Kind(VISIT, {})
_OF_VEHICLE = {"costs": _Kind(COSTS, {}), "breaks": _Kind(BREAK, {}), "steps": _Kind(STEP, {})}
_PROBLEM = _Kind(
    PROBLEM,
    {
        "jobs": _Kind(JOB, {}),
        "shipments": _Kind(SHIPMENT, {"pickup": _VISIT, "delivery": _VISIT}),
        "vehicles": _Kind(VEHICLE, _OF_VEHICLE),
        "matrices": _Kind(None, {_ANY: _Kind(MATRICES, {})}),
    },
)


def without_unknown_keys(value: object, place: str) -> tuple[object, tuple[str, ...]]:
    """A document without the keys that VROOM does not know, and a note that names them.

    Args:
        value: The document; it stays as it is.
        place: Begins each message.

    Raises:
        InstanceError: A key changes the meaning of the problem (code UNSUPPORTED): `matrix`.
    """
    _check_meaning(value, place)
    unknown: dict[str, str] = {}
    known = _known(value, _PROBLEM, "", unknown)
    if not unknown:
        return value, ()
    named = [f"{key}{hint}" for key, hint in unknown.items()]
    more = len(named) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return known, (
        f"keys that are not VROOM's are ignored: {', '.join(named[:_MOST_NAMED])}{rest}",
    )


def _check_meaning(value: object, place: str) -> None:
    if not isinstance(value, Mapping):
        return
    if value.get("matrix") is not None:
        message = "the old form of durations; give matrices: {'car': {'durations': [...]}}"
        raise unsupported(f"{place}.matrix", message)


def _known(value: object, kind: _Kind, path: str, unknown: dict[str, str]) -> object:
    """The same object, or list of objects, with only known keys."""
    if isinstance(value, list | tuple):
        return [_known(each, kind, path, unknown) for each in value]
    if not isinstance(value, Mapping):
        return value
    kept = JsonObject()
    for key, item in value.items():
        if kind.keys is not None and key not in kind.keys:
            near = difflib.get_close_matches(str(key), kind.keys, 1, 0.8)
            hint = f" (did you mean {near[0]}?)" if near else ""
            unknown.setdefault(f"{path}{plain_name(key)}", hint)
            continue
        part = kind.parts.get(key) or kind.parts.get(_ANY)
        kept[key] = item if part is None else _known(item, part, f"{path}{key}.", unknown)
    kept.duplicate = getattr(value, "duplicate", None)
    return kept
