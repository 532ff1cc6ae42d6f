import dataclasses
import math

from vrpcore.instance.attributes import Attribute, attributes_of, is_used, number
from vrpcore.instance.constraints import VehicleType


@dataclasses.dataclass(frozen=True)
class Cart:
    name: str = ""
    reach: float = number(math.inf, "length", words="radius", key="max_reach")
    pace: float = number(1.0, "speed", column="")


def test_what_is_left_out_follows_from_the_name():
    assert attributes_of(Cart) == (
        Attribute("reach", math.inf, "length", "max_reach", words="radius", column="max_reach"),
        Attribute("pace", 1.0, "speed", "pace", column=""),
    )
    assert [each.is_limit for each in attributes_of(Cart)] == [True, False]


def test_a_number_is_used_where_it_is_not_the_default():
    lengths, speeds = frozenset({"length"}), frozenset({"speed"})
    assert not is_used(Cart(), lengths | speeds)
    assert is_used(Cart(pace=2.0), speeds)
    assert not is_used(Cart(pace=2.0), lengths)


def test_words_keys_and_columns_are_declared_once():
    found = attributes_of(VehicleType)
    for names in ([each.key for each in found], [each.column for each in found if each.column]):
        assert len(set(names)) == len(names)
    words = [word for each in found for word in each.words.split()]
    assert len(set(words)) == len(words)
