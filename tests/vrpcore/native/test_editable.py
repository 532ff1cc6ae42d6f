import base64
import hashlib
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest

from vrpcore.native.editable import FOLDER, PARTS, show_package

ROOT = Path(__file__).parents[3]
RECORD = "vrpcore-1.dist-info/RECORD"


@pytest.fixture
def checkout(tmp_path):
    for folder in ("vrpcore", *PARTS):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    return tmp_path


@pytest.fixture
def wheel(tmp_path):
    file = tmp_path / "vrpcore.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("hook.pth", "import hook\n")
        archive.writestr(RECORD, f"hook.pth,,\n{RECORD},,\n")
    return file


def test_the_parts_are_those_that_packaging_takes_from_beside_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = settings["tool"]["setuptools"]["package-dir"]
    assert folders == {"vrpcore": "vrpcore"} | {f"vrpcore.{part}": part for part in PARTS}


def test_the_package_is_whole_in_a_folder_of_its_own(checkout, wheel):
    again = Path(shutil.copy(wheel, checkout / "again.whl"))
    for each in (wheel, again):
        show_package(checkout, each)
    assert [file.name for file in (checkout / FOLDER).iterdir()] == ["vrpcore"]
    for part in PARTS:
        found = checkout / FOLDER / "vrpcore" / part / "__init__.py"
        assert found.resolve() == (checkout / part / "__init__.py").resolve()
    assert (checkout / "vrpcore/cli").readlink() == Path("../cli")


def test_a_link_that_leads_nowhere_is_replaced(checkout, wheel):
    (checkout / "vrpcore/cli").symlink_to("gone")
    show_package(checkout, wheel)
    assert (checkout / "vrpcore/cli/__init__.py").exists()


def test_the_wheel_names_the_folder_and_lists_the_file(checkout, wheel):
    show_package(checkout, wheel)
    with zipfile.ZipFile(wheel) as archive:
        (name,) = set(archive.namelist()) - {"hook.pth", RECORD}
        content = archive.read(name)
        *before, entry = archive.read(RECORD).decode().splitlines()
    assert name.endswith(".pth")
    assert content.decode() == f"{checkout / FOLDER}\n"
    assert before == ["hook.pth,,", f"{RECORD},,"]
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    assert entry == f"{name},sha256={digest},{len(content)}"


def test_without_the_right_to_link_the_wheel_stays_as_it_is(checkout, wheel, monkeypatch):
    def refuse(*_, **__):
        raise OSError(1314, "A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    before = wheel.read_bytes()
    show_package(checkout, wheel)
    assert wheel.read_bytes() == before
