"""Links between the documents lead somewhere, code names only documents that exist, and no line
of a document is too long."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("docs", "examples", "vrpcore/models", "tests")
PAGES = sorted(
    [*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))]
)
CODE = [
    file
    for folder in ("benchmarks", "cli", "configs", "export", "tests", "vrpcore")
    for file in sorted((ROOT / folder).rglob("*"))
    if file.suffix in {".py", ".md", ".sh", ".yaml", ".cpp", ".hpp", ".js"}
]
OTHERS = {"docs/API.md"}  # VROOM's
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?)\)")


LONGEST = 700
RECORD = re.compile(r"<!-- record: .*?<!-- end -->", re.DOTALL)


def anchors(page):
    """What GitHub makes of the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)", FENCED.sub("", page.read_text()), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = sum(other in found for other in (anchor, f"{anchor}-1", f"{anchor}-2"))
        found.add(f"{anchor}-{count}" if count else anchor)
    return found


def dead(page):
    """The links of a page that lead nowhere."""
    text = re.sub(r"`[^`\n]*`", "", FENCED.sub("", page.read_text()))
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_to_files_and_headings(page):
    assert list(dead(page)) == []


def test_dead_links_are_found(tmp_path):
    page = tmp_path / "page.md"
    other = tmp_path / "other.md"
    other.write_text("# C++, and `code`: 5 % [more](x)\n\n## Twice\n\n## Twice\n")
    page.write_text(
        "# Here\n\n[a](other.md#c-and-code-5--more) [b](other.md#twice-1) [c](#here)\n"
        "[d](gone.md) [e](other.md#gone) ![f](gone.svg) [g](#there) `[h](code)`\n\n"
        "```\n[i](fenced.md)\n# No heading\n```\n[j](#no-heading) [k](https://example.org)\n"
    )
    assert list(dead(page)) == ["gone.md", "other.md#gone", "gone.svg", "#there", "#no-heading"]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_no_line_is_longer_than_a_reader_can_follow(page):
    lines = RECORD.sub("", page.read_text(encoding="utf-8")).splitlines()
    assert [line[:60] for line in lines if len(line) > LONGEST] == []


def test_code_names_only_documents_that_exist():
    named = {
        (str(file.relative_to(ROOT)), name)
        for file in CODE
        for name in re.findall(r"(?<![\w/])docs/[\w./-]+\.md\b", file.read_text(encoding="utf-8"))
    }
    assert named
    assert {
        item for item in named if item[1] not in OTHERS and not (ROOT / item[1]).exists()
    } == set()
