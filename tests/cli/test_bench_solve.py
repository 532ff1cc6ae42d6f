import json

from tests.cli.runs import KOOL, vrp


def test_solve_prints_a_row_a_mode(tmp_path):
    out = tmp_path / "solve.json"
    words = ("--count", "2", "--repeats", "1", "--threads", "1", "--device", "cpu", "-o", out)
    result = vrp("bench", "solve", "uniform6", KOOL, *words)
    document = json.loads(out.read_text())
    modes = ["multistart", "x8", "fast"]
    found = [(row["name"], row["mode"], row["gap"] is None) for row in document["rows"]]
    sets = (("uniform6", True), ("kool_n20", False))
    assert found == [(name, mode, bare) for name, bare in sets for mode in modes]
    assert result.stdout.count("| multistart |") == 2
    assert document["environment"]["threads"] == 1
