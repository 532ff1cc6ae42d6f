import json

import pytest

from tests.cli.runs import KOOL, QUALITY, one_line, vrp
from vrpcore.bench.contender import Attempt, Contender
from vrpcore.bench.curves import Run
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.quality_record import QualityRecord
from vrpcore.cli import bench_quality
from vrpcore.cli.bench_quality import measure_with_bar


def test_quality_is_measured_once_and_told_again(tmp_path):
    out = tmp_path / "quality.json"
    first = vrp(*QUALITY, "--data", KOOL, "-o", out)
    assert "## kool_n20" in first.stdout
    assert "Gap to given references." in first.stdout
    second = vrp(*QUALITY, "--data", KOOL, "-o", out)
    assert second.stdout == first.stdout  # nothing was measured: the very same seconds
    anew = vrp(*QUALITY, "--data", KOOL, "-o", out, "--again", "vrp")
    assert anew.stdout != first.stdout
    (kept,) = json.loads(out.read_text())["sets"]
    assert [point["setting"] for point in kept["curves"]] == ["multistart", "x8"]
    assert kept["curves"][0]["instances"] == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--plot", "curves.txt"], 2, "expected .png, .svg or .pdf"),
        (["--budgets", "0.1,soon"], 2, "expected seconds such as"),
        (["--budgets", "-1"], 2, "expected seconds such as"),
        (["--method", "LKH"], 2, "no method's name starts with this; available: vrp policy"),
        (["--data", "absent.npz"], 8, "absent.npz: cannot be read"),
        (["--bks", "absent.json"], 8, "absent.json: cannot be read"),
    ],
)
def test_quality_says_what_is_wrong(words, code, said):
    result = vrp("bench", "quality", "uniform6", "--count", "1", *words, code=code)
    assert said in one_line(result.stderr)


def test_what_was_measured_is_saved_when_a_contender_fails(tmp_path):
    def solve(instances):
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(instances[0].name)
        return [Attempt([[1, 2]], 0.5)]

    asked, out = [], tmp_path / "quality.json"
    problems = generated_set("uniform2", 3, 1)
    only = Contender(method="vrp timed", setting="1 s", version="1", solve=solve)
    quality, entries = QualityRecord(), {problems: [only]}
    quality.join(entries)
    with pytest.raises(KeyboardInterrupt):
        measure_with_bar(quality, entries, out)
    (point,) = json.loads(out.read_text())["sets"][0]["curves"]
    assert (point["instances"], point["solver_s"]) == (2, 0.5)  # one of the three warmed up


def test_time_limits_are_compared_in_pairs(tmp_path, monkeypatch):
    problems = generated_set("uniform2", 2, 1)
    costs = [problems.references, *({0: c, 1: c} for c in (1.0, 1.1))]
    made = [
        Contender(method=method, setting="1 s", version="1", solve=list)
        for method in ("vrp timed", "HGS")
    ]
    record = QualityRecord()
    record.join({problems: made})
    kept = record.sets["uniform2"]
    kept.references = [1.0, 1.0]
    for contender, cost in zip(made, costs[1:], strict=True):
        kept.runs(contender).update({k: Run(c, 0.5, 0.5, 0.5) for k, c in cost.items()})
    monkeypatch.setattr(bench_quality, "_contenders", lambda *_: made)
    monkeypatch.setattr("vrpcore.bench.quality.contenders_for", lambda *_: made)
    out = tmp_path / "quality.json"
    out.write_text(record.to_json())
    shown = vrp("bench", "quality", "uniform2", "--count", "2", "--seed", "1", "-o", out).stdout
    tables = shown.split("Difference to the best rival at each time limit, paired by instance:")
    row = [cell.strip() for cell in tables[1].strip().splitlines()[2].split("|")[1:-1]]
    assert row == ["1 s", "HGS", "-10.000 %", "0.000 %", "2"]
    assert "| HGS" in tables[0] and "10.000 %" in tables[0]
