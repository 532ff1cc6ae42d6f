import math

import numpy as np
import pytest

from tests.build import constrained, on_a_line, plain
from vrpcore.errors import InstanceError
from vrpcore.formats.text.cvrplib import read_vrp
from vrpcore.formats.text.write_vrp import instance_to_vrp
from vrpcore.instance.plan import Plan


def test_a_plain_instance():
    instance = plain([(0, 0), (3, 4), (0, 1.5)], [2, 3.5], 7, metric="euc_2d", max_vehicles=2)
    text = instance_to_vrp(instance)
    assert text == (
        "NAME : t\nTYPE : CVRP\nDIMENSION : 3\nCAPACITY : 7\nVEHICLES : 2\n"
        "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n3 0 1.5\n"
        "DEMAND_SECTION\n1 0\n2 2\n3 3.5\nDEPOT_SECTION\n1\n-1\nEOF\n"
    )
    found = read_vrp(text, "")
    assert (found.name, found.capacity, found.metric, found.max_vehicles) == ("t", 7, "euc_2d", 2)
    assert (found.coords.tolist(), found.demand.tolist()) == (
        instance.coords.tolist(),
        [0, 2, 3.5],
    )
    assert found.constraints is None


def test_lengths_that_are_not_rounded_become_a_matrix():
    instance = plain([(0, 0), (1, 2), (3, 0)], [1, 1])
    found = read_vrp(instance_to_vrp(instance), "")
    assert found.distances[0].tolist() == [0, abs(1 + 2j), 3]
    assert found.coords.tolist() == instance.coords.tolist()


@pytest.mark.parametrize(
    ("instance", "what"),
    [
        (constrained(vehicles=[{}], customers=on_a_line(1, 2)), "constraints"),
        (plain([(0, 0), (1, 1)], plan=Plan.of([[1]])), "known routes"),
        (plain([(0, 0), (1, 1)], metric="haversine"), "lengths of haversine"),
        (plain(distances=np.array([[0, math.inf], [1, 0]])), "places that no road joins"),
    ],
)
def test_each_refusal_by_its_message(instance, what):
    with pytest.raises(
        InstanceError, match=f"{what}, which a .vrp cannot say; write .json"
    ) as found:
        instance_to_vrp(instance)
    assert found.value.code == "NOT_WRITABLE"
