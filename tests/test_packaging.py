"""The package list is written by hand, so a test compares it with the folders."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import get_args

import pytest

from vrpcore.errors import DISTRIBUTION
from vrpcore.learn.train.trackers import TrackerName
from vrpcore.native.build import LIBRARIES
from vrpcore.version import VERSION

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
BESIDE = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "MANIFEST.in", "README.md", "pyproject.toml"}
EGG_INFO = ("PKG-INFO", "SOURCES.txt", "dependency_links.txt", "entry_points.txt", "requires.txt")
EGG_INFO += ("top_level.txt",)
CORES = tuple(f"vrpcore/native/{name}" for name in ("hgs", "rich", "shared", "training"))


def test_every_package_is_listed():
    listed = set(SETTINGS["tool"]["setuptools"]["packages"])
    found = {
        ".".join(file.parent.relative_to(ROOT).parts)
        for file in (ROOT / "vrpcore").rglob("__init__.py")
    }
    found |= {f"vrpcore.{part}" for part in ("cli", "export", "configs")}
    assert listed == found


def test_the_distribution_has_one_name():
    assert PROJECT["name"] == DISTRIBUTION
    assert PROJECT["scripts"] == {"vrp": "vrpcore.cli.main:run"}
    assert installed_by_name() == {DISTRIBUTION}


def installed_by_name():
    """What documents, help and messages tell to install with an extra of this project's."""
    extras = "|".join(PROJECT["optional-dependencies"])
    command = re.compile(rf"pip install [\"']([\w-]+)\[(?:{extras})\b")
    folders = ("cli", "docs", "examples", "export", "vrpcore")
    files = [*ROOT.glob("*.md"), *(file for each in folders for file in (ROOT / each).rglob("*.*"))]
    texts = [file.read_text(encoding="utf-8") for file in files if file.suffix in {".md", ".py"}]
    return {name for text in texts for name in command.findall(text)}


def test_all_brings_what_a_user_wants():
    extras = PROJECT["optional-dependencies"]
    wanted = set(extras) - {"all", "bench", "dev", "docs", "mlflow", "ray", "wandb"}
    assert extras["all"] == [f"{DISTRIBUTION}[{','.join(sorted(wanted))}]"]


def test_trackers_of_pictures_bring_what_draws_them():
    for name in get_args(TrackerName):
        brought = PROJECT["optional-dependencies"][name]
        assert any(each.startswith("pillow>=") for each in brought), name


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the checkout."""
    copy = tmp_path_factory.mktemp("sources") / "tree"
    without = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=without)
    return copy


@pytest.fixture(scope="module")
def sources(tree):
    """The packed sources, made where libraries lie already."""
    libraries = (
        "hgs/vrp_hgs.so",
        "rich/vrp_rich.so",
        "rich/vrp_working_day.so",
        "training/vrp_training.so",
    )
    for name in libraries:
        (tree / "vrpcore/native" / name).write_bytes(b"of this machine")
    make = "from vrpcore.native.build import build_sdist; build_sdist('..')"
    subprocess.run([sys.executable, "-c", make], cwd=tree, check=True, capture_output=True)
    return next(tree.parent.glob(f"{DISTRIBUTION}-*.tar.gz"))


def wheel_of(sources, folder, **environment):
    """The name of the wheel that pip makes, and the files in it."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, sources],
        check=True,
        capture_output=True,
        env=os.environ | environment,
    )
    (wheel,) = folder.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        return wheel.name, set(archive.namelist())


def installed_files(tree):
    """What belongs into an installation, by its place in the checkout and in the package."""
    for folder, package in SETTINGS["tool"]["setuptools"]["package-dir"].items():
        for file in (tree / package).rglob("*"):
            made_here = "__pycache__" in file.parts or file.name.startswith("vrp_")
            if file.is_file() and not made_here and file.suffix != ".sh":
                place = file.relative_to(tree / package).as_posix()
                yield f"{package}/{place}", f"{folder.replace('.', '/')}/{place}"


def core_files(names):
    return {Path(name).name for name in names if any(f"{core}/" in name for core in CORES)}


@pytest.mark.slow
def test_packed_sources_hold_what_belongs_there_and_no_library(sources, tree):
    with tarfile.open(sources) as archive:
        files = {each.name.partition("/")[2] for each in archive.getmembers() if each.isfile()}
    made = {f"{DISTRIBUTION}.egg-info/{name}" for name in EGG_INFO} | {"PKG-INFO", "setup.cfg"}
    assert files == BESIDE | made | {place for place, _ in installed_files(tree)}
    assert core_files(files) == {
        file.name for core in CORES for file in (ROOT / core).glob("*.?pp")
    }


@pytest.mark.slow
def test_a_wheel_holds_the_library_and_its_platform(sources, tmp_path):
    name, files = wheel_of(sources, tmp_path)
    assert "-py3-none-" in name
    assert not name.endswith("-any.whl")
    assert core_files(files) >= {library.file.name for library in LIBRARIES}


@pytest.mark.slow
def test_a_wheel_is_made_where_nothing_compiles(sources, tree, tmp_path):
    name, files = wheel_of(sources, tmp_path, CXX="no-such-compiler")
    assert name.endswith("-py3-none-any.whl")
    about = f"{DISTRIBUTION}-{VERSION}.dist-info"
    expected = {place for _, place in installed_files(tree)}
    assert {file for file in files if not file.startswith(about)} == expected
    assert {"vrpcore/py.typed", "vrpcore/models/base.onnx", "vrpcore/native/hgs/hgs.cpp"} <= files
    assert {"vrpcore/configs/train.yaml", "vrpcore/serve/page/index.html"} <= files


PROGRAM = """\
import vrpcore
from vrpcore.api import Model
from vrpcore.cli.main import run
from vrpcore.export.torchscript import script_rollout

Model().add_depot(x="here", y=0)
version: int = vrpcore.__version__
run(script_rollout)
"""
PLANTED = {(6, "arg-type"), (7, "assignment"), (8, "call-arg")}


@pytest.mark.slow
@pytest.mark.parametrize("how", [["-e"], []], ids=["editable", "installed"])
def test_type_checkers_see_the_types(how, tree, tmp_path):
    """mypy knows nothing but what an environment with this package alone tells it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "own"], check=True)
    python = tmp_path / "own" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", *how, tree],
        check=True,
        capture_output=True,
        env=os.environ | {"CXX": "no-such-compiler"},
    )
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, program.name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    found = re.findall(r"^program.py:(\d+): error: .*\[([\w-]+)\]$", checked.stdout, re.MULTILINE)
    assert {(int(line), code) for line, code in found} == PLANTED, checked.stdout + checked.stderr
