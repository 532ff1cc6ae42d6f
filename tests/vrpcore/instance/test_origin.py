import dataclasses

import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.instance.instance import Instance
from vrpcore.instance.origin import OURS, Origin
from vrpcore.instance.plan import Route


class Letter(Origin):
    """A format that says no more than it must."""

    kind = "csv"
    notes = ("written by hand",)


PLAIN = Instance(name="p", capacity=1.0, coords=np.zeros((2, 2)), demand=np.zeros(2), ids=("a",))


def test_an_instance_without_an_origin_is_ours():
    assert (PLAIN.kind, PLAIN.origin.notes, PLAIN.origin.is_typed) == (None, (), False)
    assert PLAIN.refused(InstanceError("no", code="A")).kind is None


@pytest.mark.parametrize("origin", [OURS, Letter()])
def test_what_an_origin_does_not_say_is_as_of_our_own(origin):
    instance = dataclasses.replace(PLAIN, origin=origin)
    assert [origin.node_in_words(instance, node) for node in (0, 1)] == ["the depot", "a"]
    assert (origin.length_in_words(1500.0), origin.time_in_words(2.5)) == ("1500", "2.5")
    assert (origin.label, origin.clock, origin.time_text) == ("", None, None)
    assert (origin.has_ids, origin.is_typed, origin.options) == (True, False, None)
    assert (origin.rounding(9.0), origin.dated_time("9:40")) == (0.0, None)
    assert origin.place_names(instance) is origin.road_units is None
    routes = [Route(0, (1,))]
    assert origin.with_vans(routes) == routes
    origin.check_places()


@pytest.mark.parametrize("made", [lambda each: each.take([1]), dataclasses.replace])
def test_a_part_and_a_copy_keep_their_origin(made):
    letter = dataclasses.replace(PLAIN, origin=Letter())
    assert made(letter).origin is letter.origin
    assert made(letter).refused(InstanceError("no", code="A")).kind == "csv"


def test_customers_are_called_by_name_and_id():
    class Named(Letter):
        @property
        def names(self):
            return {"a": "Miller"}

    named = dataclasses.replace(PLAIN, origin=Named())
    assert [each.in_words("a") for each in (PLAIN, named)] == ["a", "Miller (a)"]
    assert [each.node_name(1) for each in (PLAIN, named)] == ["a", "Miller (a)"]
    assert dataclasses.replace(PLAIN, origin=Letter()).in_words("a") == "a"
