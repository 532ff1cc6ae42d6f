from tests.cli.runs import vrp
from vrpcore.bench import readme


def test_readme_measures_prints_and_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(readme, "QUICK", (2, 1))
    figures = tmp_path / "figures.md"
    result = vrp("bench", "readme", "--quick", "-o", figures)
    text = figures.read_text()
    assert text.strip() == result.stdout.strip()
    head, *rows = [line for line in text.splitlines() if line.startswith("|")]
    assert head.split("|")[2].strip() == "N=10"
    modes = [line.split("|")[1].strip() for line in rows[1:4]]
    assert modes == ["vrp solve", "only the policy, 8 symmetries", "only the policy"]


def test_readme_says_what_is_wrong_before_measuring(tmp_path):
    result = vrp("bench", "readme", "--cvrplib", tmp_path, "-o", tmp_path / "out.md", code=8)
    assert "has none of the folders" in result.stderr
