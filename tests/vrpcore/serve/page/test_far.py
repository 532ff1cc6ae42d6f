"""Places far from all others: the same ones as in Python, at the map's edge, and named."""

import numpy as np

from tests.vrpcore.serve.page.canvas import watch
from tests.vrpcore.serve.page.cases import SMALL
from tests.vrpcore.serve.page.chromium import Page
from vrpcore.cost.far import far_nodes
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import Instance
from vrpcore.plot.map import drawn_places

BERLIN = [[13.40, 52.52], [13.41, 52.56], [13.35, 52.50], [13.30, 52.49], [13.45, 52.53]]
CITY = {"name": "city", "capacity": 9, "depot": [13.38, 52.51], "metric": "haversine"}
PLANE = {"name": "plane", "capacity": 9, "depot": [3, 3]}


def with_stops(instance: dict[str, object], stops: list[list[float]]) -> dict[str, object]:
    return {**instance, "coords": stops, "demands": [1] * len(stops)}


def shown(page: Page, document: dict[str, object]) -> tuple[list[str], np.ndarray]:
    """Texts on the map, and where stops are in shares of its width and height."""
    watch(page)
    page.paste([document])
    page.until("document.getElementById('map').checkVisibility()")
    frame = "const { clientWidth: w, clientHeight: h } = document.getElementById('map');"
    texts, dots, size = page.module(f"{frame} return [drawn.texts, drawn.dots, [w, h]];")
    count = len(document.get("demands") or document["customers"])
    return texts, np.array(dots[-count:]) / size


def test_they_are_drawn_where_the_plot_draws_them(page: Page) -> None:
    stops = [[1, 2], [4, 4], [2, 5], [5, 1], [-900, 400], [3, 2], [70, 4000]]
    (instance,) = read_instances([with_stops(PLANE, stops)])
    assert isinstance(instance, Instance) and instance.coords is not None
    places, far = drawn_places(instance, instance.coords)
    assert far == [5, 7]
    found = page.module(
        "const { drawnPoints } = await import('/page/projection.js');"
        "const coords = Float64Array.from(values[0]);"
        "const { points, far } = drawnPoints({ coords, metric: 'euclidean', far: values[1] });"
        "return [Array.from(points), [...far], Array.from(coords)];",
        instance.coords.ravel().tolist(),
        far_nodes(instance.coords, "euclidean"),
    )
    np.testing.assert_allclose(np.reshape(found[0], (-1, 2)), places)
    assert found[1:] == [far, instance.coords.ravel().tolist()]


def test_one_stop_at_0_and_0_leaves_the_others_apart(page: Page) -> None:
    texts, dots = shown(page, with_stops(CITY, [*BERLIN, [0, 0]]))
    assert "6: far away" in texts
    assert np.ptp(dots[:5], axis=0).max() > 0.3
    assert ((dots > 0) & (dots < 1)).all()
    label = page.script("document.getElementById('map').getAttribute('aria-label')")
    assert label.endswith("6 customers and the depot; 1 location far from all others at the edge")
    page.script("document.getElementById('map').focus()")
    page.keys("\ue012", "\ue012")  # left of the first: the last
    assert page.text("map-said") == "6, demand 1, far from all others, drawn at the edge"


def test_a_far_depot_is_named_and_seen_also_with_a_route_in_front(page: Page) -> None:
    """Of what the server reads: latitude and longitude of a depot are exchanged."""
    depots = [{"id": "hub", "x": 13.38, "y": 52.51}, {"id": "exchanged", "x": 52.5, "y": 13.4}]
    stops = [{"id": f"s{row}", "x": x, "y": y} for row, (x, y) in enumerate(BERLIN)]
    document = {"metric": "haversine", "depots": depots, "vehicles": [{}], "customers": stops}
    texts, dots = shown(page, document)
    assert {"depot exchanged: far away", "hub"} <= set(texts) and "exchanged" not in texts
    assert np.ptp(dots, axis=0).max() > 0.3
    page.solve()
    assert page.text("shown-warnings").startswith("PLACE_SUSPECTED: depot exchanged is")
    page.browser.execute_script("window.drawn.texts = [];")
    page.press("#route-table tbody button")
    assert {"depot exchanged: far away", "hub"} <= set(page.script("window.drawn.texts"))


def test_0_and_0_does_not_shrink_the_map_of_a_country(page: Page) -> None:
    stops = [[9.99, 53.55], [13.4, 52.5], [7, 51], [11.6, 48.1], [0, 0]]
    texts, dots = shown(page, with_stops({**CITY, "depot": [8.68, 50.11]}, stops))
    assert "5: far away" in texts
    assert np.ptp(dots[:4], axis=0).max() > 0.4


def test_without_such_a_place_nobody_is_far(page: Page) -> None:
    texts, _ = shown(page, with_stops(CITY, BERLIN))
    assert not [text for text in texts if "far" in text]
    assert "far" not in page.script("document.getElementById('map').getAttribute('aria-label')")
    texts, _ = shown(page, SMALL)
    assert set(texts) == {"1", "2"}
