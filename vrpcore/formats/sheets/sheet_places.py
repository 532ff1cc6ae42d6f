"""Places of a JSON document as rows and columns of the spreadsheets that it comes from."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vrpcore.formats.sheets.cells import Cells
from vrpcore.formats.sheets.table import Row

ROOT = "\0"  # the place of the document in messages, which no text of a user contains
_PLACE = re.compile(
    rf"(?:{ROOT}\.|\b)(customers|shipments|depots|vehicles|groups|relations)\[(\d+)\]"
    r"(?:\.(?:pickup|delivery)(?=\W))?(?:\.(\w+))?(?:\[\d+\])*"
)
_WHOLE = re.compile(rf"{ROOT}(?:\.(\w+))?")
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


class Places(NamedTuple):
    """Where the parts of a document were read.

    Attributes:
        of: For each list of the document, the cells and the row of each element; None for what
            an option said.
        options: What the document's own keys are called on the command line.
    """

    of: Mapping[str, Sequence[tuple[Cells, Row] | None]]
    options: Mapping[str, str]
    label: str

    def translated(self, message: str) -> str:
        """A message with rows and columns in place of the document's keys."""
        return _WHOLE.sub(self._of_key, _PLACE.sub(self._of_row, message))

    def _of_row(self, found: re.Match[str]) -> str:
        rows, index = self.of.get(found[1], ()), int(found[2])
        if index >= len(rows):
            return found[0]
        place = rows[index]
        if place is None:
            return "--depot"
        cells, row = place
        names = _COLUMNS.get(found[3], (found[3],)) if found[3] else ()
        columns = [cells.columns.of.get(name) for name in names]
        return cells.table.place(row, *columns)

    def _of_key(self, found: re.Match[str]) -> str:
        return self.options.get(found[1] or "", self.label)
