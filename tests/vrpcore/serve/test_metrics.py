from vrpcore.serve.metrics import Metrics


def test_counts_by_hand():
    metrics, other = Metrics(), Metrics()
    for seconds in (0.02, 0.3, 61.0):
        metrics.requests.labels("/v1/solve", "200").inc()
        metrics.seconds.labels("/v1/solve").observe(seconds)
    lines = metrics.text().decode().splitlines()
    assert 'vrp_requests_total{route="/v1/solve",status="200"} 3.0' in lines
    for most, count in (("0.01", 0), ("0.02", 1), ("0.2", 1), ("0.5", 2), ("60.0", 2), ("+Inf", 3)):
        bucket = f'vrp_request_seconds_bucket{{le="{most}",route="/v1/solve"}} {count}.0'
        assert bucket in lines
    assert "/v1/solve" not in other.text().decode()  # servers in one process count apart
