"""A run of `vrp solve`: warm starts, gaps, limits, and the code it ends with."""

import json

import pytest

from tests.cli.runs import BAD, ONE, lines, named, names, one_line, solve, vrp
from tests.vrpcore.documents import mixed_document
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.cost.tour_routes import route_costs
from vrpcore.formats.read import read_instances
from vrpcore.formats.solutions import read_solutions


def test_the_ending_sol_is_a_file_for_one_instance_and_a_folder_for_several(tmp_path, many):
    source, out = tmp_path / "one.json", tmp_path / "one.sol"
    source.write_text(json.dumps(ONE))
    solve(source, "-o", out)
    assert out.read_text().startswith("Route #1: ")
    solve(many, "-o", tmp_path / "two.sol")
    assert len(names(tmp_path / "two.sol")) == 11
    solve(source, "-o", tmp_path / "three.sol", "--format", "sol")
    assert names(tmp_path / "three.sol") == ["0-instance-0.sol"]
    source.write_text(json.dumps(BAD))
    solve(source, "-o", tmp_path / "bad.sol", code=4)
    left = ["many.jsonl", "one.json", "one.sol", "three.sol", "two.sol"]
    assert names(tmp_path) == left


def test_resume_without_a_part_begins_and_a_whole_file_is_left(many, tmp_path):
    out = tmp_path / "out.jsonl"
    solve(many, "-o", out, "--resume")
    written = out.stat().st_mtime_ns
    result = solve(many, "-o", out, "--resume")
    assert "already complete, nothing to resume" in result.stderr
    assert out.stat().st_mtime_ns == written


def test_warm_starts_are_never_made_worse(many, tmp_path):
    best, warm = tmp_path / "best.jsonl", tmp_path / "warm.jsonl"
    vrp("solve", many, "-o", best, "--device", "cpu")
    costs = [answer.cost for answer in read_solutions(best)]
    solve(many, "-o", warm, "--warm-start", best, "--decode", "greedy")
    found = [answer.cost for answer in read_solutions(warm)]
    assert all(cost <= known for cost, known in zip(found, costs, strict=True))
    solve(many, "-o", warm, "--warm-start", best, "--shard", "2/4")
    assert [answer.cost for answer in read_solutions(warm)] == found[1::4]


def test_a_resumed_run_or_a_shard_has_the_warm_starts_of_the_whole_run(tmp_path):
    """The second instance has none: that at its position is the first one's by name."""
    instance = ONE | {"name": "a"}
    source, warm, out = (tmp_path / name for name in ("in.jsonl", "warm.jsonl", "out.jsonl"))
    source.write_text(lines([instance]))
    solve(source, "-o", warm)
    known = warm.read_text()
    warm.write_text(known.replace('"a"', '"z"', 1) + known)
    source.write_text(lines([instance, instance | {"name": "new"}]))
    solve(source, "-o", out)
    part = out.with_name("out.jsonl.part")
    part.write_text(out.read_text().splitlines(keepends=True)[0])
    out.unlink()
    for more in (["--resume"], ["--shard", "2/2"]):
        said = solve(source, "-o", out, "--warm-start", warm, *more).stderr
        assert "its warm start, found by position" not in said
        out.unlink()


def test_a_warm_start_that_does_not_fit_is_reported(many, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(lines([ONE]))
    solve(other, "-o", tmp_path / "warm.json")
    result = solve(many, "--warm-start", tmp_path / "warm.json", "--format", "jsonl")
    first, second = map(json.loads, result.stdout.splitlines()[:2])
    assert "WARM_START_REPAIRED" in first["warnings"]
    assert "WARM_START_REPAIRED" not in second["warnings"]
    assert "i1: warm start repaired: " in one_line(result.stderr)
    assert "1 warm starts for 11 instances" in result.stderr


MONDAY = """instance,route,stop,type,vehicle,customer,arrival,begin,departure,return,start,end,\
distance,duration,route_load,route_cost,status,reason,detail,cost,gap,warnings,code,error,id,lat
monday,1,1,customer,vehicle,B,08:30,08:30,08:25,08:50,0,0,7.4,25,5,7.4,solved,,,18.9,,,,,B,1
monday,1,2,customer,vehicle,A,08:41,08:41,08:25,08:50,0,0,7.4,25,5,7.4,solved,,,18.9,,,,,A,1
monday,2,1,customer,vehicle,C,09:00,09:00,08:52,09:25,0,0,11.5,33,6,11.5,solved,,,18.9,,,,,C,1
monday,2,2,customer,vehicle,D,09:13,09:13,08:52,09:25,0,0,11.5,33,6,11.5,solved,,,18.9,,,,,D,1
"""
TUESDAY = """id,lat,lon,demand,open,close,service
A,52.530,13.380,2,08:00,10:00,5
C,52.500,13.450,2,09:00,12:00,5
D,52.490,13.390,4,08:00,12:00,5
E,52.510,13.470,1,09:00,12:00,5
"""


def test_a_cancelled_stop_does_not_cost_the_other_routes(tmp_path):
    stops, known, out = (tmp_path / name for name in ("tuesday.csv", "monday.csv", "out.json"))
    stops.write_text(TUESDAY)
    known.write_text(MONDAY)
    short = ("--depot", "52.52,13.40", "--capacity", "6", "--speed", "30", "--improve", "none")
    result = vrp("solve", stops, *short, "--warm-start", known, "-o", out)
    words = "without stop 'B', which the instance does not have; stop 'E' in no route"
    assert f"tuesday: warm start repaired: {words}" in one_line(result.stderr)
    (answer,) = json.loads(out.read_text())["solutions"]
    assert answer["warnings"][-1] == "WARM_START_REPAIRED"
    assert answer["status"] == "solved"
    again = tmp_path / "again.json"
    vrp("solve", stops, *short, "-o", again)
    (scratch,) = json.loads(again.read_text())["solutions"]
    assert answer["cost"] <= scratch["cost"]


def test_known_routes_of_the_input_are_used():
    plain = named(1)[0]
    customers = [
        {"id": key, "x": x, "y": y, "demand": 1}
        for key, (x, y) in zip("abc", plain["coords"], strict=True)
    ]
    instance = {"capacity": 9, "depot": [0, 0], "customers": customers, "routes": [["b", "a", "c"]]}
    shown = solve("-", "--starts", "1", stdin=json.dumps(instance)).stdout
    (answer,) = json.loads(shown)["solutions"]
    (problem,) = read_instances(json.dumps(instance).encode())
    assert [answer["cost"]] <= route_costs(problem, [[2, 1, 3]])


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """Instances with constraints, and answers to them."""
    folder = tmp_path_factory.mktemp("rich")
    source, best = folder / "rich.jsonl", folder / "best.jsonl"
    source.write_text(lines(mixed_document(seed, 16) for seed in range(12)))
    vrp("solve", source, "-o", best, "--device", "cpu", code=6)
    return source, best


def ranks(file):
    """How many are left out, and what it costs, by name."""
    return {
        answer.name: (
            sum(item.reason != "PRIZE" for item in answer.unserved),
            answer.cost * (1 - 1e-9),
            answer.warnings,
        )
        for answer in read_solutions(file)
    }


@pytest.mark.parametrize("options", [["--improve", "none"], ["--time-limit", "0"]])
def test_warm_starts_beside_constraints_are_never_made_worse(rich, tmp_path, options):
    source, best = rich
    warm, scratch = tmp_path / "warm.jsonl", tmp_path / "scratch.jsonl"
    fixed = ["solve", source, "--device", "cpu", *options]
    vrp(*fixed, "-o", warm, "--warm-start", best, code=6)
    vrp(*fixed, "-o", scratch, code=6)
    known, found, without = map(ranks, (best, warm, scratch))
    assert all(found[name][:2] <= known[name][:2] for name in known)
    warned = ("POLICY_SKIPPED",) if "none" in options else ()
    assert {each[2] for each in found.values()} == {warned}
    assert sum(known[name] < without[name] for name in known) > 3


def test_routes_beside_constraints_in_every_form(rich, tmp_path):
    source, best = rich
    known = dict(zip(map(str, range(12)), read_solutions(best), strict=True))
    folder, one = tmp_path / "sols", tmp_path / "one.json"
    solve(source, "-o", folder, "--format", "sol", "--warm-start", best, code=6)
    solved = [row for row, answer in known.items() if answer.status == "solved"]
    assert len(solved) > 3
    documents = source.read_text().splitlines()
    for row in solved:
        one.write_text(documents[int(row)])
        (file,) = folder.glob(f"{row}-*.sol")
        shown = solve(one, "--warm-start", file, "--format", "json").stdout
        (found,) = json.loads(shown)["solutions"]
        assert found["cost"] <= known[row].cost * (1 + 1e-9)
        assert found["warnings"] == ["POLICY_SKIPPED"]
        routes = [list(route.customers) for route in known[row].routes]
        one.write_text(json.dumps(json.loads(documents[int(row)]) | {"routes": routes}))
        (found,) = json.loads(solve(one, "--format", "json").stdout)["solutions"]
        assert found["warnings"] == ["POLICY_SKIPPED"]
        if len(json.loads(documents[int(row)]).get("vehicles", [None])) == 1:
            assert found["cost"] <= known[row].cost * (1 + 1e-9)


def test_warm_starts_that_break_limits_are_repaired(rich, tmp_path):
    source, best = rich
    answers = [json.loads(line) for line in best.read_text().splitlines()]
    for answer in answers:
        for route in answer["routes"]:
            route["customers"] *= 2
    answers[0]["routes"] = [{"customers": ["nobody"], "load": 1, "cost": 1}]
    wrong, out = tmp_path / "wrong.jsonl", tmp_path / "out.jsonl"
    wrong.write_text(lines(answers))
    result = solve(source, "-o", out, "--warm-start", wrong, code=6)
    known, found = ranks(best), ranks(out)
    told = [warnings[1:] for _, _, warnings in found.values()]
    served = [bool(answer["routes"]) for answer in answers[1:]]
    assert told == [("WARM_START_IGNORED",), *[("WARM_START_REPAIRED",) * each for each in served]]
    assert all(found[name][:2] <= known[name][:2] for name in list(known)[1:])
    assert "mixed-0: warm start ignored: " in one_line(result.stderr)
    vrp("check", source, out)


def test_who_is_not_served_is_named(tmp_path):
    file, out = tmp_path / "day.json", tmp_path / "out.json"
    few = [{"id": "van", "count": 1, "max_customers": 1}]
    stops = [{"id": f"c{k}", "x": k, "y": 0, "skills": ["cold"]} for k in range(12)]
    stops += [{"id": "free", "x": 1, "y": 1, "prize": 0}, {"id": "one", "x": 1, "y": 0}]
    document = {"name": "day", "depot": [0, 0], "vehicles": few, "customers": stops}
    file.write_text(json.dumps(document))
    told = vrp("solve", file, "-o", out, code=6).stderr.splitlines()
    at = next(row for row, line in enumerate(told) if line.startswith("day: infeasible: "))
    assert [line.split(":")[0] for line in told[at + 1 : at + 11]] == [f"  c{k}" for k in range(10)]
    assert all(": SKILLS, " in line for line in told[at + 1 : at + 11])
    assert told[at + 11] == "  and 2 more"
    assert "free" not in "".join(told)


def test_gaps_to_the_best_known(many, tmp_path):
    shown = solve(many, "--format", "jsonl").stdout.splitlines()
    costs = [answer["cost"] for answer in map(json.loads, shown)]
    bks = tmp_path / "bks.json"
    bks.write_text(json.dumps({"i1": costs[0] / 2, "i2": costs[1], "unknown": 1}))
    result = solve(many, "--bks", bks, "--format", "jsonl")
    gaps = [json.loads(line)["gap"] for line in result.stdout.splitlines()]
    assert gaps[:3] == [pytest.approx(1.0), 0.0, None]
    assert "50.0000% (mean of 2)" in result.stderr


def test_a_time_limit_writes_everything(many, tmp_path):
    for improve in ("none", "fast"):
        out = tmp_path / f"{improve}.jsonl"
        solve(many, "-o", out, "--time-limit", "0", "--improve", improve)
        assert [item.name for item in read_solutions(out)] == [f"i{k}" for k in range(1, 12)]


def test_the_least_code_of_all_that_went_wrong_counts(many, tmp_path):
    few = {**ONE, "demands": [5, 5], "max_vehicles": 1}
    files = {"few": few, "bad": BAD, "one": ONE}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    few, bad, one = (tmp_path / name for name in files)
    for given, code in (([one], 0), ([one, few], 6), ([few, bad], 4), ([few, "absent"], 6)):
        solve(*given, "-o", "/dev/null", code=code)
    solve("absent", "-o", tmp_path / "out.json", code=8)
    assert not (tmp_path / "out.json").exists()
    said = solve(one, "absent", bad, "-q", "-o", "/dev/null", code=4).stderr
    assert one_line(said) == "error: absent: cannot be read: No such file or directory"


def test_without_the_compiled_search_the_answer_is_the_policys(many, monkeypatch):
    alone = solve(many, "--format", "jsonl")
    monkeypatch.setattr("vrpcore.solve.searching.is_built", lambda: False)
    found = vrp("solve", many, "--format", "jsonl", "--device", "cpu")
    assert "improve: none, because the compiled search was not built" in found.stderr
    assert found.stdout == alone.stdout


def test_best_known_costs_may_be_a_table_or_a_folder(many, tmp_path):
    (tmp_path / "bks.csv").write_text("name,bks\ni1,1\n")
    folder = tmp_path / "known"
    folder.mkdir()
    (folder / "i1.sol").write_text("Route #1: 1 2 3\nCost 1\n")
    for bks in (tmp_path / "bks.csv", folder):
        found = solve(many, "--bks", bks, "--format", "jsonl").stdout.splitlines()
        first, second = map(json.loads, found[:2])
        assert first["gap"] == pytest.approx(first["cost"] - 1)
        assert second["gap"] is None


def test_an_ending_that_names_no_format_is_refused(tmp_path):
    source = tmp_path / "one.json"
    source.write_text(json.dumps(ONE))
    told = vrp("solve", source, "-o", tmp_path / "routes.xls", code=2).stderr
    assert ".xls names no format" in told
    assert not list(tmp_path.glob("routes*"))
    vrp("solve", source, "-o", tmp_path / "routes.txt", "--format", "csv")
    assert (tmp_path / "routes.txt").read_text().startswith("instance,")


def test_what_sol_does_not_hold_is_said(tmp_path):
    document = vroom_problem(1, 4, ()) | {"vehicles": [{"id": 1, "start_index": 0, "max_tasks": 1}]}
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(document))
    told = vrp("solve", file, "-o", tmp_path / "x.sol", code=6).stderr
    assert "its routes are not written: .sol is for solved instances" in told


@pytest.mark.parametrize("listed", [True, False])
def test_a_plan_is_kept_for_its_price(tmp_path, listed):
    """Two routes side by side serve every other stop of a line: one route is shorter."""
    where = {"coords": [[1, 0], [2, 0], [3, 0], [4, 0]], "demands": [1] * 4, "capacity": 4}
    if listed:
        customers = [{"id": n, "x": n, "y": 0, "demand": 1} for n in range(1, 5)]
        where = {"customers": customers, "vehicles": [{"id": "van", "capacity": 4}]}
    source, plan = tmp_path / "day.json", tmp_path / "plan.json"
    source.write_text(json.dumps({"name": "day", "depot": [0, 0], **where}))
    routes = [[1, 3], [2, 4]]
    if listed:
        routes = [{"vehicle": "van", "customers": stops} for stops in routes]
    earlier = json.loads(source.read_text()) | {"routes": routes}
    plan.write_text(json.dumps(earlier))
    vrp("solve", plan, "-o", tmp_path / "known.json", "--keep", "1e6")
    expected = {"0": (8, 2, 2), "1.9": (8, 2, 2), "2.1": (10, 3, 1), "4.1": (14, 4, 0)}
    for price, (cost, kept, moved) in expected.items():
        answer = tmp_path / f"{price}.json"
        vrp("solve", source, "-o", answer, "--warm-start", tmp_path / "known.json", "--keep", price)
        (found,) = json.loads(answer.read_text())["solutions"]
        assert (found["cost"], found["kept"], found["moved"]) == (cost, kept, moved), price
        vrp("check", source, answer)
    vrp("solve", source, "-o", tmp_path / "free.json", "--keep", "3")
    (found,) = json.loads((tmp_path / "free.json").read_text())["solutions"]
    assert "kept" not in found and "moved" not in found
    done = vrp("solve", source, "--keep", "-1", code=2)
    assert "keep" in done.stderr


def test_a_plan_goes_on_in_the_middle_of_the_day(tmp_path):
    vrp("generate", "--template", "csv", "-o", f"{tmp_path}/", "-q")
    stops, fleet = tmp_path / "stops.csv", ("--fleet", tmp_path / "vans.csv")
    plan, rest = tmp_path / "plan.csv", tmp_path / "rest.json"
    vrp("solve", stops, *fleet, "-o", plan)
    again = ("solve", stops, *fleet, "--warm-start", plan, "-o", rest, "--freeze")
    vrp(*again, "10:40")
    vrp("check", stops, rest, *fleet)
    (answer,) = json.loads(rest.read_text())["solutions"]
    for route in answer["routes"]:
        assert route["frozen"] == sum(begin < 640 for begin in route["begins"]) > 0
    vrp(*again, "640.0")
    (same,) = json.loads(rest.read_text())["solutions"]
    assert same["routes"] == answer["routes"]
    assert "expected a number or a time of day" in vrp(*again, "noon", code=3).stderr
    stop = {"id": 1, "x": 3, "y": 0, "demand": 1}
    numbers = {"capacity": 9, "depot": [0, 0], "customers": [stop], "routes": [[1]]}
    (tmp_path / "numbers.json").write_text(json.dumps(numbers))
    done = vrp("solve", tmp_path / "numbers.json", "--freeze", "9:40", code=4)
    assert "the times of this instance are numbers, so give one" in done.stderr


def test_rules_end_the_searches(many, tmp_path):
    def cost(*options):
        vrp("solve", many, "-o", tmp_path / "out.json", *options)
        return json.loads((tmp_path / "out.json").read_text())["summary"]["cost"]

    usual = cost()
    assert cost("--iterations", "1") >= usual
    assert cost("--target-cost", "1e9", "--iterations", "1000000000000") >= usual
    ended = cost("--no-improvement", "0.05", "--iterations", "1000000000000")
    assert ended <= cost("--iterations", "1")
    told = vrp("solve", many, "--target-cost", "5", "--keep", "1", code=3).stderr
    assert "target_cost: given with keep_cost, which changes what counts" in told
    told = solve(many, "--iterations", "5", code=3).stderr
    assert "iterations: needs a search: improve fast or deep" in told
    assert "Invalid value for '--iterations'" in solve(many, "--iterations", "0", code=2).stderr


def test_a_freeze_may_have_a_date_where_times_have_one(tmp_path):
    text = "id,lat,lon,open,close\n1,52.5,13.4,2026-11-27T08:30,2026-11-27T08:45\n"
    text += "2,52.6,13.4,{}T08:30,\n"
    stops, plan, rest = (tmp_path / name for name in ("stops.csv", "plan.csv", "rest.json"))
    how = ("--depot", "52.4,13.4", "--speed", "30")
    again = ("solve", stops, *how, "--warm-start", plan, "-o", rest, "--freeze")
    stops.write_text(text.format("2026-11-27"))
    vrp("solve", stops, *how, "-o", plan)
    for when in ("2026-11-27T08:55", "8:55"):
        vrp(*again, when)
        (answer,) = json.loads(rest.read_text())["solutions"]
        assert [route["frozen"] for route in answer["routes"]] == [2]
    stops.write_text(text.format("2026-11-28"))
    vrp("solve", stops, *how, "-o", plan)
    vrp(*again, "2026-11-27 08:55")
    (answer,) = json.loads(rest.read_text())["solutions"]
    assert [route["frozen"] for route in answer["routes"]] == [1]
    said = one_line(vrp(*again, "8:40", code=4).stderr)
    assert "of several days, so give the date, too, e.g. 2026-11-27T09:40" in said
    said = one_line(vrp(*again, "2026-11-27", code=4).stderr)
    assert "2026-11-27: a date without a time of day" in said


def test_who_is_not_served_is_called_by_name(tmp_path):
    (tmp_path / "stops.csv").write_text("id,name,x,y,demand\n1,Ann,3,4,2\n2,Bob,3,0,99\n")
    fleet = tmp_path / "vans.csv"
    fleet.write_text("id,capacity,x,y\nv,9,0,0\n")
    more = ("--fleet", fleet, "-o", tmp_path / "plan.csv")
    said = vrp("solve", tmp_path / "stops.csv", *more, code=6).stderr
    assert "Bob (2): CAPACITY" in one_line(said)
