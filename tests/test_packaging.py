"""The package list is written by hand, so a test compares it with the folders."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_package_is_listed():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(settings["tool"]["setuptools"]["packages"])
    found = {
        ".".join(file.parent.relative_to(ROOT).parts)
        for file in (ROOT / "vrpcore").rglob("__init__.py")
    }
    found |= {f"vrpcore.{part}" for part in ("cli", "export", "configs")}
    assert listed == found


def test_all_brings_what_a_user_wants():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = settings["project"]["optional-dependencies"]
    wanted = set(extras) - {"all", "bench", "dev", "ray"}
    assert extras["all"] == [f"vrp[{','.join(sorted(wanted))}]"]
