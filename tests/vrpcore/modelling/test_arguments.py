import inspect
import re

import pytest

from vrpcore.formats.json.keys import (
    BALANCE,
    CUSTOMER,
    DEPOT,
    GROUP,
    INSTANCE,
    RELATION,
    SHIPMENT,
    VEHICLE,
    VISIT,
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
OF_MODEL = {key: INSTANCE[key] for key in INSTANCE.keys() - CALLS - SHORT - COMPACT}


@pytest.mark.parametrize(
    ("declared", "keys"),
    [
        (arguments.DepotArguments, DEPOT),
        (arguments.VehicleArguments, VEHICLE),
        (arguments.VisitArguments, VISIT),
        (arguments.CustomerArguments, CUSTOMER),
        (arguments.ShipmentArguments, SHIPMENT),
        (arguments.GroupArguments, GROUP),
        (arguments.RelationArguments, RELATION),
        (arguments.BalanceArguments, BALANCE),
        (arguments.ModelArguments, OF_MODEL),
    ],
)
def test_arguments_are_the_keys_of_json(declared, keys):
    assert declared.__required_keys__ == {name for name, key in keys.items() if key.required}
    assert declared.__required_keys__ | declared.__optional_keys__ == keys.keys()


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
