import json

import pytest

from benchmarks.command_quality import measure_with_bar
from benchmarks.contender import Attempt, Contender
from benchmarks.curves import SolverRun
from benchmarks.quality_record import QualityRecord
from tests.benchmarks.runs import QUALITY, benchmark
from tests.cli.runs import KOOL, one_line
from vrpcore.bench.problem_set import generated_set


def test_quality_is_measured_once_and_told_again(tmp_path):
    out = tmp_path / "quality.json"
    first = benchmark(*QUALITY, "--data", KOOL, "-o", out)
    assert "## kool_n20" in first.stdout
    assert "Gap to given references." in first.stdout
    second = benchmark(*QUALITY, "--data", KOOL, "-o", out)
    assert second.stdout == first.stdout  # nothing was measured: the very same seconds
    anew = benchmark(*QUALITY, "--data", KOOL, "-o", out, "--again", "vrp")
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
        (["--round", "up"], 2, "'up' is not one of"),
        (["--fewest-vehicles"], 2, "uniform6 is plain; takes files with constraints"),
    ],
)
def test_quality_says_what_is_wrong(words, code, said):
    result = benchmark("quality", "uniform6", "--count", "1", *words, code=code)
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
        kept.runs(contender).update({k: SolverRun(c, 0.5, 0.5, 0.5) for k, c in cost.items()})
    monkeypatch.setattr("benchmarks.quality.all_contenders", lambda *_: (made, []))
    monkeypatch.setattr("benchmarks.quality.contenders_for", lambda *_: made)
    out = tmp_path / "quality.json"
    out.write_text(record.to_json())
    shown = benchmark("quality", "uniform2", "--count", "2", "--seed", "1", "-o", out).stdout
    tables = shown.split("Difference to the best rival at each time limit, paired by instance:")
    row = [cell.strip() for cell in tables[1].strip().splitlines()[2].split("|")[1:-1]]
    assert row == ["1 s", "HGS", "-10.000 %", "0.000 %", "2"]
    assert "| HGS" in tables[0] and "10.000 %" in tables[0]


@pytest.fixture
def windows(tmp_path):
    """Two instances with time windows and what is known of them, as a folder."""
    folder = tmp_path / "windows"
    folder.mkdir()
    for name in ("c1", "c2"):
        (folder / f"{name}.txt").write_text(SOLOMON)
    (folder / "bks.csv").write_text(
        "name,bks,hier_vehicles,hier_distance,convention\n"
        "c1,7.2,1,7.2,cut to tenths\nc2,7.2,1,7.2,cut to tenths\n"
    )
    return folder


SOLOMON = """C

VEHICLE
NUMBER CAPACITY
 25 200

CUSTOMER
CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME
 0 0 0 0 0 100 0
 1 1 1 10 0 50 5
 2 3 2 10 0 50 5
"""


def test_a_folder_with_constraints_its_values_and_who_is_left_out(windows, tmp_path):
    out, plot = tmp_path / "quality.json", tmp_path / "curves.svg"
    words = ["--data", windows, "--method", "vrp", "--budgets", "0.01", "--round", "dimacs"]
    first = benchmark("quality", *words, "-o", out, "--plot", plot)
    assert "## windows" in first.stdout
    assert "Gap to given references." in first.stdout
    assert "Read with --round dimacs; its best known values: cut to tenths" in first.stdout
    left_out = "vrp policy: left out of windows: plain instances only (C)"
    assert left_out in first.stdout and left_out in one_line(first.stderr)
    (kept,) = json.loads(out.read_text())["sets"]
    (point,) = kept["curves"]
    assert (point["method"], point["instances"], point["failed"]) == ("vrp timed", 2, 0)
    assert point["gap"] == pytest.approx(0.0, abs=1e-9)
    assert left_out in kept["notes"]
    assert plot.read_text().lstrip().startswith("<?xml")
    again = benchmark("quality", *words, "-o", out)
    assert again.stdout == first.stdout


def test_fewest_vehicles_have_columns_of_their_own(windows):
    words = ["--data", windows, "--method", "vrp timed", "--budgets", "0.01"]
    shown = benchmark("quality", *words, "--fewest-vehicles").stdout
    assert "## windows, fewest vehicles" in shown
    head, _, row = [line for line in shown.splitlines() if line.startswith("|")][:3]
    names, values = ([cell.strip() for cell in line.split("|")] for line in (head, row))
    cells = dict(zip(names, values, strict=True))
    assert (cells["equal"], cells["above"], cells["of"]) == ("2", "0", "2")
    usual = benchmark("quality", *words).stdout
    assert "above" not in usual


def test_fewest_vehicles_take_best_known_values_from_beside_the_files(windows, tmp_path):
    costs = tmp_path / "costs.json"
    costs.write_text('{"C": 7.2}')
    words = ["--data", windows, "--bks", costs, "--fewest-vehicles"]
    result = benchmark("quality", *words, code=2)
    assert "--bks gives only costs" in one_line(result.stderr)
