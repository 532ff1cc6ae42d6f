"""Each page of docs/interface begins with an example that runs."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.examples.programs import run_commands
from vrpcore.formats.read import read_instances
from vrpcore.formats.write import instance_to_line
from vrpcore.instance.instance import Instance

if not shutil.which("bash"):
    pytest.skip("the commands of the pages need bash", allow_module_level=True)

PAGES = sorted((Path(__file__).parents[2] / "docs" / "interface").glob("*.md"))
_FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
_RUN = re.compile(r"^<!-- run -->\n```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r'^```json\n({"format": "vrp-solutions/1".*?)^```', re.MULTILINE | re.DOTALL)
JSON, ANSWERS = (
    (PAGES[0].parent / f"{name}.md").read_text(encoding="utf-8") for name in ("json", "answers")
)
SLOW = {"benchmarks": [pytest.mark.slow]}  # a device's whole self-test


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=SLOW.get(page.stem, ()), id=page.stem) for page in PAGES]
)
def test_the_example_of_a_page_runs(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    for name, content in _FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    (commands,) = _RUN.findall(text)
    assert "## " not in text.partition("<!-- run -->")[0].partition("\n")[2]
    said = run_commands(commands, tmp_path)
    assert "Traceback" not in said


def test_the_page_on_answers_shows_the_answer_to_its_example(tmp_path):
    for name, content in _FILE.findall(ANSWERS):
        (tmp_path / name).write_text(content, encoding="utf-8")
    run_commands(_RUN.findall(ANSWERS)[0], tmp_path)
    (shown,) = _ANSWER.findall(ANSWERS)
    found = [json.loads(shown), json.loads((tmp_path / "solutions.json").read_text())]
    for document in found:
        for changing in ("seconds", "instances_per_second"):
            assert document["summary"].pop(changing) > 0
    assert found[0] == found[1]


@pytest.mark.parametrize(("name", "content"), _FILE.findall(JSON))
def test_each_instance_of_the_page_on_json_can_be_read_and_written(name, content):
    (item,) = read_instances(content.encode())
    assert isinstance(item, Instance), (name, item)
    (again,) = read_instances(instance_to_line(item).encode())
    assert instance_to_line(again) == instance_to_line(item)
