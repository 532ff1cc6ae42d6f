import io

import pytest
from rich.console import Console

from tests.cli.runs import KOOL
from vrpcore.bench.problem_set import generated_set
from vrpcore.cli.bench_tables import chosen_sets, markdown_table, milliseconds, percent, tracked
from vrpcore.errors import ConfigError, OutputError


@pytest.mark.parametrize(
    ("gap", "text"), [(None, "-"), (0.012346, "1.235 %"), (-1e-9, "0.000 %"), (-0.5, "-50.000 %")]
)
def test_gaps_are_percent(gap, text):
    assert percent(gap) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (0.0, "0"), (1.234e-5, "0.0123"), (0.0123456, "12.3"), (2.5, "2,500")],
)
def test_seconds_are_milliseconds_of_three_digits_or_more(seconds, text):
    assert milliseconds(seconds) == text


def test_words_are_left_and_numbers_right():
    out = io.StringIO()
    table = markdown_table(("set", "ms"), [("a", "1"), ("long", "1,000")])
    Console(file=out, width=80).print(table)
    assert [line.strip() for line in out.getvalue().splitlines() if line.strip()] == [
        "| set  |    ms |",
        "|------|-------|",
        "| a    |     1 |",
        "| long | 1,000 |",
    ]


def test_names_are_drawn_and_everything_else_is_read(tmp_path):
    bks = tmp_path / "bks.json"
    bks.write_text('{"kool_n20-1": 4.5}')
    counts = {"uniform5": 3, "": 2}
    drawn, read = chosen_sets([str(KOOL), "uniform5"], [bks], counts.__getitem__, 7)
    assert drawn.digests() == generated_set("uniform5", 3, 7).digests()
    assert (read.name, len(read.instances)) == ("kool_n20", 2)
    assert [item.name for item in read.instances] == ["kool_n20-0", "kool_n20-1"]
    assert read.references == (pytest.approx(5.120257), 4.5)


@pytest.mark.parametrize("word", ["kool30", "uniform", "uniform0", "uniform10000"])
def test_a_word_that_is_neither_a_set_nor_a_file_is_told_the_sets(word):
    with pytest.raises(ConfigError, match=f"'{word}' is neither a file nor a set; expected unifor"):
        chosen_sets([word], (), lambda _: 1, 7)


def test_a_file_without_an_ending_is_read_and_one_that_is_missing_is_no_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("kool30").write_bytes(KOOL.read_bytes())
    (found,) = chosen_sets(["kool30"], (), lambda _: 2, 7)
    assert len(found.instances) == 2
    for word in ("none.json", "here/kool30"):
        with pytest.raises(OutputError, match=f"{word}: cannot be read"):
            chosen_sets([word], (), lambda _: 1, 7)


def test_results_pass_through_the_bar_one_by_one():
    given = iter("abc")
    results = tracked(given, "name", 3)
    assert next(results) == "a"
    assert next(given) == "b"
    assert list(results) == ["c"]
