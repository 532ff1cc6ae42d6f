"""A picture of one instance's routes, for TensorBoard."""

import colorsys

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.tour_routes import tour_to_routes
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.validate import greedy_tours

_SIZE, _MARGIN, _DOT = 480, 24, 3


def routes_picture(policy: Policy, batch: TrainBatch) -> NDArray[np.uint8]:
    """The greedy multi-start solution of a set's first instance.

    Returns:
        [480, 480, 3] uint8; one colour per route, a square for the depot.
    """
    from PIL import Image, ImageDraw

    one = batch.take(slice(1))
    tours = greedy_tours(policy, one, one.starts)
    best = int(one.costs(tours)[0].argmin())
    place = _MARGIN + one.inputs.coords[0].numpy() * (_SIZE - 2 * _MARGIN)
    points = [(float(x), float(_SIZE - y)) for x, y in place]
    picture = Image.new("RGB", (_SIZE, _SIZE), "white")
    draw = ImageDraw.Draw(picture)
    routes = tour_to_routes(tours[0, best])
    for index, route in enumerate(routes):
        hue = colorsys.hsv_to_rgb(index / len(routes), 0.85, 0.8)
        colour = tuple(int(255 * part) for part in hue)
        draw.line([points[node] for node in (0, *route, 0)], fill=colour, width=2)
        for node in route:
            x, y = points[node]
            draw.ellipse((x - _DOT, y - _DOT, x + _DOT, y + _DOT), fill=colour)
    x, y = points[0]
    draw.rectangle((x - 5, y - 5, x + 5, y + 5), fill="black")
    return np.asarray(picture)
