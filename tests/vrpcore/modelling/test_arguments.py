import inspect
import re

import pytest
from msgspec.structs import fields

from vrpcore.formats.json.documents import (
    BalanceRow,
    CustomerRow,
    DepotRow,
    GroupRow,
    InstanceDocument,
    RelationRow,
    ShipmentRow,
    VehicleRow,
    VisitRow,
)
from vrpcore.modelling import arguments
from vrpcore.modelling.builder import ModelBuilder

CALLS = {
    "depots",
    "vehicles",
    "customers",
    "shipments",
    "groups",
    "relations",
}  # what is added call by call
SHORT = {"name", "capacity", "depot", "max_vehicles", "return_to_depot", "routes"}
COMPACT = {"coords", "demands", "windows", "services", "pickups", "prizes"}


@pytest.mark.parametrize(
    ("declared", "row"),
    [
        (arguments.DepotArguments, DepotRow),
        (arguments.VehicleArguments, VehicleRow),
        (arguments.VisitArguments, VisitRow),
        (arguments.CustomerArguments, CustomerRow),
        (arguments.ShipmentArguments, ShipmentRow),
        (arguments.GroupArguments, GroupRow),
        (arguments.RelationArguments, RelationRow),
        (arguments.BalanceArguments, BalanceRow),
    ],
)
def test_arguments_are_the_keys_of_json(declared, row):
    found = fields(row)
    assert declared.__required_keys__ == {each.name for each in found if each.required}
    assert {*declared.__annotations__} == {each.name for each in found}


def test_arguments_of_a_model_are_keys_of_an_instance():
    others = {*InstanceDocument.__struct_fields__} - CALLS - SHORT - COMPACT
    assert {*arguments.ModelArguments.__annotations__} == others


@pytest.mark.parametrize(
    ("call", "declared"),
    [
        (ModelBuilder.__init__, arguments.ModelArguments),
        (ModelBuilder.add_depot, arguments.DepotArguments),
        (ModelBuilder.add_vehicle, arguments.VehicleArguments),
        (ModelBuilder.add_customer, arguments.CustomerArguments),
        (ModelBuilder.add_shipment, arguments.ShipmentArguments),
        (ModelBuilder.add_group, arguments.GroupArguments),
        (ModelBuilder.add_relation, arguments.RelationArguments),
    ],
)
def test_help_names_and_explains_each_argument(call, declared):
    shown = [name for name in inspect.signature(call).parameters if name not in ("self", "name")]
    assert shown == list(inspect.get_annotations(declared) or declared.__annotations__)
    section = inspect.getdoc(call).partition("Args:\n")[2].partition("\n\n")[0]
    explained = re.findall(r"^    (\w+): .+$", section, flags=re.MULTILINE)
    assert [name for name in explained if name != "name"] == shown
