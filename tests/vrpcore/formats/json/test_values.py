"""Numbers that are declared elsewhere become keys of rows."""

import msgspec
import pytest

from vrpcore.formats.json.values import JsonRow, with_numbers
from vrpcore.instance.attributes import Attribute


@with_numbers(
    Attribute(name="wait", key="pause", about="A.", unit="time", default=0.0, by_vehicle=True),
    Attribute(name="pace", key="pace", about="B.", unit="speed", default=1.0),
    Attribute(name="rank", key="rank", about="C.", unit="count", default=0, most=3),
)
class Example(JsonRow):
    """A row."""

    id: str


def test_each_is_optional_and_called_as_its_key():
    assert Example.__doc__ == "A row."
    keys = Example.__struct_fields__
    assert keys == ("id", "pause", "pause_by_vehicle", "pace", "rank")
    assert msgspec.json.encode(Example(id="a")) == b'{"id":"a"}'
    whole = b'{"id":"a","pause":-1.0,"pause_by_vehicle":{"van":0.0},"pace":2.0,"rank":3}'
    assert msgspec.json.encode(msgspec.json.decode(whole, type=Example)) == whole


def test_each_says_what_it_means():
    properties = msgspec.json.schema(Example)["$defs"]["Example"]["properties"]
    assert {key: each.get("description") for key, each in properties.items()} == {
        "id": None,
        "pause": "A. Default 0.",
        "pause_by_vehicle": "In place of `pause` for vehicle types, by their ids.",
        "pace": "B. Default 1.",
        "rank": "C. Default 0.",
    }


@pytest.mark.parametrize(
    "wrong", [{"rank": 4}, {"rank": 1.0}, {"pace": 0}, {"pause": 1e101}, {"x": 1}, {"id": None}]
)
def test_limits_follow_from_the_unit(wrong):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"id": "a", **wrong}, Example)
