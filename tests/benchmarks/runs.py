"""Comparisons called in this process."""

from benchmarks.__main__ import app
from tests.cli.runs import vrp

# One method, one budget: where the command is what is tested.
QUALITY = ["quality", "--method", "vrp policy", "--budgets", "0.01", "--count", "2"]


def benchmark(*words, code=0):
    """Runs a command, which must end with this code; its stdout and stderr."""
    return vrp(*words, code=code, app=app)
