import json
import re

import pytest

from benchmarks.records import (
    DOCS,
    RECORDS,
    Column,
    Headline,
    PageRecord,
    headlines,
    names_shown,
    origin,
    pages,
    read_record,
    render,
    table,
    write_record,
)
from vrpcore.errors import ConfigError

RECORD = PageRecord(
    command="python -m this",
    machine="Zen 5",
    model="base 0123",
    headlines=[Headline("speed", "3 times", "goal 2"), Headline("the same", "4", machine="Zen 4")],
    columns=[Column("limit"), Column("gap", "{:+.2f} ± {:.3f} %"), Column("s", "{:.1f}")],
    rows=[["1 s", [-0.5, 0.01], 2], ["2 s", {"bold": [0.25, 0]}, None], ["a|b", "none", -0.04]],
    notes=["One seed."],
)
SHOWN = """\
`python -m this` · Zen 5 · model base 0123

| limit | gap | s |
|---|---|---|
| 1 s | -0.50 ± 0.010 % | 2.0 |
| 2 s | **+0.25 ± 0.000 %** | |
| a\\|b | none | -0.0 |

One seed."""
PAGE = "# Page\n\n<!-- record: one -->\nold\n<!-- end -->\nmore\n"


def read(name):
    return {"one": RECORD}[name]


def test_a_table_has_its_origin_its_numbers_and_its_notes():
    assert table(RECORD) == SHOWN


def test_a_record_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "one.json"
    write_record(path, RECORD, kinds={"single": [1, 2]})
    assert table(read_record(path)) == SHOWN
    assert read_record(path).headlines == RECORD.headlines
    assert ' ["1 s", [-0.5, 0.01], 2],\n' in path.read_text()  # one row a line
    assert json.loads(path.read_text())["kinds"] == {"single": [1, 2]}
    assert "commit" not in json.loads(path.read_text())


def test_only_what_stands_between_markers_is_rendered():
    rendered = f"# Page\n\n<!-- record: one -->\n{SHOWN}\n<!-- end -->\nmore\n"
    assert render(PAGE, read) == rendered
    assert render(rendered, read) == rendered
    assert names_shown(rendered) == {"one"}


def test_headlines_have_the_machine_of_their_record():
    lines = [
        "| claim | figure | goal or rival | machine |",
        "|---|---|---|---|",
        "| speed | 3 times | goal 2 | Zen 5 |",
        "| the same | 4 | | Zen 4 |",
    ]
    assert headlines([RECORD]) == "\n".join(lines)
    page = "<!-- headlines: one one -->\n<!-- end -->\n"
    assert render(page, read).splitlines()[1:-1] == lines + lines[2:]


def test_the_front_page_needs_headlines():
    bare = PageRecord(command="c", machine="m", columns=[Column("a")], rows=[])
    with pytest.raises(ConfigError, match=r"record one has no headlines.*write them"):
        render("<!-- headlines: one -->\n<!-- end -->\n", lambda name: bare)


@pytest.mark.parametrize(
    "page", ["<!-- record: one -->\n", "<!-- record: one -->\n" + PAGE, PAGE.replace("end", "fin")]
)
def test_a_marker_without_an_end_is_an_error(page):
    with pytest.raises(ConfigError, match="no <!-- end -->"):
        render(page, read)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": [["1 s", "none"]]}, "zip"),
        ({"rows": [["1 s", [1], 2]]}, "'gap' writes 2 numbers"),
        ({"rows": [["1 s", [1, 2, 3], 2]]}, "'gap' writes 2 numbers"),
        ({"columns": [{"title": "x"}]}, "title"),
        ({"command": None}, "command"),
    ],
)
def test_what_is_no_record_is_refused_by_name(tmp_path, change, message):
    path = tmp_path / "one.json"
    write_record(path, RECORD)
    found = {**json.loads(path.read_text()), **change}
    path.write_text(json.dumps({name: value for name, value in found.items() if value}))
    with pytest.raises(ConfigError, match=rf"one\.json: no record: .*{message}"):
        read_record(path)


def test_the_readme_next_to_the_folder_is_rendered_too(tmp_path):
    (tmp_path / "docs/results/records").mkdir(parents=True)
    write_record(tmp_path / "docs/results/records/one.json", RECORD)
    (tmp_path / "README.md").write_text(PAGE)
    assert pages(tmp_path / "docs") == {tmp_path / "README.md": render(PAGE, read)}


def test_a_missing_record_is_named_with_its_page(tmp_path):
    (tmp_path / "page.md").write_text(PAGE)
    with pytest.raises(ConfigError, match=r"page\.md: .*one\.json: no such record"):
        pages(tmp_path)


def test_an_origin_is_this_machine_and_commit():
    here = origin("python -m this")
    assert here["command"] == "python -m this"
    assert re.search(r", \d+ cores$", here["machine"])
    assert here["commit"] is None or re.match(r"[0-9a-f]{7,}(-dirty)?$", here["commit"])


def test_pages_show_what_their_records_hold():
    changed = [page for page, text in pages(DOCS).items() if page.read_text() != text]
    assert changed == [], "run: python -m benchmarks records"


def test_every_record_is_shown():
    shown = set().union(*(names_shown(page.read_text()) for page in pages(DOCS)))
    assert {path.stem for path in RECORDS.glob("*.json")} == shown


def test_no_table_of_the_results_is_kept_by_hand():
    for page in (DOCS / "results").glob("*.md"):
        rest = re.sub(r"<!-- (record|headlines): .*?<!-- end -->", "", page.read_text(), flags=re.S)
        assert re.findall(r"^\|.*", rest, re.MULTILINE) == [], page.name


def test_figures_of_the_front_page_stand_in_their_tables():
    for path in RECORDS.glob("*.json"):
        record = read_record(path)
        known = re.findall(r"\d+\.\d+", table(record))
        for headline in record.headlines:
            for figure in re.findall(r"\d+\.\d+", headline.figure):
                digits = len(figure.partition(".")[2])
                assert figure in {f"{float(number):.{digits}f}" for number in known}, path.name
