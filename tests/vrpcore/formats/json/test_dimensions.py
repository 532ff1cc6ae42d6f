import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.json.dimensions import Dimensions, is_some


def test_the_first_amount_decides():
    known = Dimensions().joined([(None, "a"), ((1.0, 2.0), "b"), ((0.0, 0.0), "c")])
    assert known == Dimensions("b", 2)
    assert Dimensions().joined([(None, "a")]) == Dimensions()
    assert Dimensions().joined([(0.0, "a")]) == Dimensions("a", None)


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (1.0, "z: a number, but b is a list of 2; give all amounts alike"),
        ((1.0,), "z: a list of 1, but b is a list of 2; give all amounts alike"),
    ],
)
def test_others_are_refused(amount, said):
    known = Dimensions("b", 2)
    with pytest.raises(InstanceError) as caught:
        known.joined([((3.0, 4.0), "y"), (amount, "z")])
    said += "; a list has a number for each load dimension"
    assert (str(caught.value), caught.value.code) == (said, "SHAPE")


def test_nothing_is_no_amount():
    assert [is_some(amount) for amount in (None, 0.0, 1.0, (0.0, 0.0), (0.0, 1.0))] == [
        False, False, True, False, True,
    ]  # fmt: skip
