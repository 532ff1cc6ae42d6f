"""The JSON document that spreadsheets become, and the row that each part of it comes from."""

import re
from collections import defaultdict
from typing import Any, NamedTuple

from vrpcore.formats.sheets.cells import Cells
from vrpcore.formats.sheets.table import SheetRow

Document = dict[str, Any]
ROOT = "\0"  # the place of the document in messages, which no text of a user contains
_PLACE = re.compile(
    rf"(?:{ROOT}\.|\b)(customers|shipments|depots|vehicles|groups|relations)\[(\d+)\]"
    r"(?:\.(pickup|delivery)(?=\W))?(?:\.(\w+))?(?:\[\d+\])*"
)
_WHOLE = re.compile(rf"{ROOT}(?:\.(\w+))?")
_OPTIONS = ("capacity", "depot", "speed", "balance")
# Columns that say what keys of JSON say, where they have other names.
_COLUMNS = {
    "window": ("open", "close"),
    "windows": ("open", "close"),
    "amount": ("demand",),
    "max_customers": ("max_stops",),
    "vehicles": ("only_vehicle",),
    "reloads": ("reload",),
    "members": ("one_of",),
    "stops": ("before_stop",),
    "x": ("x", "lon"),
    "y": ("y", "lat"),
}


class Stop(NamedTuple):
    """A stop as the instance's reader calls it, the customer or shipment that it is of, its row."""

    name: str
    unit: str
    row: SheetRow


class PlaceParts:
    """The lists of a document.

    Attributes:
        lists: By key.
        rows: For each list the cells and the row of each element; None for what an option said.
        stops: In the order of the instance's.
    """

    def __init__(self) -> None:
        self.lists: defaultdict[str, list[Document]] = defaultdict(list)
        self.rows: defaultdict[str, list[tuple[Cells, SheetRow] | None]] = defaultdict(list)
        self.stops: list[Stop] = []

    def add(self, key: str, part: Document, place: tuple[Cells, SheetRow] | None = None) -> None:
        """Adds an element of a list, from a row of a table; None: from an option."""
        self.lists[key].append(part)
        self.rows[key].append(place)

    def depot_ids(self) -> list[str]:
        """Names of the depots, in order."""
        return [str(depot.get("id", index)) for index, depot in enumerate(self.lists["depots"])]

    def translated(self, message: str, label: str) -> str:
        """A message with rows, columns, options or the label in place of the document's keys."""

        def of_key(found: re.Match[str]) -> str:
            return f"--{found[1]}" if found[1] in _OPTIONS else label

        return _WHOLE.sub(of_key, _PLACE.sub(self._of_row, message))

    def _of_row(self, found: re.Match[str]) -> str:
        rows, index = self.rows[found[1]], int(found[2])
        if index >= len(rows):  # the only vehicle, of which options speak
            return f"--{found[4]}" if found[4] in _OPTIONS else found[0]
        if (place := rows[index]) is None:
            return "--depot"
        cells, row = place
        names, columns = _COLUMNS.get(found[4], (found[4],)) if found[4] else (), cells.columns.of
        of_end = (columns.get(f"{found[3]}.{name}", columns.get(name)) for name in names)
        return cells.table.place(row, *of_end)
