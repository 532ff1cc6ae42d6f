"""What instances may have: every number that is declared, and all that plain ones have."""

from msgspec import inspect

from vrpcore.formats.json.documents import (
    CONSTRAINTS,
    BalanceRow,
    CustomerRow,
    DepotRow,
    InstanceDocument,
    PlainCustomerRow,
    PlainDocument,
    ShipmentRow,
    VehicleRow,
    VisitRow,
)
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import SHIPMENT_NUMBERS, Constraints
from vrpcore.instance.relations import Balance
from vrpcore.instance.vehicle_types import Depot, VehicleType


def keys(declared):
    found = {each.key for each in declared}
    return found | {f"{each.key}_by_vehicle" for each in declared if each.by_vehicle}


def test_every_declared_number_has_its_key():
    for row, kind in ((DepotRow, Depot), (VehicleRow, VehicleType), (BalanceRow, Balance)):
        assert keys(attributes_of(kind)) <= set(row.__struct_fields__)
    of_stops = attributes_of(Constraints)
    own = keys(SHIPMENT_NUMBERS)
    assert keys(of_stops) - own == keys(of_stops) & set(CustomerRow.__struct_fields__)
    visits = [each for each in of_stops if each.of_shipment == "each_end"]
    assert keys(visits) == set(VisitRow.__struct_fields__) & keys(of_stops)
    assert keys(of_stops) - keys(visits) == set(ShipmentRow.__struct_fields__) & keys(of_stops)


def test_what_a_plain_instance_says_any_may_say():
    for plain, row in ((PlainDocument, InstanceDocument), (PlainCustomerRow, CustomerRow)):
        assert set(plain.__struct_fields__) < set(row.__struct_fields__)
    assert set(CONSTRAINTS).isdisjoint(PlainDocument.__struct_fields__)
    assert {"depots", "windows", "goods"} <= set(CONSTRAINTS)


def lists(node, place, said=()):
    """The places of all lists within a type, with what messages say of each."""
    if isinstance(node, inspect.Metadata):
        yield from lists(node.type, place, node.extra or ())
    elif isinstance(node, inspect.UnionType):
        for each in node.types:
            yield from lists(each, place)
    elif isinstance(node, inspect.StructType):
        for field in node.fields:
            yield from lists(field.type, f"{place}.{field.name}")
    elif isinstance(node, inspect.DictType):
        yield from lists(node.value_type, place)
    elif isinstance(node, inspect.ListType | inspect.TupleType):
        yield place, said
        for each in getattr(node, "item_types", None) or [node.item_type]:
            yield from lists(each, f"{place}[]")


def test_every_list_of_a_document_says_what_it_has():
    found = dict(lists(inspect.type_info(InstanceDocument), "i"))
    assert {"i.distances[]", "i.vehicles[].breaks[].windows[]", "i.matrices.costs"} <= found.keys()
    assert [place for place, said in found.items() if "of" not in said] == []
