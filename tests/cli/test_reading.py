"""What commands read instances with: the one speed goes where it means something."""

import pytest

from vrpcore.cli.reading import ReadOptions
from vrpcore.formats.options import Reading, SheetOptions
from vrpcore.roads.road_options import RoadOptions


def options(matrix=None, **sheet):
    return ReadOptions(
        roads=RoadOptions(matrix=matrix), sheet=SheetOptions(**sheet), rounding="trunc"
    )


def test_without_a_matrix_a_speed_is_that_of_spreadsheets():
    reading, roads = options(speed=30.0).opened()
    assert reading == Reading(rounding="trunc", sheet=SheetOptions(speed=30.0))
    assert roads is None


def test_beside_haversine_it_is_that_of_great_circles():
    reading, roads = options("haversine", speed=36.0, capacity=(2.0,)).opened()
    sheet = SheetOptions(capacity=(2.0,))
    assert reading == Reading(rounding="trunc", roads=True, sheet=sheet)
    with roads:
        durations, distances = roads.matrices([[8.0, 49.0], [8.0, 49.1]])
    assert durations[0, 1] == pytest.approx(distances[0, 1] / 10)
