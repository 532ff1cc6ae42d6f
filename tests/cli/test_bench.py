"""`vrp bench` in this process."""

import json
import sys
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from vrpcore.cli.main import app
from vrpcore.improve.native import is_built

KOOL = Path(__file__).parent.parent / "data" / "kool_n20.npz"
# One method, one budget: the command is what is tested here.
SMALL = ["bench", "quality", "--method", "vrp policy", "--budgets", "0.01", "--count", "2"]


def vrp(*words):
    return CliRunner().invoke(app, [*map(str, words)])


def test_lessons_quickly(tmp_path):
    out = tmp_path / "lessons.json"
    threads = str(torch.get_num_threads())
    result = vrp("bench", "lessons", "--quick", "--device", "cpu", "--threads", threads, "-o", out)
    assert result.exit_code == 0, result.output
    document = json.loads(out.read_text())
    for lesson in document["lessons"]:
        assert f"## {lesson['name']}: {lesson['title']}" in result.stdout
        for finding in lesson["findings"]:
            assert finding in result.stdout
    assert "skipped: needs CUDA" in result.stdout
    rows = document["lessons"][0]["rows"]
    cells = [line.split("|")[1:3] for line in result.stdout.splitlines() if line.startswith("|")]
    first = [[part.strip() for part in pair] for pair in cells[2 : 2 + len(rows)]]
    assert first == [[str(row["num_customers"]), str(row["batch_size"])] for row in rows]


def test_what_and_device_are_checked():
    assert vrp("bench", "nothing").exit_code == 2
    assert vrp("bench", "lessons", "--device", "tpu").exit_code == 7
    for name in ("lessons", "solve", "quality", "decode", "readme"):
        result = vrp("bench", name, "--help")
        assert result.exit_code == 0
        assert f"vrp bench {name} --quick" in result.stdout


def test_solve_prints_a_row_a_mode(tmp_path):
    out = tmp_path / "solve.json"
    words = ("--count", "2", "--repeats", "1", "--threads", "1", "--device", "cpu", "-o", out)
    result = vrp("bench", "solve", "uniform6", KOOL, *words)
    assert result.exit_code == 0, result.output
    document = json.loads(out.read_text())
    installed = is_built()
    modes = ["multistart", "x8", *(["fast"] if installed else [])]
    assert [(row["name"], row["mode"]) for row in document["rows"]] == [
        (name, mode) for name in ("uniform6", "kool_n20") for mode in modes
    ]
    assert [row["gap"] is None for row in document["rows"]] == [True] * len(modes) + [False] * len(
        modes
    )
    assert result.stdout.count("| multistart |") == 2
    assert document["environment"]["threads"] == 1


def test_quality_is_measured_once_and_told_again(tmp_path):
    out = tmp_path / "quality.json"
    first = vrp(*SMALL, "--data", KOOL, "-o", out)
    assert first.exit_code == 0, first.output
    assert "## kool_n20" in first.stdout
    assert "Gap to given references." in first.stdout
    second = vrp(*SMALL, "--data", KOOL, "-o", out)
    assert second.stdout == first.stdout  # nothing was measured: the very same seconds
    anew = vrp(*SMALL, "--data", KOOL, "-o", out, "--again", "vrp")
    assert anew.exit_code == 0
    assert anew.stdout != first.stdout
    (kept,) = json.loads(out.read_text())["sets"]
    assert [point["setting"] for point in kept["curves"]] == ["multistart", "x8"]
    assert kept["curves"][0]["instances"] == 2


def test_quality_draws(tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        picture = tmp_path / f"curves.{ending}"
        result = vrp(*SMALL, "uniform6", KOOL, "--reference-seconds", "0", "--plot", picture)
        assert result.exit_code == 0, result.output
        assert picture.read_bytes().startswith(start)


def test_quality_refuses_to_draw_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = vrp(*SMALL, "uniform6", "--plot", "curves.png")
    assert result.exit_code == 2
    assert "vrp bench quality --plot needs the extra 'plot'" in result.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--plot", "curves.txt"], 2, "expected .png, .svg or .pdf"),
        (["--budgets", "0.1,soon"], 2, "expected seconds such as"),
        (["--budgets", "-1"], 2, "expected seconds such as"),
        (["--method", "LKH"], 2, "no method starts with this; there are vrp policy"),
        (["--data", "absent.npz"], 8, "absent.npz: cannot be read"),
        (["--bks", "absent.json"], 8, "absent.json: cannot be read"),
    ],
)
def test_quality_says_what_is_wrong(words, code, said):
    result = vrp("bench", "quality", "uniform6", "--count", "1", *words)
    assert result.exit_code == code
    assert said in " ".join(result.stderr.replace("│", " ").split())


def test_readme_measures_writes_and_tells(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    from vrpcore.bench import quality, readme
    from vrpcore.bench.decoding import Decoding

    small = readme.ReadmeScope(count=2, rounds=1, curve_count=1, budgets=(0.01,))
    monkeypatch.setattr(readme, "QUICK", small)
    monkeypatch.setattr(quality, "rival_contenders", lambda *_: ([], ["HGS: not measured"]))
    monkeypatch.setattr("vrpcore.bench.decoding.rl4co_python", lambda given: Path("python"))
    row = Decoding(num_customers=20, batch=32, augment=8, own_ms=2.0, rl4co_ms=7.0)
    monkeypatch.setattr("vrpcore.bench.decoding.measure_decoding", lambda *_: row)
    result = vrp("bench", "readme", "--quick", "-o", tmp_path / "new" / "figures")
    assert result.exit_code == 0, result.output
    assert "HGS: not measured" in result.stderr
    text = (tmp_path / "new" / "figures" / "figures.md").read_text()
    assert text.strip() == result.stdout.strip()
    head, *rows = [line for line in text.splitlines() if line.startswith("|")]
    assert head.split("|")[2].strip() == "N=10"
    assert [line.split("|")[1].strip() for line in rows[1:4]] == [
        "vrp solve",
        "policy alone, 8 symmetries",
        "policy alone",
    ]
    assert text.count("|   3.5 |") == 6  # N = 20, 50, 100, without and with symmetries
    kept = {path.name for path in (tmp_path / "new" / "figures").iterdir()}
    assert kept == {"figures.md", "gap-against-time.svg", "quality.json"}


def test_readme_says_what_is_wrong_before_measuring(tmp_path):
    result = vrp("bench", "readme", "--cvrplib", tmp_path, "-o", tmp_path / "out")
    assert result.exit_code == 8
    assert "has none of the folders" in result.stderr
    (tmp_path / "file").touch()
    result = vrp("bench", "readme", "-o", tmp_path / "file" / "out")
    assert result.exit_code == 8
    assert "cannot be made" in result.stderr


def test_decode_needs_rl4co(monkeypatch):
    monkeypatch.setattr("vrpcore.bench.decoding.rl4co_python", lambda given: None)
    result = vrp("bench", "decode")
    assert result.exit_code == 3
    assert "--rl4co" in result.stderr
