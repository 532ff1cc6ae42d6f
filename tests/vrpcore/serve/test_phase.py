from vrpcore.serve.phase import Phase


def test_it_is_ready_from_warm_to_stopping():
    phase = Phase()
    assert not phase.ready
    phase.warm.set()
    assert phase.ready
    phase.stopping.set()
    assert not phase.ready
