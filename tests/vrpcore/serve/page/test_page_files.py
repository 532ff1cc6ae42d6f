"""Files in and out of the page, and the page's own files."""

import csv
import gzip
import io
import json
import re
import struct
import time
from pathlib import Path

from tests.vrpcore.serve.page.cases import BAD, EXAMPLE, SMALL, days
from tests.vrpcore.serve.page.chromium import Page, downloaded
from tests.vrpcore.serve.page.served import ROOT, Faults
from vrpcore.api import read_instances
from vrpcore.formats.answers.solutionformats import solution_to_csv
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.formats.spreadsheets import TEMPLATE
from vrpcore.formats.write import write_instances
from vrpcore.instance.instance import Instance
from vrpcore.referee.referee import check_solution
from vrpcore.serve.pages import PAGE


def test_downloads(page: Page) -> None:
    page.example()
    page.solve()
    instances = [item for item in read_instances(EXAMPLE) if isinstance(item, Instance)]
    solutions = read_solutions(downloaded(page, "json").encode())
    assert all(check_solution(*pair).ok for pair in zip(instances, solutions, strict=True))
    sol = downloaded(page, "sol")
    assert sol.startswith("Route #1: ") and f"Cost {solutions[0].cost}" in sol
    expected = list(csv.reader(io.StringIO(solution_to_csv(instances[0], solutions[0]))))
    found = list(csv.reader(io.StringIO(downloaded(page, "csv"))))
    assert found[1:] == expected


def test_files_one_and_several(page: Page, tmp_path: Path, server: Faults) -> None:
    write_instances(tmp_path / "tiny.vrp", [*read_instances([{**SMALL, "name": "tiny"}])])
    (tmp_path / "days.jsonl.gz").write_bytes(
        gzip.compress("\n".join(json.dumps(day) for day in days(3)).encode())
    )
    page.choose(tmp_path / "tiny.vrp")
    page.until("document.getElementById('text').value.includes('tiny')")
    assert page.solve().startswith("1 instance solved")
    assert page.text("shown-title") == "tiny" and page.shows("map")
    page.choose(tmp_path / "tiny.vrp", tmp_path / "days.jsonl.gz")
    page.until("document.querySelectorAll('#files li').length === 2")
    assert page.solve().startswith("4 instances solved")
    assert len(server.solves) == 3
    assert [item.name for item in read_solutions(downloaded(page, "json").encode())] == [
        "tiny", "day-0", "day-1", "day-2",
    ]  # fmt: skip


def test_of_two_drops_the_later_one_counts(page: Page, tmp_path: Path) -> None:
    """Whichever is read first."""
    for name in ("first", "second"):
        (tmp_path / f"{name}.json").write_text(json.dumps({**SMALL, "name": name}))
    page.browser.execute_script(
        "const read = Blob.prototype.arrayBuffer; let slow = true;"
        "Blob.prototype.arrayBuffer = async function gated() {"
        "  if (slow) { slow = false; await new Promise((go) => { window.go = go; }); }"
        "  return read.call(this);"
        "};"
    )
    page.choose(tmp_path / "first.json")
    page.until("window.go")
    page.choose(tmp_path / "second.json")
    page.until("document.getElementById('text').value.includes('second')")
    page.script("window.go()")
    time.sleep(0.3)
    assert "second" in page.script("document.getElementById('text').value")


def test_one_invalid_file_costs_the_others_nothing(page: Page, tmp_path: Path) -> None:
    names = []
    for name, content in (("good", days(1)), ("bad", [BAD]), ("broken", "{"), ("last", days(2))):
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / f"{name}.json").write_text(text)
        names.append(tmp_path / f"{name}.json")
    page.choose(*names)
    page.until("document.querySelectorAll('#files li').length === 4")
    assert page.solve().startswith("3 of 5 instances solved")
    found = read_solutions(downloaded(page, "json").encode())
    assert [item.status for item in found] == ["solved", "invalid", "invalid", "solved", "solved"]
    page.click("option-2")
    assert page.text("shown-title") == "broken.json"
    assert "JSON" in page.text("shown-notice")
    assert not page.text("input-notice")


def test_where_all_files_are_invalid_all_are_listed(page: Page, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.json").write_text(json.dumps({**BAD, "name": name}))
    page.choose(tmp_path / "first.json", tmp_path / "second.json")
    page.until("document.querySelectorAll('#files li').length === 2")
    page.solve()
    said = page.text("input-notice")
    assert said.startswith("None of the instances is valid.")
    assert "first" in said and "second" in said


def test_ids_keep_all_their_digits(page: Page) -> None:
    ids = [1234567890123456788, 1234567890123456789, -9007199254740993, 7]
    instance = {
        "capacity": 9, "depot": [0, 0],
        "customers": [{"id": own, "x": at + 0.1234567890123456789, "y": 1, "demand": 1}
                      for at, own in enumerate(ids)],
    }  # fmt: skip
    page.paste(instance)
    assert page.text("input-note") == "1 instance, 4 customers"
    assert page.solve().startswith("1 instance solved")
    (problem,) = read_instances(json.dumps(instance).encode())
    assert isinstance(problem, Instance)
    (found,) = read_solutions(downloaded(page, "json").encode())
    assert check_solution(problem, with_own_ids(problem, found)).ok
    rows = list(csv.DictReader(io.StringIO(downloaded(page, "csv"))))
    assert {row["customer"].lstrip("'") for row in rows} == {str(own) for own in ids}


def test_examples_are_those_of_the_command() -> None:
    for name, text in TEMPLATE.items():
        assert (PAGE / name).read_bytes() == text.encode()


def test_pictures_of_the_page_are_as_large_as_a_window_and_small_files() -> None:
    sizes = {"first": (1280, 657), "desktop": (1280, 657), "dark": (1280, 657), "phone": (390, 844)}
    folder = ROOT / "docs" / "serving"
    assert {path.stem for path in folder.glob("*.png")} == {f"page_{name}" for name in sizes}
    for name, size in sizes.items():
        content = (folder / f"page_{name}.png").read_bytes()
        assert struct.unpack(">II", content[16:24]) == size  # of the header, IHDR
        assert len(content) < 150_000


def test_files_hold_no_outside_address_and_no_inline_code() -> None:
    for name in ("index.html", "docs.html"):
        html = (PAGE / name).read_text()
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", html), name
    for path in PAGE.iterdir():
        if path.suffix in (".js", ".css", ".html"):
            text = path.read_text()
            assert "innerHTML" not in text and "insertAdjacentHTML" not in text, path.name
            assert not re.search(r"https?://", text), path.name
            assert len(text.splitlines()) <= 400, path.name
