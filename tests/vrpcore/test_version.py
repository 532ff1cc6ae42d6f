import re
import subprocess
import sys
import tomllib
from pathlib import Path

import vrpcore
from vrpcore.version import VERSION

ROOT = Path(__file__).parents[2]


def test_packaging_reads_it_and_the_changelog_begins_with_it():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["dynamic"] == ["version"]
    place = settings["tool"]["setuptools"]["dynamic"]["version"]
    assert place == {"attr": "vrpcore.version.VERSION"}
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\d+\.\d+\.\d+)$", changes, re.MULTILINE)[0] == VERSION


def test_the_package_tells_it_and_loads_nothing_else():
    assert vrpcore.__version__ == VERSION
    code = "import sys, vrpcore; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = {name for name in told.stdout.split() if name.startswith(("vrpcore", "torch", "numpy"))}
    assert names == {"vrpcore", "vrpcore.version"}
