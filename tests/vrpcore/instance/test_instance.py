import dataclasses

import numpy as np

from vrpcore.instance.instance import Instance


def test_take_keeps_everything_about_the_customers_that_stay():
    """A field that `take` does not know would be as long as the whole."""
    whole = Instance(
        name="whole",
        capacity=12.5,
        coords=np.arange(8.0).reshape(4, 2),
        demand=np.array([0.0, 1.0, 2.0, 3.0]),
        ids=("a", "b", "c"),
        metric="ceil_2d",
        distances=np.arange(16.0).reshape(4, 4),
        max_vehicles=2,
        routes=((1, 2), (3,)),
    )
    part = whole.take([3, 1])
    assert part.ids == ("c", "a")
    assert part.demand.tolist() == [0.0, 3.0, 1.0]
    assert part.coords.tolist() == [[0.0, 1.0], [6.0, 7.0], [2.0, 3.0]]
    assert part.distances.tolist() == [[0.0, 3.0, 1.0], [12.0, 15.0, 13.0], [4.0, 7.0, 5.0]]
    assert part.routes is None
    same = {"name", "capacity", "metric", "max_vehicles"}
    taken = {"ids", "demand", "coords", "distances", "routes", "constraints"}
    assert {field.name for field in dataclasses.fields(Instance)} == same | taken
    for name in same:
        assert getattr(part, name) == getattr(whole, name)
