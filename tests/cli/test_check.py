import json

import pytest

from tests.cli.runs import BAD, EXAMPLES, ONE, lines, one_line, vrp
from tests.vrpcore.formats.text.samples import SOLOMON
from tests.vrpcore.vroom_problems import vroom_problem


def test_check_finds_wrong_answers(tmp_path):
    out = tmp_path / "solutions.json"
    vrp("solve", EXAMPLES, "-o", out)
    document = json.loads(out.read_text())
    document["solutions"][0]["cost"] += 0.1
    document["solutions"][1]["routes"][0]["customers"].pop()
    out.write_text(json.dumps(document))
    rows = vrp("check", EXAMPLES, out, code=6).stdout.splitlines()
    assert [row.split("\t")[0] for row in rows] == ["WRONG", "WRONG", "ok", "ok"]


def test_each_status_is_held_against_its_instance(tmp_path):
    source, answers = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    route = {"customers": [1, 2], "load": 5, "cost": 12}
    solved = {"status": "solved", "cost": 12, "routes": [route]}
    failed = {"code": "X", "error": "x"}
    few = {**ONE, "max_vehicles": 1, "demands": [3, 3]}
    cases = [
        (ONE, solved, "ok", "cost 12"),
        (ONE, {"status": "partial", **failed}, "ok", "not solved: partial"),
        (ONE, {"status": "invalid", **failed}, "WRONG", "not solved: invalid"),
        (ONE, {"status": "infeasible", **failed}, "WRONG", "status: infeasible, but nothing"),
        (few, {"status": "infeasible", **failed}, "ok", "not solved: infeasible"),
        (BAD, {"status": "invalid", **failed}, "ok", "invalid instance: "),
        (BAD, solved, "WRONG", "invalid instance: "),
        (ONE, {"status": "partial", "routes": [route]}, "WRONG", "status is partial, there is no"),
    ]
    source.write_text(lines({**item, "name": f"n\x1b{k}"} for k, (item, *_) in enumerate(cases)))
    answers.write_text(lines({"name": "n", **answer} for _, answer, *_ in cases))
    result = vrp("check", source, answers, code=6)
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[0] for row in rows] == [verdict for *_, verdict, _ in cases]
    assert all(row[2].startswith(text) for row, (*_, text) in zip(rows, cases, strict=True))
    assert rows[0][1] == "n\\x1b0"
    assert result.stderr == "8 checked, 4 wrong\n"
    quiet = vrp("check", source, answers, "--quiet", code=6)
    names = [line.split("\t")[1] for line in quiet.stdout.splitlines()]
    assert names == ["n\\x1b2", "n\\x1b3", "n\\x1b6", "n\\x1b7"]
    assert quiet.stderr == ""


TRIANGLE = "NAME: t\nTYPE: CVRP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nCAPACITY: 10\n{}"
TRIANGLE += "NODE_COORD_SECTION\n1 0 0\n2 1 1\n3 3 2\nDEMAND_SECTION\n1 0\n2 3\n3 3\n"
TRIANGLE += "DEPOT_SECTION\n1\n-1\nEOF\n"  # around it: 7.255832815336873, rounded 1 + 2 + 4


@pytest.mark.parametrize("limit", ["", "VEHICLES_MAX_DISTANCE: 9\n"])
@pytest.mark.parametrize(
    ("rounding", "stated", "wrong"),
    [
        ("none", ["7", "7.3", "7.26", "7.26e0", "7.256", "7.25583282", "7.25583287"], []),
        ("none", [], ["8", "7.2", "7.25", "7.2600", "7.2560", "7.255833000", "7.25583295"]),
        ("auto", ["7", "7.00"], ["8", "7.26", "6.5", "6.9999"]),
    ],
)  # fmt: skip
def test_a_sol_states_as_many_digits_as_it_has(tmp_path, limit, rounding, stated, wrong):
    problem, answer = tmp_path / "t.vrp", tmp_path / "t.sol"
    problem.write_text(TRIANGLE.format(limit))
    for cost in (*stated, *wrong):
        answer.write_text(f"Route #1: 1 2\nCost {cost}\n")
        code = 6 if cost in wrong else 0
        found = vrp("check", problem, answer, "--round", rounding, code=code)
        hint = "; lengths are rounded here, --round none takes them as they are"
        assert (hint in found.stdout) == (code == 6 and rounding == "auto" and float(cost) % 1 > 0)


def test_all_reasons_against_an_instance_are_one_line(tmp_path):
    (tmp_path / "s.csv").write_text("id,lat,lon,demand,open\n1,52.5,13.4,2,8:00\n")
    answer = {"status": "solved", "cost": 1, "routes": [{"customers": [1], "load": 2, "cost": 1}]}
    (tmp_path / "a.jsonl").write_text(lines([{"name": "s", **answer}]))
    said = vrp("check", tmp_path / "s.csv", tmp_path / "a.jsonl", code=6).stdout
    reasons = said.partition("invalid instance: ")[2].split("; ")
    begins = [each.partition("s.csv: ")[2][:12] for each in reasons if "s.csv" in each]
    assert begins == ["lat and lon ", "stops have d", "no depot: gi"]


def test_partial_answers_with_routes_are_checked(tmp_path):
    source, answers = tmp_path / "in.json", tmp_path / "out.json"
    customers = [{"x": 3, "y": 4}, {"x": 6, "y": 8}]
    document = {"depot": [0, 0], "customers": customers, "vehicles": [{"count": 1}]}
    source.write_text(json.dumps(document))
    route = {"customers": [1], "load": 0, "cost": 10, "vehicle": "0", "start": "0", "end": "0"}
    answer = {"name": "n", "status": "partial", "cost": 10, "routes": [route]}
    answers.write_text(json.dumps(answer | {"unserved": [{"id": 2, "reason": "FLEET"}]}))
    result = vrp("check", source, answers)
    assert result.stdout == "ok\tinstance-0\tpartial, 1 not served, cost 10\n"
    answers.write_text(json.dumps(answer | {"unserved": []}))
    result = vrp("check", source, answers, code=6)
    assert result.stdout == "WRONG\tinstance-0\tunserved: 2 is not served and not reported\n"


def test_problems_and_answers_of_vrooms(tmp_path):
    """By whatever program; also as lines, from standard input, and beside our own answers."""
    problem, answer = tmp_path / "problem.json", tmp_path / "answer.json"
    documents = [vroom_problem(seed, 8) for seed in range(3)]
    documents[0]["vehicles"] = [documents[0]["vehicles"][0] | {"max_tasks": 1}]
    problem.write_text(lines(documents))
    vrp("solve", problem, "-o", answer)
    result = vrp("check", problem, answer)
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["ok"] * 3
    assert vrp("check", "-", answer, stdin=problem.read_text()).stdout == result.stdout
    found = [json.loads(line) for line in answer.read_text().splitlines()]
    cost = found[1]["summary"]["cost"]
    found[1]["summary"]["cost"] += 10
    found[2] = {"code": 2, "error": "wrong"}
    answer.write_text(lines(found))
    rows = vrp("check", problem, answer, code=6).stdout.splitlines()
    assert rows[1] == f"WRONG\tinstance-1\tsummary.cost: {cost + 10}, expected {cost}"
    assert rows[2] == "WRONG\tinstance-2\tnot solved: wrong"
    vrp("solve", problem, "-o", answer, "--format", "json", code=6)
    assert "3 checked, 0 wrong" in vrp("check", problem, answer).stderr


def test_who_is_left_out_of_an_answer_of_vrooms(tmp_path):
    problem, answer = tmp_path / "problem.json", tmp_path / "answer.json"
    document = vroom_problem(1, 3, ())
    document["vehicles"] = [document["vehicles"][0] | {"max_tasks": 1}]
    problem.write_text(json.dumps(document))
    vrp("solve", problem, "-o", answer)
    cost = json.loads(answer.read_text())["summary"]["cost"]
    told = f"ok\tinstance-0\tpartial, 2 not served, cost {cost}\n"
    assert vrp("check", problem, answer).stdout == told
    bare = json.loads(answer.read_text())
    bare["unassigned"] = [{"id": each["id"], "type": each["type"]} for each in bare["unassigned"]]
    answer.write_text(json.dumps(bare))
    assert vrp("check", problem, answer).stdout == told


@pytest.mark.parametrize("ending", ["json", "csv", "xlsx"])
def test_what_had_begun_of_a_sheet_may_break_limits(tmp_path, ending):
    """The first customer wants the vehicle sooner than it had come by then."""
    stops, fleet, rest = (tmp_path / name for name in ("s.csv", "f.csv", f"rest.{ending}"))
    rows = "id,x,y,open,close,service\na,10,0,08:00,{},0:10\nb,20,0,09:00,12:00,0:10\n"
    stops.write_text(rows.format("08:30"))
    fleet.write_text("id,x,y,open,close,speed\nv,0,0,08:00,18:00,60\n")
    given = ["--fleet", fleet]
    vrp("solve", stops, *given, "-o", tmp_path / "plan.json")
    stops.write_text(rows.format("08:05") + "c,30,0,09:30,12:00,0:10\n")
    more = ["--warm-start", tmp_path / "plan.json", "-o", rest]
    told = one_line(vrp("solve", stops, *given, *more, "--freeze", "8:50").stderr)
    assert "s: FROZEN_BREAKS_LIMIT: routes[0]: customers[0]: " in told
    said = vrp("check", stops, rest, *given).stdout
    cost = "cost 60" if ending == "json" else "what had begun breaks limits; its times, and so its"
    assert said.startswith(f"ok\ts\t{cost}")
    if ending == "csv":
        rest.write_text(rest.read_text().replace("FROZEN_BREAKS_LIMIT", "frozen"))
        assert "after the last window closes" in vrp("check", stops, rest, *given, code=6).stdout


def test_what_had_begun_of_a_problem_of_vrooms_may_break_limits(tmp_path):
    """The vehicle is at work when its shift ends."""
    problem, plan, rest = (tmp_path / name for name in ("p.json", "plan.json", "rest.json"))
    places = [0, 600, 2400]
    document = {
        "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "time_window": [0, 9000]}],
        "jobs": [{"id": job, "location_index": job, "service": 600} for job in (1, 2)],
        "matrices": {"car": {"durations": [[abs(a - b) for b in places] for a in places]}},
    }
    problem.write_text(json.dumps(document))
    vrp("solve", problem, "-o", plan)
    document["vehicles"][0]["time_window"] = [0, 2000]
    problem.write_text(json.dumps(document))
    vrp("solve", problem, "--warm-start", plan, "--freeze", "5000", "-o", rest)
    assert vrp("check", problem, rest).stdout.startswith("ok\tinstance-0\t")
    answer = json.loads(rest.read_text())
    (warning,) = [each for each in answer["warnings"] if each.startswith("FROZEN_BREAKS_LIMIT")]
    assert "after the vehicle's shift" in warning
    rest.write_text(json.dumps(answer | {"warnings": []}))
    assert "ends at 6000, after the shift at 2000" in vrp("check", problem, rest, code=6).stdout


def test_both_commands_read_by_the_same_convention(tmp_path):
    source, out = tmp_path / "tiny.txt", tmp_path / "out.json"
    source.write_text(SOLOMON)
    vrp("solve", source, "-o", out, "--round", "dimacs")
    (solution,) = json.loads(out.read_text())["solutions"]
    assert solution["cost"] == pytest.approx(1.4 + 2.2 + 3.6)
    assert vrp("check", source, out, "--round", "dimacs").stdout.startswith("ok\ttiny")
    assert vrp("check", source, out, code=6).stdout.startswith("WRONG\ttiny")
    assert "'--round'" in vrp("check", source, out, "--round", "up", code=2).stderr
