"""A problem put together call by call; each call checks what it is given."""

import copy
import math
from collections.abc import Container, Mapping
from typing import Any, Unpack

from vrpcore.config.keywords import explained, explicit
from vrpcore.errors import describe, fault
from vrpcore.formats.json.between import check_once, check_relation, read_balance
from vrpcore.formats.json.documents import (
    CustomerRow,
    DepotRow,
    GroupRow,
    InstanceDocument,
    RelationRow,
    ShipmentRow,
    VehicleRow,
)
from vrpcore.formats.json.explain import check_object, read_as
from vrpcore.formats.json.fleet_json import read_depot, read_vehicle
from vrpcore.formats.json.json_matrices import KEYS as MATRICES
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.json.python_values import LabelledRows, in_order_of_ids, plain_value
from vrpcore.formats.json.stop_rows import check_shipment, check_visit, ends_of
from vrpcore.formats.json.values import meanings
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.relations import MAX_GROUPS, MAX_RELATIONS
from vrpcore.modelling.agreement import Agreement, VisitFacts, check_room
from vrpcore.modelling.arguments import (
    CustomerArguments,
    DepotArguments,
    GroupArguments,
    ModelArguments,
    RelationArguments,
    ShipmentArguments,
    VehicleArguments,
)

_Row = dict[str, Any]
_LISTS = ("depots", "vehicles", "customers", "shipments", "groups", "relations")
_OF_MODEL = ModelArguments.__annotations__.keys()


class ModelBuilder:
    """One problem as a JSON document has it: depots, vehicles, stops, and what ties these.

    Arguments are called as the keys of JSON, mean the same and are checked by the same code; see
    docs/interface/json.md.
    """

    @explicit
    @explained(meanings(InstanceDocument))
    def __init__(self, name: str = "model", **values: Unpack[ModelArguments]) -> None:
        """Begins a problem.

        What is left out (`...`), or None, is unlimited, 0, or as the page on JSON says. Lengths are
        in the unit of the coordinates (metres for `haversine`) or of the matrices, times in any one
        unit. An `Amount` is a number, or one for each load dimension. A `TimeWindow` is (open,
        close), with None for an end that it does not have. A `Matrix` is a list of lists, a numpy
        array or a data frame. It has a row and a column for each depot, then for each customer,
        then for each shipment's pickup and delivery, in the order of the calls.

        Args:
            name: Of the problem.
            {keys}

        Raises:
            InstanceError: A value is not what it should be.
        """
        given = _plain(values)
        given |= {key: _with_nulls(given[key]) for key in given.keys() & {*MATRICES, "matrices"}}
        whole = {**_plain({"name": name}), **given}
        for key in given.keys() & ({*InstanceDocument.__struct_fields__} - _OF_MODEL):
            raise fault(
                f"Model.{key}", "not an argument of a model; add it call by call", "UNKNOWN"
            )
        check_object(whole, "Model", ("name", *_OF_MODEL))
        document = read_as(InstanceDocument, whole, "Model")
        if document.balance is not None:
            read_balance(document.balance, "Model.balance")
        self._whole = whole
        self._agreement = Agreement(document)
        self._rows: dict[str, list[_Row]] = {key: [] for key in _LISTS}
        self._names: set[str] = set()  # of customers, shipments and groups
        self._grouped: dict[str, int] = {}  # members of groups, and which

    @explicit
    @explained(meanings(DepotRow))
    def add_depot(self, **values: Unpack[DepotArguments]) -> str:
        """Adds a depot.

        Args:
            {keys}

        Returns:
            Its id, for `start` and `end` of vehicles; by default "0", "1", ...

        Raises:
            InstanceError: A value is not what it should be, or the id is taken.
        """
        row = _plain(values)
        given = read_as(DepotRow, row, "add_depot")
        found = read_depot(given, "add_depot", len(self._rows["depots"]))
        name = found.depot.id
        _check_free(name, self._ids("depots"), "add_depot")
        self._agreement.depot(found)
        self._rows["depots"].append({**row, "id": name})
        return name

    @explicit
    @explained(meanings(VehicleRow))
    def add_vehicle(self, **values: Unpack[VehicleArguments]) -> str:
        """Adds a vehicle type; its depots come before it.

        Args:
            {keys}

        Returns:
            Its id; by default "0", "1", ...

        Raises:
            InstanceError: A value is not what it should be, the id is taken, or there is no
                such depot.
        """
        row = _plain(values)
        place, depots, known = "add_vehicle", self._ids("depots"), self._ids("vehicles")
        if not depots:
            raise fault(place, "there is no depot yet; call add_depot first", "UNKNOWN")
        found = read_vehicle(read_as(VehicleRow, row, place), place, len(known), depots)
        name = found.kind.id
        _check_free(name, known, place)
        self._agreement.vehicle(found)
        self._rows["vehicles"].append({**row, "id": name})
        return name

    @explicit
    @explained(meanings(CustomerRow))
    def add_customer(self, **values: Unpack[CustomerArguments]) -> CustomerId:
        """Adds a customer.

        Args:
            {keys}

        Returns:
            Its id; by default 1, 2, ...

        Raises:
            InstanceError: A value is not what it should be, or the id is taken.
        """
        row, place = _plain(values), "add_customer"
        unit = read_as(CustomerRow, row, place)
        check_visit(unit, place)
        name = len(self._rows["customers"]) + 1 if unit.id is None else unit.id
        _check_free(str(name), self._names, place)
        self._agreement.stops([VisitFacts(unit, place)], unit, str(name), place)
        self._names.add(str(name))
        self._rows["customers"].append({**row, "id": name})
        return name

    @explicit
    @explained(meanings(ShipmentRow))
    def add_shipment(self, **values: Unpack[ShipmentArguments]) -> CustomerId:
        """Adds a shipment; `pickup` and `delivery` are places with times and service.

        Args:
            {keys}

        Returns:
            Its id, which must be given. Its stops are called `<id>:pickup` and `<id>:delivery`;
            one that is `on_board` has only the delivery.

        Raises:
            InstanceError: A value is not what it should be, or the id is taken.
        """
        row, place = _plain(values), "add_shipment"
        unit = read_as(ShipmentRow, row, place)
        check_shipment(unit, place)
        ends = [VisitFacts(visit, f"{place}.{end[1:]}") for visit, end in ends_of(unit)]
        for each in ends:
            check_visit(each.row, each.place)
        _check_free(str(unit.id), self._names, place)
        self._agreement.stops(ends, unit, str(unit.id), place)
        self._names.add(str(unit.id))
        self._rows["shipments"].append(row)
        return unit.id

    @explicit
    @explained(meanings(GroupRow))
    def add_group(self, **values: Unpack[GroupArguments]) -> str:
        """Adds alternatives, of which one is served; members may be added later.

        Args:
            {keys}

        Returns:
            Its id, by which `unserved` names it; by default "group-0", "group-1", ...

        Raises:
            InstanceError: A value is not what it should be, or the id is taken.
        """
        row, groups = _plain(values), self._rows["groups"]
        number = len(groups)
        given = read_as(GroupRow, row, "add_group")
        name, members = str(f"group-{number}" if given.id is None else given.id), given.members
        check_once(members, "add_group.members")
        _check_free(name, self._names, "add_group")
        check_room(number + 1, MAX_GROUPS, "groups", "add_group")
        for index, member in enumerate(map(str, members)):
            if (other := self._grouped.get(member)) is not None:
                group = describe(groups[other]["id"])
                message = f"{describe(member)} is in group {group}, number {other}"
                raise fault(f"add_group.members[{index}]", message, "DUPLICATE")
        self._grouped |= dict.fromkeys(map(str, members), number)
        self._names.add(name)
        groups.append({**row, "id": name})
        return name

    @explicit
    @explained(meanings(RelationRow))
    def add_relation(self, **values: Unpack[RelationArguments]) -> None:
        """Adds what holds among those of some stops that are served; they may be added later.

        Args:
            {keys}

        Raises:
            InstanceError: A value is not what it should be.
        """
        row, relations = _plain(values), self._rows["relations"]
        check_relation(read_as(RelationRow, row, "add_relation"), "add_relation")
        check_room(len(relations) + 1, MAX_RELATIONS, "relations", "add_relation")
        relations.append(row)

    def instance(self) -> Instance:
        """The problem as it is now.

        Raises:
            InstanceError: There is no depot or vehicle, or something is not there yet: nodes
                for all rows of the matrices, or a vehicle or a stop that is named. Or relations
                contradict each other.
        """
        for what in ("depot", "vehicle"):
            if not self._rows[f"{what}s"]:
                raise fault("model", f"there is no {what} yet; call add_{what}", "MISSING")
        return build_instance(self._document(), "model", "model")

    def document(self) -> dict[str, Any]:
        """The problem as a JSON document, which `vrp solve` takes as well; a copy."""
        return copy.deepcopy(self._document())

    def _document(self) -> dict[str, Any]:
        rows = {key: [*rows] for key, rows in self._rows.items() if rows or key in _LISTS[:3]}
        return in_order_of_ids(self._whole | rows, "Model.")

    def _ids(self, key: str) -> list[str]:
        return [row["id"] for row in self._rows[key]]


def _plain(values: Mapping[str, Any]) -> _Row:
    """Arguments as a JSON parser returns them; what is left out as None is kept."""
    return {key: plain_value(value, key) for key, value in values.items()}


def _with_nulls(matrix: object) -> object:
    """Matrices, also by name, with None instead of infinity: there is no road."""
    if isinstance(matrix, dict):
        return {key: _with_nulls(each) for key, each in matrix.items()}
    if not isinstance(matrix, list):
        return matrix
    rows = [
        [None if leg == math.inf else leg for leg in row]
        if isinstance(row, list) and math.inf in row
        else row
        for row in matrix
    ]
    return LabelledRows(rows, matrix.labels) if isinstance(matrix, LabelledRows) else rows


def _check_free(name: str, taken: Container[str], place: str) -> None:
    if name in taken:
        raise fault(f"{place}.id", f"{describe(name)} is taken", "DUPLICATE")
