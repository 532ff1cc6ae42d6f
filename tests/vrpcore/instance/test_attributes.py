import dataclasses
import math

import numpy as np
import pytest

from vrpcore.instance.attributes import (
    Attribute,
    attributes_of,
    is_used,
    number,
    number_per_stop,
)
from vrpcore.instance.constraints import (
    SHIPMENT_NUMBERS,
    UNIT_NUMBERS,
    VISIT_NUMBERS,
    Constraints,
)
from vrpcore.instance.vehicle_types import VehicleType


@dataclasses.dataclass(frozen=True)
class Cart:
    name: str = ""
    reach: float = number(math.inf, "length", "How far.", words="radius", key="max_reach")
    pace: float = number(1.0, "speed", "How fast.", column="")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Walk:
    steps: np.ndarray = number_per_stop(0, "count", "How many.", of_shipment="pickup", most=9)
    wait: np.ndarray | None = number_per_stop(0.0, "span", "How long.", optional=True)


def test_what_is_left_out_follows_from_the_name():
    assert attributes_of(Cart) == (
        Attribute(
            "reach", math.inf, "length", "max_reach", "How far.", words="radius", column="max_reach"
        ),
        Attribute("pace", 1.0, "speed", "pace", "How fast.", column=""),
    )
    assert [each.description for each in attributes_of(Cart)] == [
        "How far.",
        "How fast. Default 1.",
    ]
    assert [each.is_limit for each in attributes_of(Cart)] == [True, False]


def test_a_number_is_used_where_it_is_not_the_default():
    lengths, speeds = frozenset({"length"}), frozenset({"speed"})
    assert not is_used(Cart(), lengths | speeds)
    assert is_used(Cart(pace=2.0), speeds)
    assert not is_used(Cart(pace=2.0), lengths)


def test_a_column_of_stops_is_declared_like_a_number():
    steps, wait = attributes_of(Walk)
    assert (steps.key, steps.of_shipment, steps.most, steps.dtype) == (
        "steps",
        "pickup",
        9,
        np.int64,
    )
    assert (wait.of_shipment, wait.most, wait.dtype) == ("each_end", None, np.float64)
    assert [each.metadata["per"] for each in dataclasses.fields(Walk)] == ["stop", "stop"]
    with pytest.raises(TypeError, match="steps"):
        Walk()  # its wait is None


def test_a_column_is_used_where_some_stop_has_a_number():
    spans = frozenset({"span"})
    steps = np.array([1, 2])
    assert not is_used(Walk(steps=steps), spans)
    assert not is_used(Walk(steps=steps, wait=np.zeros(2)), spans)
    assert is_used(Walk(steps=steps, wait=np.array([0, 0.5])), spans)


def test_shipments_say_numbers_at_their_ends_or_once():
    assert [each.key for each in VISIT_NUMBERS] == [
        *("service", "setup", "max_late", "late_cost", "max_wait")
    ]
    assert [each.key for each in UNIT_NUMBERS] == ["release", "prize", "priority"]
    assert [each.key for each in SHIPMENT_NUMBERS] == ["max_ride"]


@pytest.mark.parametrize("kind", [VehicleType, Constraints])
def test_words_keys_and_columns_are_declared_once(kind):
    found = attributes_of(kind)
    for names in ([each.key for each in found], [each.column for each in found if each.column]):
        assert len(set(names)) == len(names)
    words = [word for each in found for word in each.words.split()]
    assert len(set(words)) == len(words)
