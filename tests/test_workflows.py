"""The files for GitHub can be read, and what they name and call is there."""

import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from vrpcore.cli.main import COMMANDS
from vrpcore.errors import DISTRIBUTION
from vrpcore.version import VERSION

ROOT = Path(__file__).parent.parent
GITHUB = ROOT / ".github"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml"))
CHECKS = {"ruff", "mypy", "pytest", "make"}  # which .ci/run calls
OF_THE_RUN = {"solutions.json"}
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
    line = SETTINGS["tool"]["cibuildwheel"]["test-command"]
    for command in line.replace("{project}/", "").split(" && "):
        assert_there(shlex.split(command))


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
