import re

import pytest

from benchmarks.command_keys import COLUMNS, ROWS, rendered
from benchmarks.records import DOCS
from tests.benchmarks.runs import benchmark
from vrpcore.errors import ConfigError

# Told in words, with examples.
UNTOLD = {
    "AnswerFile", "ColumnsDocument", "Error", "Event", "InstancesDocument", "JobList",
    "MatricesRow", "PlainCustomerRow", "PlainDocument", "Previews", "Reason", "Refused",
    "JsonRow", "ReloadRow", "SolutionsAndInKind", "Table", "VroomAnswer", "VroomRow", "WarmStarted",
    "_Whole",
}  # fmt: skip


def pages():
    return [page.read_text(encoding="utf-8") for page in (DOCS / "interface").glob("*.md")]


def test_pages_and_declarations_agree():
    assert [text for text in pages() if rendered(text) != text] == []


def test_every_row_stands_on_one_page():
    shown = [row for text in pages() for row in re.findall(r"<!-- keys: ([^-\n]+)", text)]
    assert sorted(" ".join(shown).split()) == sorted(ROWS.keys() - UNTOLD)
    tables = [name for text in pages() for name in re.findall(r"<!-- columns: (\w+)", text)]
    assert sorted(tables) == sorted(COLUMNS)


def test_every_key_says_what_it_means():
    for name in ROWS.keys() - UNTOLD:
        told = [line.split(" | ")[2] for line in table(f"keys: {name}")[2:]]
        assert len(told) == len(ROWS[name].__struct_fields__)
        assert [each for each in told if not each.endswith(". |") and "..." not in each] == []


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page of a folder of documents whose table is older."""
    (tmp_path / "interface").mkdir()
    monkeypatch.setattr("benchmarks.records.DOCS", tmp_path)
    page = tmp_path / "interface" / "page.md"
    page.write_text("# Page\n\n<!-- keys: GroupRow -->\nold\n<!-- end -->\n")
    return page


def test_pages_are_rendered_once(page):
    assert benchmark("keys").stdout == f"{page}: rendered\n"
    assert page.read_text() == (
        "# Page\n\n<!-- keys: GroupRow -->\n| key | value | meaning |\n|---|---|---|\n"
        "| `members` | list of ids of customers and shipments, required "
        "| One of them is served; they have neither `prize` nor `priority`. |\n"
        "| `id` | id | Default: `group-` and its position, from 0. |\n"
        "| `prize` | ≥ 0 | Cost of leaving it out; without one it is required. |\n"
        "| `priority` | integer ≥ 0, ≤ 100 "
        "| Which required ones come first, as of customers. Default 0. |\n<!-- end -->\n"
    )
    assert benchmark("keys").stdout == ""


def table(marker):
    return rendered(f"<!-- {marker} -->\n<!-- end -->\n").splitlines()[1:-1]


def test_what_keys_take_in_words():
    lines = (line.split(" | ") for line in table("keys: VehicleRow")[2:])
    values = {key[3:-1]: value for key, value, _ in lines}
    assert [values[key] for key in ("capacity", "start", "window", "breaks", "speed", "lost")] == [
        "≥ 0 or list",
        "id or null",
        "[opens, closes]",
        "list of breaks",
        "> 0",
        "true or false",
    ]
    assert "| `matrices` | object of objects |" in "\n".join(table("keys: InstanceDocument"))
    assert table("keys: RelationRow")[2].startswith("| `kind` | `apart`, `chain`, `order`, ")


def test_keys_that_others_have_alike_are_left_out():
    keys = [line.split("`")[1] for line in table("keys: ShipmentRow - CustomerRow")[2:]]
    assert keys == ["id", "delivery", "pickup", "amount", "on_board", "ridden", "max_ride"]


def test_several_rows_are_a_table_of_names():
    assert table("keys: VroomCosts VroomProfile") == [
        "| object | keys |",
        "|---|---|",
        "| Costs of a vehicle | `fixed`, `per_hour`, `per_task_hour`, `per_km` |",
        "| The matrices of a profile | `durations`, `distances`, `costs` |",
    ]


def test_columns_have_other_headings():
    assert table("columns: stops")[2].startswith("| `id` | `stopid`, `stopno` | ")
    assert "between `,` `;` or `\\|`" in "\n".join(table("columns: stops"))
    assert table("columns: stops")[-1].startswith("As the keys of JSON: `service`, `release`, ")
    fleet = table("columns: fleet")
    assert "As of stops: `lat`, `lon`, `x`, `y`, `open`, `close`, `window`." in fleet


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- keys: GroupRaw -->\n<!-- end -->\n", "keys: GroupRaw: not declared.*'GroupRow'"),
        ("<!-- columns: vans -->\n<!-- end -->\n", "columns: vans: not declared"),
    ],
)
def test_markers_that_mean_nothing_are_errors(text, said):
    with pytest.raises(ConfigError, match=said):
        rendered(text)
