import numpy as np
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import random_batch
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.picture import routes_picture


def test_a_route_from_corner_to_corner():
    batch = random_batch(1)
    batch.inputs.coords[0] = torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    picture = routes_picture(build_policy(SMALL, 3), batch)
    assert (picture.shape, picture.dtype) == ((480, 480, 3), "uint8")
    red = [204, 30, 30]  # the first hue of 0.85, 0.8
    # Rows go down, so the depot at the lower left is in row 456: a margin of 24.
    assert picture[456, 24].tolist() == picture[451, 19].tolist() == [0, 0, 0]
    assert picture[24, 456].tolist() == picture[240, 240].tolist() == red
    assert picture[24, 24].tolist() == picture[456, 456].tolist() == [255, 255, 255]


def test_each_route_has_a_colour():
    batch = random_batch(9, capacity=9)
    batch.inputs.demand[0, 1:] = 9.0  # each customer needs a vehicle
    picture = routes_picture(build_policy(SMALL, 3), batch)
    colours = np.unique(picture.reshape(-1, 3), axis=0).tolist()
    assert len(colours) == 9 + 2
    assert colours[0] == [0, 0, 0] and colours[-1] == [255, 255, 255]
