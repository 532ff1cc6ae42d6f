"""The server does what its own description says, tried by requests made from it."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vrpcore.serve.process import ServerProcess

# Whether a demand fits its capacity is beyond a schema, so not all that fits it is valid.
_BEYOND_A_SCHEMA = "positive_data_acceptance"


@pytest.mark.slow
def test_requests_made_from_the_description(tmp_path):
    tool = Path(sys.executable).with_name("schemathesis")
    if not tool.exists():
        pytest.skip("pip install schemathesis")
    server = ServerProcess(tmp_path, "--max-time-limit", "2", quiet=True)
    done = subprocess.run(
        [tool, "run", f"{server.url}/openapi.json", "--exclude-checks", _BEYOND_A_SCHEMA,
         "--max-examples", "15", "--seed", "1", "--no-color"],
        capture_output=True, text=True, cwd=tmp_path, timeout=500,
    )  # fmt: skip
    server.end(signal.SIGTERM)
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(re.search(r"(\d+) generated, \1 passed$", done.stdout, re.MULTILINE)[1]) > 100
