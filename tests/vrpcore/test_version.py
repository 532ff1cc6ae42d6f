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
    code = "import sys, vrpcore; print(*(name for name in sys.modules if 'vrpcore' in name))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(told.stdout.split()) == {"vrpcore", "vrpcore.version"}
