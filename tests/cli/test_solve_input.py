"""What `vrp solve` reads, through the command: shards, earlier answers, torn files."""

import gzip
import json

import pytest

from tests.cli.runs import ONE, lines, named, names, solve
from vrpcore.cli.solve_input import Feed, finished_before
from vrpcore.errors import OutputError
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.solution import Solution


def test_shards_together_are_the_whole(many, tmp_path):
    whole = solve(many, "--format", "jsonl").stdout.splitlines()
    parts = []
    for part in range(1, 5):
        out = tmp_path / f"{part}.jsonl"
        solve(many, "-o", out, "--shard", f"{part}/4")
        parts.append(out.read_text().splitlines())
    assert [len(part) for part in parts] == [3, 3, 3, 2]
    joined = [parts[position % 4][position // 4] for position in range(11)]
    assert joined == whole


def test_default_names_and_places_are_those_of_the_whole_input():
    text = lines([ONE, {**ONE, "capacity": -1}, ONE])
    shown = solve("-", "--format", "jsonl", "--shard", "2/2", stdin=text, code=4).stdout
    assert json.loads(shown)["name"] == "instance-1"
    assert json.loads(shown)["error"].startswith("instances[1].capacity")


def part_way(many, out, count, torn=""):
    """What a run leaves that is killed after so many answers."""
    whole = solve(many, "--format", "jsonl").stdout
    done = "".join(whole.splitlines(keepends=True)[:count])
    out.with_name(f"{out.name}.part").write_text(done + torn)
    return whole


@pytest.mark.parametrize("torn", ["", '{"name": "i5", "stat', '{"name": "i5", "status": "solved"}'])
@pytest.mark.parametrize("count", [0, 4, 11])
def test_resume_goes_on_behind_the_last_whole_line(many, tmp_path, torn, count):
    out = tmp_path / "out.jsonl"
    whole = part_way(many, out, count, torn)
    result = solve(many, "-o", out, "--resume")
    assert out.read_text() == whole
    assert "solved  11 of 11" in result.stderr
    assert names(tmp_path) == ["many.jsonl", "out.jsonl"]


def test_resume_of_a_shard(many, tmp_path):
    out = tmp_path / "out.jsonl"
    solve(many, "-o", out, "--shard", "3/4")
    whole = out.read_text()
    out.unlink()
    (tmp_path / "out.jsonl.part").write_text(whole[: whole.index("\n") + 5])
    solve(many, "-o", out, "--shard", "3/4", "--resume")
    assert out.read_text() == whole


def test_a_part_of_another_input_is_refused(many, tmp_path):
    out, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    part_way(many, out, 4)
    other = tmp_path / "other.jsonl"
    other.write_text(lines([*named(2), {**ONE, "name": "x"}, *named(9)]))
    before = part.read_text()
    result = solve(other, "-o", out, "--resume", code=4)
    assert "line 3 answers 'i3', but the input has 'x' there" in " ".join(result.stderr.split())
    assert part.read_text() == before
    other.write_text(lines(named(2)))
    assert "there are no more instances" in solve(other, "-o", out, "--resume", code=4).stderr
    part.write_text('{"name": "i1", "status": "well"}\n')
    assert "line 1" in solve(many, "-o", out, "--resume", code=4).stderr


@pytest.mark.parametrize("first", ["", '{"name": "x", "capacity": ]}\n'])
def test_what_stood_before_a_broken_end_is_solved(tmp_path, first):
    """Also where the first line is broken, as it is a line all the same."""
    whole = gzip.compress((first + lines(named(1000))).encode())
    (tmp_path / "torn.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    good = tmp_path / "good.json"
    good.write_text(json.dumps(ONE))
    out = tmp_path / "out.jsonl"
    result = solve(tmp_path / "torn.jsonl.gz", good, "-o", out, code=4)
    assert result.stderr.count("truncated gzip") == 1
    answers = read_solutions(out)
    assert 100 < len(answers) < 1000
    assert answers[-1].name == f"instance-{len(answers) - 1}"


def test_a_document_that_breaks_at_its_end_counts_as_nothing(tmp_path):
    text = json.dumps(named(400))
    (tmp_path / "torn.json").write_text(text[:-1] + ", ?]")
    good = tmp_path / "good.json"
    good.write_text(json.dumps(ONE))
    out = tmp_path / "out.json"
    solve(tmp_path / "torn.json", "-o", out, code=4)
    assert not out.exists()
    solve(tmp_path / "torn.json", good, "-o", out, code=4)
    (answer,) = read_solutions(out)
    assert answer.name == "instance-0"


def test_a_feed_counts_what_it_reads_and_what_it_gives(many, tmp_path):
    told = []
    feed = Feed([str(many), str(tmp_path / "none.json"), str(many)], (2, 3), told.append)
    feed.skip(Solution(name="i2", status="solved"), "line 1")
    taken = [item.name for item in feed]
    assert taken == ["i5", "i8", "i11", "i3", "i6", "i9"]
    assert (feed.positions, feed.taken, feed.complete) == (22, 7, True)
    assert [item.name for item in feed.waiting] == taken
    assert feed.errors == told
    assert "none.json: cannot be read" in str(told[0])


def test_a_torn_line_is_cut_off_the_file(tmp_path):
    part = tmp_path / "a.part"
    part.write_text('{"name": "a", "status": "solved", "cost": 1, "routes": []}\n{"name": "b"')
    ((answer, place),) = finished_before(part)
    assert (answer.name, place) == ("a", f"{part}: line 1")
    assert part.read_text().endswith("[]}\n")
    part.write_text('{"name": "b"')
    assert list(finished_before(part)) == []
    assert part.read_text() == ""
    with pytest.raises(OutputError, match="cannot be read: Is a directory"):
        list(finished_before(tmp_path))


@pytest.mark.parametrize(
    "unfinished",
    [
        '{"name": "b", "status": "solved", "cost": 1, "routes": [], "warnings": ["INTERRUPTED"]}',
        '{"name": "b", "status": "partial", "code": "INTERRUPTED", "error": "e", "routes": []}',
    ],
)
def test_what_was_not_finished_is_cut_off_the_file_once_the_rest_is_taken(tmp_path, unfinished):
    part = tmp_path / "a.part"
    done = '{"name": "a", "status": "solved", "cost": 1, "routes": []}\n\n'
    whole = f"{done}{unfinished}\n{done}"
    part.write_text(whole)
    answers = finished_before(part)
    assert next(answers)[0].name == "a"
    assert part.read_text() == whole
    assert list(answers) == []
    assert part.read_text() == done.rstrip("\n") + "\n"
