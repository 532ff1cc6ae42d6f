"""The files for GitHub can be read, and what they name and call is there."""

import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from vrpcore.cli.main import COMMANDS, app
from vrpcore.cost import route_times
from vrpcore.errors import DISTRIBUTION, MissingSearchError
from vrpcore.native.library import HGS, RICH, WORKING_DAY
from vrpcore.search import hgs_library, rich_library
from vrpcore.version import VERSION

ROOT = Path(__file__).parent.parent
GITHUB = ROOT / ".github"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml"))
CHECKS = {"ruff", "mypy", "pytest", "make"}  # which .ci/run calls
OF_THE_RUN = {"plans.json", "solutions.json"}
EACH_WORKFLOW = pytest.mark.parametrize("file", WORKFLOWS, ids=[file.stem for file in WORKFLOWS])


def loaded(file):
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def steps(file):
    for job in loaded(file)["jobs"].values():
        yield from job.get("steps", ())


def used(file):
    """The actions and workflows that a workflow calls."""
    for job in loaded(file)["jobs"].values():
        yield from (each["uses"] for each in [job, *job.get("steps", ())] if "uses" in each)


def commands(file):
    """The words of each command of a workflow."""
    for step in steps(file):
        for line in step.get("run", "").splitlines():
            yield shlex.split(line)


@EACH_WORKFLOW
def test_a_workflow_is_named_as_its_file_and_may_only_read(file):
    found = loaded(file)
    assert found["name"] == file.stem
    assert found["permissions"] == {"contents": "read"}
    assert found[True]  # YAML reads the key `on` as a truth value
    assert all(len({"uses", "run"} & step.keys()) == 1 for step in steps(file))


@EACH_WORKFLOW
def test_actions_are_pinned_to_a_major_version(file):
    for name in used(file):
        if name.startswith("./"):
            assert (ROOT / name).exists(), name
        else:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+", name), name


@EACH_WORKFLOW
def test_what_a_workflow_calls_is_there(file):
    for words in commands(file):
        assert_there(words)


def assert_there(words):
    program, *arguments = words
    if program.startswith("."):
        assert os.access(ROOT / program, os.X_OK), program
    if program == "mkdocs":
        assert (ROOT / "mkdocs.yml").exists()
    if program == "vrp":
        assert arguments[0] in COMMANDS, arguments
        files = {each for each in arguments[1:] if "." in each} - OF_THE_RUN
        assert all((ROOT / each).exists() for each in files), files
    for each in arguments:
        if extras := re.fullmatch(r"\.\[(.*)\]", each):
            assert set(extras[1].split(",")) <= PROJECT["optional-dependencies"].keys()


def test_a_wheel_is_tried_by_commands_that_are_there():
    for words in trial():
        assert_there(words)


def trial():
    """The words of each command by which a wheel is tried."""
    lines = SETTINGS["tool"]["cibuildwheel"]["test-command"]
    return [shlex.split(line.replace("{project}/", "")) for line in lines]


def test_what_was_compiled_on_windows_is_tried_as_a_wheel_is():
    steps = loaded(GITHUB / "workflows/ci.yml")["jobs"]["windows"]["steps"]
    assert [shlex.split(step["run"]) for step in steps[-4:]] == trial()


@pytest.mark.parametrize("missing", [None, HGS, RICH, WORKING_DAY])
def test_a_wheel_without_a_search_fails_its_trial(missing, monkeypatch, tmp_path):
    def opened(path, *others):
        if missing is not None and path == missing.file:
            raise MissingSearchError("not there")
        return found(path, *others)

    loaders, found = (hgs_library, rich_library, route_times), hgs_library.open_search
    for each in loaders:
        monkeypatch.setattr(each, "open_search", opened)
    monkeypatch.chdir(tmp_path)
    for each in loaders:
        each.load_library.cache_clear()
    codes = []
    for _, *words in (words for words in trial() if words[0] == "vrp"):
        here = [str(ROOT / word) if word.startswith("examples/") else word for word in words]
        codes.append(CliRunner().invoke(app, here).exit_code)
    for each in loaders:
        each.load_library.cache_clear()
    assert any(codes) is (missing is not None), codes


def test_the_script_compares_libraries_by_the_names_that_each_system_has():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"grep -oE '([^']+)' \| sort", script)
    stem = HGS.file.with_suffix("").relative_to(ROOT).as_posix()
    for name in (f"{stem}.so", f"{stem}.dylib"):
        assert re.search(pattern, f"{name}  2026-01-01")[0] == name


def test_workflows_leave_the_checks_to_the_script_that_holds_them():
    called = {word for file in WORKFLOWS for words in commands(file) for word in words}
    assert ".ci/run" in called
    assert not called & CHECKS
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(name in script + makefile for name in CHECKS)


def test_the_python_versions_are_those_that_the_project_names():
    named = [
        each.rpartition(" ")[2]
        for each in PROJECT["classifiers"]
        if re.search(r":: Python :: 3\.\d+$", each)
    ]
    first, after = (int(each) for each in re.findall(r"3\.(\d+)", PROJECT["requires-python"]))
    assert named == [f"3.{minor}" for minor in range(first, after)]
    jobs = loaded(GITHUB / "workflows/ci.yml")["jobs"]
    assert [job["strategy"]["matrix"]["python"] for job in jobs.values()] == [named, named]


def test_a_tag_is_compared_with_the_name_of_the_source_archive():
    text = (GITHUB / "workflows/release.yml").read_text(encoding="utf-8")
    assert f'test -f "dist/{DISTRIBUTION}-${{GITHUB_REF_NAME#v}}.tar.gz"' in text


@pytest.mark.parametrize("file", FORMS, ids=[file.stem for file in FORMS])
def test_a_form_asks_what_it_explains(file):
    form = loaded(file)
    if file.stem == "config":
        assert form == {"blank_issues_enabled": True}
        return
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert all(each["attributes"]["label"] for each in fields)
    assert len({each["id"] for each in fields}) == len(fields)
    assert {"name", "description", "labels", "body"} == form.keys()


def test_the_citation_is_of_this_version():
    found = loaded(ROOT / "CITATION.cff")
    assert (found["cff-version"], found["type"]) == ("1.2.0", "software")
    assert (found["version"], found["license"]) == (VERSION, PROJECT["license"])
    assert found["title"].startswith(f"{DISTRIBUTION}: ")
    assert found["authors"] == PROJECT["authors"]
