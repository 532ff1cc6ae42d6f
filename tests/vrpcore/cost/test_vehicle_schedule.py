from vrpcore.cost.vehicle_schedule import Schedule


def test_the_duration_is_from_departure_to_end():
    found = Schedule(3.0, 10.0, 4.0, 4.0, (5.0,), (5.0,), (1.0,), 9.0)
    assert found.duration == 7.0
    assert (found.breaks, found.reloads, found.late, found.overtime) == ((), (), (), 0.0)
