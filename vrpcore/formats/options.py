"""Options of reading: what files do not say themselves."""

import dataclasses
import numbers
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol, get_args, runtime_checkable

from vrpcore.config.option import Option, check_options
from vrpcore.errors import ConfigError, InstanceError, describe

MAX_INSTANCES = 1_000_000  # held in memory at once; `iter_instances` has no such limit
Decimal = Literal[".", ","]
Rounding = Literal["auto", "none", "round", "trunc", "dimacs", "exact"]
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)


@runtime_checkable
class Frame(Protocol):
    """A data frame; pandas itself is not loaded for it."""

    index: Any
    columns: Any

    def convert_dtypes(self) -> Any:
        """Convert whole numbers to integers."""

    def to_csv(self, path: None = None, *, index: bool = True) -> Any:
        """As text."""


def _point(text: str) -> tuple[float, float] | None:
    try:
        first, second = map(float, text.split(",")) if text else (None, None)
    except ValueError:
        raise ValueError(f"{text!r}: expected two numbers, e.g. 52.5,13.4") from None
    return None if first is None or second is None else (first, second)


def _amounts(text: str) -> tuple[float, ...] | None:
    try:
        return tuple(map(float, text.split(","))) if text else None
    except ValueError:
        raise ValueError(f"{text!r}: expected a number, or 40,12 for two dimensions") from None


def _prices(text: str) -> dict[str, float] | None:
    try:
        pairs = [each.split("=") for each in text.split(",") if text]
        return {name.strip(): float(price) for name, price in pairs} or None
    except ValueError:
        raise ValueError(f"{text!r}: expected prices, e.g. duration=2,load=0.5") from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOptions:
    """Options for a CSV file of stops, which does not say these itself.

    Attributes:
        fleet: A file of vehicles, CSV, .xlsx or .ods, or a data frame.
        depot: Where all vehicles start and end: (latitude, longitude) or (x, y), as the stops.
        capacity: Of every vehicle, a number for each load dimension; not together with a fleet.
        speed: Kilometres an hour, for straight lines between latitudes and longitudes; not
            used where durations come by road. With x and y: units of distance per hour where
            times are HH:MM, else per unit of time.
        ignore_columns: Names of columns that are kept in answers and not read; `rest`: all that
            would be asked about.
        columns: What columns mean: a YAML file or what it holds, such as
            `{"stops": {"Gewicht": "demand", "PLZ": "ignore"}}`.
        decimal: What stands before the fraction of a number, where the files do not show it;
            the other sign may separate thousands.
        balance: Prices of the largest `duration` (a unit of time), `distance` (kilometres with
            latitudes and longitudes), `customers` or `load` of a vehicle.

    Raises:
        ConfigError: The speed is not a positive number, or something is of another type.
    """

    fleet: Annotated[
        str | os.PathLike[str] | Frame | None, Option("Spreadsheet of vehicles, for one of stops.")
    ] = None
    depot: Annotated[
        tuple[float, float] | None,
        Option("Where vehicles start and end: LAT,LON or X,Y.", written="", read=_point),
    ] = None
    capacity: Annotated[
        tuple[float, ...] | None,
        Option(
            "Capacity of every vehicle, without a fleet: N, or N,N,... by dimension.",
            written="",
            read=_amounts,
        ),
    ] = None
    speed: Annotated[
        float | None,
        Option("Speed on straight lines: km/h; for x and y see the docs.", positive=True),
    ] = None

    ignore_columns: Annotated[
        tuple[str, ...],
        Option(
            "Columns that mean nothing: A,B; rest: all that are asked about.",
            written="",
            read=_names,
        ),
    ] = ()
    columns: Annotated[
        str | os.PathLike[str] | Mapping[str, Any] | None,
        Option("YAML file of what columns mean; vrp columns writes one."),
    ] = None
    decimal: Annotated[
        Decimal | None, Option('The sign before fractions: "," or "."; default: as the files show.')
    ] = None

    balance: Annotated[
        Mapping[str, float] | None,
        Option("Price of the largest work of a vehicle: duration=P,...", written="", read=_prices),
    ] = None

    def __post_init__(self) -> None:
        check_options(self)
        real, file = numbers.Real, str | os.PathLike | None
        is_fleet = isinstance(self.fleet, file | Frame)
        self._check("fleet", is_fleet, "the name of a CSV file or a data frame")
        is_columns = isinstance(self.columns, file | Mapping)
        self._check("columns", is_columns, "the name of a file or an object")
        self._check("balance", isinstance(self.balance, Mapping | None), "a dict of prices")
        is_depot = self.depot is None or (_are(self.depot, real) and len(self.depot) == 2)
        self._check("depot", is_depot, "two numbers, such as (52.5, 13.4)")
        are_amounts = self.capacity is None or _are(self.capacity, real)
        self._check("capacity", are_amounts, "a number for each load dimension, such as (9,)")
        are_names = _are(self.ignore_columns, str)
        self._check("ignore_columns", are_names, "names of columns, such as ('phone',)")

    def _check(self, name: str, right: bool, expected: str) -> None:
        if not right:
            raise ConfigError(f"{name}: {describe(getattr(self, name))}, expected {expected}")

    @property
    def given(self) -> list[str]:
        """The flags of those that say something."""
        values = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        given = [
            name
            for name, value in values.items()
            if value is not None and not (isinstance(value, tuple) and not value)
        ]
        return [f"--{name.replace('_', '-')}" for name in given]

    def check_unused(self) -> None:
        """Raises InstanceError where something is said of a spreadsheet that is none."""
        if self.given:
            message = f"{', '.join(self.given)}: only for spreadsheets of stops"
            if self.speed is not None:
                message += "; a speed also goes with --matrix haversine"
            raise InstanceError(message, code="CONFLICT")


def _are(values: object, kind: type) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(each, kind) for each in values)


NO_OPTIONS = SheetOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read: what they do not say themselves.

    Attributes:
        rounding: The convention for the numbers of text formats; see `round_instance`. JSON
            is always read as it is.
        roads: `vrpcore.roads` will give the instances the matrices that they lack. So vehicle
            types may name matrices that their instance does not give, problems of VROOM's may
            have only locations, and CSV files need no speed.
        sheet: Of CSV files of stops.
        sheets: CSV files and workbooks of stops are read.
        sent: They come with a request: `.npz` are refused, what workbooks unpack to is bounded, and
            messages name the keys of an object in place of a command's flags.

    Raises:
        ConfigError: There is no such rounding.
    """

    rounding: Rounding = "auto"
    roads: bool = False
    sheet: SheetOptions = NO_OPTIONS
    sheets: bool = True
    sent: bool = False

    def __post_init__(self) -> None:
        if self.rounding not in ROUNDINGS:
            found = f"{describe(self.rounding)}, expected one of {', '.join(ROUNDINGS)}"
            raise ConfigError(f"rounding: {found}")

    @property
    def expected(self) -> str:
        """The kinds of input, for messages."""
        sheets = "a CSV file or a workbook of stops, "
        return (
            "expected a JSON object or list of instances or of VROOM's problems, JSON Lines, a "
            f".vrp file, {sheets if self.sheets else ''}{'' if self.sent else 'arrays (.npz), '}"
            "or the text of Solomon, Li and Lim, Cordeau, mixed fleets or splits"
        )


AS_IT_IS = Reading()
