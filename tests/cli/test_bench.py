"""`vrp bench` in this process."""

from tests.cli.runs import vrp


def test_what_and_device_are_checked():
    vrp("bench", "nothing", code=2)
    for name in ("solve", "readme"):
        assert f"vrp bench {name} --quick" in vrp("bench", name, "--help").stdout
