"""Counters of the server, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)


class Metrics:
    """Counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "vrp_requests",
            "Requests by route and status.",
            ("route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "vrp_request_seconds",
            "Seconds from the first byte received to the last byte sent.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.instances = Counter(
            "vrp_instances", "Answered instances by status.", ("status",), registry=self.registry
        )
        self.customers = Gauge(
            "vrp_queue_customers", "Customers waiting or being solved.", registry=self.registry
        )
        self.jobs = Gauge("vrp_jobs", "Jobs by status.", ("status",), registry=self.registry)

    def text(self) -> bytes:
        """The counters in the exposition format."""
        return generate_latest(self.registry)
