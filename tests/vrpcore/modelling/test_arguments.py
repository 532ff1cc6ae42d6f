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
    ("declared", "keys"),
    [
        (arguments.DepotArguments, set(DEPOT)),
        (arguments.VehicleArguments, set(VEHICLE)),
        (arguments.VisitArguments, set(VISIT)),
        (arguments.CustomerArguments, set(CUSTOMER)),
        (arguments.ShipmentArguments, set(SHIPMENT)),
        (arguments.GroupArguments, set(GROUP)),
        (arguments.RelationArguments, set(RELATION)),
        (arguments.BalanceArguments, set(BALANCE)),
        (arguments.ModelArguments, set(INSTANCE) - CALLS - SHORT - COMPACT),
    ],
)
def test_arguments_are_the_keys_of_json(declared, keys):
    assert declared.__optional_keys__ == keys
