from vrpcore.solve.memory_limit import CustomerRate, OverloadedError


def test_throughput_by_hand():
    found = CustomerRate()
    assert found.customers_per_s == 1000.0  # before anything is known
    found.answered(500, 0.5)
    assert found.customers_per_s == 1000.0  # not a second yet
    found.answered(700, 1.5)
    assert found.customers_per_s == 800.0
    found.answered(9, 4.0)  # for most of these seconds there was nothing to do
    assert found.customers_per_s == 800.0
    found.answered(300, 5.0)
    assert found.customers_per_s == 300.0
    found.answered(200, 5.5)
    assert found.customers_per_s == 300.0


def test_overloaded_says_when_to_come_again():
    error = OverloadedError("busy", 2.5)
    assert (str(error), error.code, error.retry_s) == ("busy", "OVERLOADED", 2.5)
