"""Reference costs, and the best known values next to the files of public sets."""

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from vrpcore.errors import InstanceError, describe
from vrpcore.formats.solutions import read_references
from vrpcore.formats.spreadsheets import read_columns

BKS = "bks.csv"
_CSV_COSTS = ("bks", "free_fleet_best", "cost")
_FEWEST = re.compile(r"hier\w*_vehicles\w*")
Row = dict[str, str]


class BestKnown(NamedTuple):
    """The best known cost of an instance, and its source.

    Attributes:
        cost: Of the best known answer.
        vehicles: Its number of vehicles, where fewer come before cost; else None.
        convention: Under which the cost holds, in words; the names of its columns where only
            that of `bks` is reported.
    """

    cost: float
    vehicles: int | None
    convention: str


def read_best_known(file: Path, *, fewest_vehicles: bool) -> dict[str, BestKnown]:
    """Best known values by the names of instance files, in lower case and without endings.

    Args:
        file: A `.csv` with the columns `name`, `bks` and maybe `convention`.
        fewest_vehicles: Takes the values for which fewer vehicles come before cost: the first
            column `hier..._vehicles...`, and that of the same name with `distance`.

    Raises:
        InstanceError: It is none, or lacks these columns.
        OutputError: It cannot be read.
    """
    columns, rows = read_columns(file)
    vehicles = next(filter(_FEWEST.fullmatch, columns), None) if fewest_vehicles else None
    if fewest_vehicles and vehicles is None:
        raise InstanceError(
            f"{file}: no column hier..._vehicles, which --fewest-vehicles needs: the values in "
            "it are only for costs"
        )
    cost = "bks" if vehicles is None else vehicles.replace("vehicles", "distance")
    if "name" not in columns or cost not in columns:
        raise InstanceError(f"{file}: columns {list(columns)}, expected name and {cost}")
    other = f"columns {vehicles} and {cost}"  # to which `convention` does not apply
    return {
        row["name"].lower(): BestKnown(
            _number(file, row, cost),
            None if vehicles is None else int(_number(file, row, vehicles)),
            row.get("convention", "") if row.get("bks") == row[cost] else other,
        )
        for row in rows
        if row[cost] and (vehicles is None or row[vehicles])
    }


def read_reference_files(files: Iterable[Path]) -> dict[str, float]:
    """Reference costs by instance name, from several files.

    Args:
        files: JSON `{name: cost}`, solutions, `.sol` or a folder of them, or `.csv` with a column
            `name` and one or more of `bks`, `free_fleet_best`, `cost`, of which the lowest counts.

    Raises:
        InstanceError: A file is none of these.
        OutputError: It cannot be read.
    """
    found: dict[str, float] = {}
    for file in files:
        if file.is_dir():
            found |= read_reference_files(sorted(file.glob("*.sol")))
        else:
            found |= _read_csv(file) if file.suffix == ".csv" else read_references(file)
    return found


def _read_csv(file: Path) -> dict[str, float]:
    columns, rows = read_columns(file)
    known = [name for name in _CSV_COSTS if name in columns]
    if "name" not in columns or not known:
        raise InstanceError(
            f"{file}: columns {list(columns)}, expected name and one of {', '.join(_CSV_COSTS)}"
        )
    costs = {
        row["name"]: [_number(file, row, column) for column in known if row[column]] for row in rows
    }
    return {name: min(found) for name, found in costs.items() if found}


def _number(file: Path, row: Row, column: str) -> float:
    try:
        found = float(row[column])
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        where = f"{file}: {row['name']}: {column}"
        raise InstanceError(f"{where}: {describe(row[column])}, expected a number such as 10.5")
    return found
