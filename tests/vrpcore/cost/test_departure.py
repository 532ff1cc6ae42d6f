import pytest

from tests.vrpcore.cost.cases import itinerary
from vrpcore.cost.departure import least_duration, run_from


def test_a_run_by_hand():
    found = run_from(itinerary([(15, 20)], [(0, 30)]), 2.0, 0.0)
    assert found == (2.0, (12.0, 26.0, 37.0), (15.0, 26.0, 37.0))
    assert run_from(itinerary([(15, 20)], [(0, 25)]), 2.0, 0.0) is None
    assert run_from(itinerary([(0, 20)], loading=4.0), 2.0, 0.0).arrivals == (16.0, 27.0)
    assert run_from(itinerary([(0, 20)], latest=23.0), 2.0, 0.0).begins == (12.0, 23.0)
    assert run_from(itinerary([(0, 20)], latest=22.9), 2.0, 0.0) is None


@pytest.mark.parametrize(
    ("own", "departure"),
    [
        (itinerary([(15, 20)]), 5.0),
        (itinerary([(15, 20)], loading=3.0), 2.0),  # loaded for 3, driven for 10
        (itinerary([(0, 12)], [(40, 50)]), 2.0),  # waits at the second all the same
        (itinerary([(15, 20)], latest_start=4.0), 4.0),
        (itinerary([(0, 5), (30, 40)]), 20.0),
        (itinerary([(0, 12), (29, 40)], [(40, 41)]), 19.0),
        (itinerary([(0, 5)]), None),
        (itinerary([(0, 50)], earliest=5.0, latest_start=4.0), None),
        (itinerary([(0, 50)], earliest=5.0, latest_start=5.0 - 1e-10), 5.0),  # but for rounding
        (itinerary([(0, 50), (60, 90)], earliest=5.0, latest_start=5.0 - 1e-10), 5.0),
        (itinerary([]), None),  # nothing may begin there
    ],
)
def test_the_least_duration(own, departure):
    found = least_duration(own, 1e-9)
    assert (None if found is None else found.departure) == departure
