"""Values of callers in Python, as a JSON parser would return them."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.json_matrices import KEYS as MATRICES
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.shares import stated_amounts

_DEPTH = 7  # as deep as an instance goes
_TYPES = {int, float, str}
_LIMITS = ("capacity", "max_load")
_AMOUNTS = ("demand", "demands", "pickup", "amount", "initial_load", *_LIMITS)
_ADVICE = "give labels that are the ids, or .to_numpy() with depots, customers, then shipments"


class LabelledRows(list[list[object]]):
    """The rows of a square data frame, with the labels of its rows and columns as texts."""

    def __init__(self, rows: Sequence[list[object]], labels: tuple[list[str], list[str]]) -> None:
        super().__init__(rows)
        self.labels = labels

    def ordered(self, names: Sequence[str], place: str) -> list[list[object]]:
        """The rows and columns in the order of some names.

        Labels that only count from 0, as where nobody has given any, mean positions.

        Raises:
            InstanceError: The labels are others, or positions as well as names in another order.
        """
        positions = [str(number) for number in range(len(self))]
        is_counted = all(labels == positions for labels in self.labels)
        if len(names) != len(self) or (is_counted and sorted(names) != sorted(positions)):
            return [*self]  # as positions; another number of nodes is found as without labels
        for labels in self.labels:
            if sorted(labels) != sorted(names):
                wrong = next(iter(Counter(labels) - Counter(names)))
                message = f"label {describe(wrong)} is no id of a depot or a stop, or there twice"
                raise fault(place, f"{message}; {_ADVICE}", "UNKNOWN")
        if is_counted and [*names] != positions:
            message = "its labels 0, 1, ... may be ids or positions, which have another order"
            raise fault(place, f"{message}; {_ADVICE}", "UNKNOWN")
        indices = ({label: index for index, label in enumerate(each)} for each in self.labels)
        rows, columns = ([each[name] for name in names] for each in indices)
        return [[self[row][column] for column in columns] for row in rows]


def python_value(element: object) -> object:
    """An instance as a JSON parser returns it, or the error that it has a labelled matrix with."""
    found = plain_value(element)
    try:
        return in_order_of_ids(found) if isinstance(found, Mapping) else found
    except InstanceError as error:
        return error


def in_order_of_ids(document: Mapping[str, object], place: str = "") -> dict[str, object]:
    """An instance whose labelled matrices have the order of its depots and stops.

    Raises:
        InstanceError: As of `LabelledRows.ordered`.
    """

    def ordered(value: object, where: str) -> object:
        if isinstance(value, LabelledRows):
            return value.ordered([*_node_names(document)], where)
        if isinstance(value, Mapping):
            return {key: ordered(each, f"{where}.{key}") for key, each in value.items()}
        return value

    keys = document.keys() & {*MATRICES, "matrices"}
    return {**document} | {key: ordered(document[key], f"{place}{key}") for key in keys}


def _node_names(document: Mapping[str, object]) -> Iterator[str]:
    """The names of an instance's nodes as far as it is one; the rest is found when it is read."""

    def named(key: str, first: int) -> Iterator[tuple[str, Mapping[str, object]]]:
        rows = document.get(key)
        for number, row in enumerate(rows if isinstance(rows, list) else (), start=first):
            keys = row if isinstance(row, Mapping) else {}
            yield str(number if keys.get("id") is None else keys["id"]), keys

    depot = document.get("depot")
    if "depots" not in document:
        yield str(depot.get("id", 0)) if isinstance(depot, Mapping) else "0"
    yield from (name for name, _ in named("depots", 0))
    yield from (name for name, _ in named("customers" if "customers" in document else "demands", 1))
    for name, keys in named("shipments", 1):
        yield from () if keys.get("on_board") is not None else (f"{name}{PICKUP}",)
        yield f"{name}{DELIVERY}"


def plain_value(value: object, key: str = "", depth: int = _DEPTH) -> object:
    """A copy with numbers, arrays and frames as Python ones, as deep as an instance goes.

    Args:
        value: Of an instance, or a part of it.
        key: Of the value; amounts are read as `stated_amounts` has them.
        depth: How deep lists and objects in it are copied.
    """
    if hasattr(value, "to_numpy"):
        found = plain_value(value.to_numpy(), key, depth)
        if not (hasattr(value, "index") and hasattr(value, "columns") and isinstance(found, list)):
            return found
        labels = ([*map(str, value.index)], [*map(str, value.columns)])
        return LabelledRows(found, labels) if len(labels[0]) == len(labels[1]) else found
    if isinstance(value, np.ndarray | np.generic):
        if key in _AMOUNTS:
            value = stated_amounts(np.asarray(value), limit=key in _LIMITS)
        if value.dtype != object:
            return value.tolist()
        value = value.tolist()
    if type(value).__name__ == "NAType":  # pandas' missing value, which compares with nothing
        return math.nan
    if depth and isinstance(value, Mapping):
        return {each: plain_value(item, each, depth - 1) for each, item in value.items()}
    if depth and isinstance(value, list | tuple):
        plain = set(map(type, value)) <= _TYPES
        return list(value) if plain else [plain_value(item, key, depth - 1) for item in value]
    return value
