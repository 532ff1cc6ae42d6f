from vrpcore.referee.pinned_tasks import check_pins


def problem(**times):
    steps = [{"type": "start"}, {"type": "job", "id": 7, **times}, {"type": "job", "id": 8}]
    return {"vehicles": [{"id": 1}, {"id": 2, "steps": steps}, {"id": 3, "steps": None}]}


def found(vehicle, arrival, waiting=0, **times):
    job = {"type": "job", "id": 7, "arrival": arrival, "waiting_time": waiting}
    start = {"type": "start", "arrival": 0, "waiting_time": 0}
    routes = [{"vehicle": vehicle, "steps": [start, job]}]
    return list(check_pins(problem(**times), {"routes": routes}))


def test_the_vehicle_and_the_time():
    assert found(2, 10, service_at=10) == []
    assert found(2, 4, 6, service_at=10) == []
    assert found(1, 10) == []
    assert found(1, 10, service_at=10) == ["routes[0].steps[1]: job 7 is pinned to vehicle 2"]
    late = "routes[0].steps[1]: job 7 begins at 11, its step says 10 to 10"
    assert found(2, 11, service_at=10) == [late]
    early = "routes[0].steps[1]: job 7 begins at 9, its step says 10 to inf"
    assert found(2, 9, service_after=10) == [early]
    assert found(2, 5, service_before=4, service_after=2) == [
        "routes[0].steps[1]: job 7 begins at 5, its step says 2 to 4"
    ]


def test_who_is_unassigned_is_no_concern():
    assert list(check_pins(problem(service_at=3), {"routes": []})) == []
