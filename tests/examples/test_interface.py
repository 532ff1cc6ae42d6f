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
JSON = (PAGES[0].parent / "json.md").read_text(encoding="utf-8")
QUICK = ("README", "answers", "errors", "http", "json", "roads")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=() if page.stem in QUICK else pytest.mark.slow, id=page.stem)
        for page in PAGES
    ],
)
def test_the_example_of_a_page_runs(page, tmp_path):
    """The page on answers shows what comes out."""
    text = page.read_text(encoding="utf-8")
    for name, content in _FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    (commands,) = _RUN.findall(text)
    assert "## " not in text.partition("<!-- run -->")[0].partition("\n")[2]
    said = run_commands(commands, tmp_path)
    assert "Traceback" not in said
    if page.stem == "answers":
        found = [*_ANSWER.findall(text), (tmp_path / "solutions.json").read_text()]
        shown, made = (json.loads(each) for each in found)
        for document in (shown, made):
            for changing in ("seconds", "instances_per_second"):
                assert document["summary"].pop(changing) > 0
        assert shown == made


@pytest.mark.parametrize(("name", "content"), _FILE.findall(JSON))
def test_each_instance_of_the_page_on_json_can_be_read_and_written(name, content):
    (item,) = read_instances(content.encode())
    assert isinstance(item, Instance), (name, item)
    (again,) = read_instances(instance_to_line(item).encode())
    assert instance_to_line(again) == instance_to_line(item)
