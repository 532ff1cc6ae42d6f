"""The documentation as a site: it builds without a warning, its links lead somewhere, and it loads
nothing from other hosts."""

import importlib.util
import os
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from vrpcore import api

ROOT = Path(__file__).parents[1]
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs" / "site_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "path", "there"),
    [
        ("[a](docs/interface/json.md#x)", "README.md", "[a](interface/json.md#x)"),
        ("[a](examples/README.md)", "README.md", "[a](examples/README.md)"),
        ("[a](../README.md)", "docs/README.md", "[a](index.md)"),
        ("[a](serving)", "docs/README.md", "[a](serving/README.md)"),
        ("[a](../docs/interface/json.md)", "examples/README.md", "[a](../interface/json.md)"),
        ("![a](../docs/examples/oil.svg)", "examples/README.md", "![a](oil.svg)"),
        ("[`a`](../vrpcore/api.py)", "docs/house.md", "`a`"),
        ("[a](table.ipynb)", "docs/notebooks/README.md", "[a](table.md)"),
        ("[a](#x) [b](https://x.org)", "docs/decisions.md", "[a](#x) [b](https://x.org)"),
        (r"`[a](b.md)` `a\|b`", "docs/decisions.md", "`[a](b.md)` `a|b`"),
        ('<img src="docs/routes.svg" alt="a">', "README.md", '<img src="routes.svg" alt="a">'),
    ],
)
def test_links_are_those_of_the_site(hook, text, path, there):
    uri = hook.PAGES.get(path) or path.removeprefix("docs/")
    assert hook.rewritten(text, path, uri) == there


def test_a_notebook_as_a_page(hook):
    picture = {"data": {"image/png": "iV\nBO\n", "text/plain": "<Figure>"}}
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": "f()", "outputs": [{"text": ["1\n", "2\n"]}, picture]},
        {"cell_type": "code", "source": "g()", "outputs": [{"data": {"text/plain": "3"}}]},
    ]
    assert hook.notebook_page({"cells": cells}) == (
        "# Title\ntext\n\n```python\nf()\n```\n\n```text\n1\n2\n```\n\n"
        "![What the cell shows](data:image/png;base64,iVBO)\n\n"
        "```python\ng()\n```\n\n```text\n3\n```\n"
    )


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, file):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found.get("id"), found.get("name")}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag in FETCHED and found.get(FETCHED[tag]) and found.get("rel") != "canonical":
            self.loaded.append(found[FETCHED[tag]])


def dead(pages, folder):
    """(page, link) of those that lead nowhere."""
    for file, page in pages.items():
        for link in (*page.links, *page.loaded):
            if re.match(r"[a-z]+:", link) or file.name == "404.html":
                continue
            path, _, anchor = unquote(link).partition("#")
            target = file if not path else Path(os.path.normpath(file.parent / path))
            target = target / "index.html" if target.is_dir() else target
            anchors = pages[target].anchors if anchor and target in pages else {anchor}
            if not target.exists() or anchor not in anchors:
                yield str(file.relative_to(folder)), link


def rows(file):
    """Of each table row of a page the texts of its cells."""
    found = re.findall(r"<tr.*?</tr>", file.read_text(encoding="utf-8"), re.DOTALL)
    cells = (re.findall(r"<td.*?</td>", row, re.DOTALL) for row in found)
    return [
        [" ".join(unescape(re.sub(r"<.*?>", "", cell)).split()) for cell in row] for row in cells
    ]


@pytest.mark.slow
def test_the_site_is_whole_and_loads_nothing_from_elsewhere(tmp_path):
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", site]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    pages = {file: Page(file) for file in sorted(site.rglob("*.html"))}
    assert len(pages) > 35
    assert list(dead(pages, site)) == []
    loaded = {each for page in pages.values() for each in page.loaded}
    assert {each for each in loaded if each.startswith(("http:", "https:", "//"))} == set()
    styles = "".join(file.read_text(encoding="utf-8") for file in site.rglob("*.css"))
    assert "@import" not in styles
    assert "url(http" not in styles
    reference = pages[site / "reference" / "index.html"]
    assert {f"vrpcore.api.{name}" for name in api.__all__} <= reference.anchors
    explained = rows(site / "reference" / "index.html")
    assert [
        "prize",
        "float | None",
        "Cost of leaving it out; without one it is required.",
        "...",
    ] in explained
    assert [
        "members",
        "Sequence[CustomerId]",
        "One of them is served; they have neither prize nor priority.",
        "required",
    ] in explained
    assert ["iterations", "int | None"] in [row[:2] for row in explained]
    assert [row for row in explained if len(row) == 4 and not row[1]] == []  # all have types
    text = (site / "reference" / "index.html").read_text(encoding="utf-8")
    assert "Annotated" not in text
    assert "<p>model = Model()" not in text
    gallery = pages[site / "gallery" / "index.html"]
    assert sum(each.endswith(".svg") for each in gallery.loaded) >= 18
    for name in (file.stem for file in (ROOT / "docs" / "notebooks").glob("*.ipynb")):
        shown = pages[site / "notebooks" / name / "index.html"].loaded
        assert any(each.startswith("data:image/png;base64,") for each in shown)
