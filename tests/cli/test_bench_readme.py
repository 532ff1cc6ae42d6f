from pathlib import Path

import pytest

from tests.cli.runs import vrp


def test_readme_measures_writes_and_tells(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    from vrpcore.bench import quality, readme
    from vrpcore.bench.decoding import Case, Decoding

    small = readme.ReadmeScope(count=2, rounds=1, curve_count=1, budgets=(0.01,))
    monkeypatch.setattr(readme, "QUICK", small)
    monkeypatch.setattr(quality, "rival_contenders", lambda *_: ([], ["HGS: not measured"]))
    monkeypatch.setattr("vrpcore.bench.decoding.rl4co_python", lambda given: Path("python"))
    row = Decoding(**Case(20, 32, 8)._asdict(), own_ms=2.0, rl4co_ms=7.0)
    monkeypatch.setattr("vrpcore.bench.decoding.measure_decoding", lambda *_: row)
    result = vrp("bench", "readme", "--quick", "-o", tmp_path / "new" / "figures")
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
    result = vrp("bench", "readme", "--cvrplib", tmp_path, "-o", tmp_path / "out", code=8)
    assert "has none of the folders" in result.stderr
    (tmp_path / "file").touch()
    result = vrp("bench", "readme", "-o", tmp_path / "file" / "out", code=8)
    assert "cannot be created" in result.stderr
