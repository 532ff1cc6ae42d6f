import numpy as np
import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.text.pyvrp_groups import read_groups
from vrpcore.formats.text.vrptext import split_vrp
from vrpcore.instance.relations import Group

HEAD = "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n"


def groups(text, clients=(1, 3, 4, 5), size=5):
    return read_groups(split_vrp(text), size, np.array(clients))


def test_members_are_stops_and_who_is_alone_is_in_no_group():
    assert groups(HEAD + "2 3 1\n1 4\n3\n") == (Group("group-0", (2, 1)),)
    assert groups(HEAD + "1 3 1\n2 5 4\n")[1] == Group("group-1", (4, 3))
    assert groups("") == ()
    prizes = "PRIZE_SECTION\n1 0\n2 0\n3 0\n4 7\n5 0\n"
    assert groups(HEAD + "1 4\n2 1 3\n" + prizes) == (Group("group-0", (1, 2)),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 2 3\n",
            "line 2: MUTUALLY_EXCLUSIVE_GROUP_SECTION: node 2 is a depot, expected clients",
        ),
        ("1 3 6\n", "line 2: .*node id 6 is out of range, DIMENSION allows 1 to 5"),
        ("1 3 3\n", "line 2: .*node 3 is in a group already, on line 2"),
        ("1 3 4\n2 5 4\n", "line 3: .*node 4 is in a group already, on line 2"),
        ("1 3 4\n1 5 1\n", "line 3: .*duplicate group id 1"),
        ("7 3 4\n", "line 2: .*group id 7 is out of range, the number of rows allows 1 to 1"),
        ("1 3 4\nPRIZE_SECTION\n4 7\n", "line 2: .*node 4 has a prize of 7, expected none of cli"),
    ],
)
def test_each_error_by_its_message(text, message):
    with pytest.raises(InstanceError, match=message):
        groups(HEAD + text)


def test_too_many_groups():
    rows = "".join(f"{i} {2 * i} {2 * i + 1}\n" for i in range(1, 10_002))
    with pytest.raises(InstanceError, match="10001 groups, the limit is 10000"):
        groups(HEAD + rows, range(2, 20_004), 20_004)
