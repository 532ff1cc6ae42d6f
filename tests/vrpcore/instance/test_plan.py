from vrpcore.instance.plan import Route


def test_a_route_is_its_vehicle_and_its_stops():
    vehicle, stops = Route(1, (3, 2))
    assert (vehicle, stops) == (1, (3, 2))
    assert Route(1, (3, 2)) != Route(0, (3, 2))
