import dataclasses
import json

import pytest

from benchmarks.contender import Contender
from benchmarks.curves import SolverRun
from benchmarks.quality_record import QualityRecord, read_record
from vrpcore.bench.problem_set import generated_set
from vrpcore.errors import ConfigError, InstanceError


def contender(method, setting="1 s", version="1"):
    return Contender(method=method, setting=setting, version=version, solve=list)


def run(cost):
    failure = "gave no routes" if cost is None else None
    return SolverRun(cost=cost, solver_s=0.25, cpu_s=0.5, wall_s=1.0, failure=failure)


def filled(contenders, problems):
    record = QualityRecord()
    record.join({problems: contenders})
    for found in contenders:
        for place in range(len(problems.instances)):
            record.sets[problems.name].runs(found)[place] = run(
                None if place == 1 else 10.0 + place
            )
    return record


def test_written_and_read_again(tmp_path):
    problems = generated_set("uniform5", 3, 1)
    record = filled([contender("a"), contender("b")], problems)
    file = tmp_path / "quality.json"
    file.write_text(record.to_json())
    assert read_record(file) == record
    document = json.loads(file.read_text())
    assert document["format"] == "vrp-bench-quality/1"
    assert set(document["environment"]) == {"vrp", "python", "processor", "cores"}
    (found,) = document["sets"]
    assert found["curves"][0] == {
        "method": "a",
        "setting": "1 s",
        "instances": 3,
        "failed": 1,
        "solver_s": 0.25,
        "cpu_s": 0.5,
        "wall_s": 1.0,
        "gap": 0.0,
        "worst": 0.0,
        "equal": None,
        "above": None,
    }
    assert found["series"][0]["runs"]["cost"] == [10.0, None, 12.0]
    assert found["series"][0]["runs"]["failure"] == [None, "gave no routes", None]


def test_no_file_is_an_empty_record(tmp_path):
    assert read_record(tmp_path / "absent.json").sets == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": "vrp-bench-lessons/1"}',
        '{"format": "vrp-bench-quality/1", "environment": {}}',
        '{"format": "vrp-bench-quality/1", "environment": {}, "sets": [{"name": "a"}]}',
    ],
)
def test_another_document_is_refused(tmp_path, text):
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(InstanceError, match=r"other\.json.*expected a vrp-bench-quality/1"):
        read_record(file)


def test_runs_of_unknown_instances_are_refused(tmp_path):
    record = filled([contender("a")], generated_set("uniform5", 3, 1))
    document = json.loads(record.to_json())
    document["sets"][0]["series"][0]["runs"]["instance"][2] = 7
    file = tmp_path / "quality.json"
    file.write_text(json.dumps(document))
    with pytest.raises(InstanceError, match="no instance 7"):
        read_record(file)


def test_another_processor_is_refused(tmp_path):
    record = QualityRecord()
    record.environment["processor"] = "Z80"
    file = tmp_path / "quality.json"
    file.write_text(record.to_json())
    with pytest.raises(ConfigError, match="measured on 'Z80'"):
        read_record(file)


def test_other_instances_under_the_same_name_are_refused():
    record = filled([contender("a")], generated_set("uniform5", 2, 1))
    with pytest.raises(ConfigError, match="uniform5: the record holds a set of this name"):
        record.join({generated_set("uniform5", 2, 9): [contender("a")]})


def test_another_version_is_measured_anew_and_others_are_kept():
    problems = generated_set("uniform5", 2, 1)
    record = filled([contender("a"), contender("b"), contender("c")], problems)
    record.join({problems: [contender("b", version="2"), contender("a")]})
    series = record.sets["uniform5"].series
    assert [key for key, _ in series] == ["b", "a", "c"]
    assert [len(found.runs) for found in series.values()] == [0, 2, 2]
    record.join({problems: [contender("a"), contender("c")]}, again=["a"])
    assert [len(found.runs) for found in record.sets["uniform5"].series.values()] == [0, 2, 0]


def test_fewer_instances_keep_the_rest_and_references_are_never_forgotten():
    large, small = (generated_set("uniform5", count, 1) for count in (3, 1))
    record = filled([contender("a")], dataclasses.replace(large, references=(5.0, None, 6.0)))
    record.join({small: [contender("a")]})
    kept = record.sets["uniform5"]
    assert kept.references == [5.0, None, 6.0]
    assert kept.points()[0].instances == 3
    assert kept.references_from().startswith("2 given references, else the best cost")
    record.join({dataclasses.replace(large, references=(5.0, 7.0, 6.0)): [contender("a")]})
    assert kept.references_from() == "given references"


def test_numbers_of_vehicles_and_notes_are_kept(tmp_path):
    drawn = generated_set("uniform5", 3, 1)
    problems = dataclasses.replace(drawn, references=(9.0, None, 7.0), vehicles=(3, None, 2))
    record = filled([contender("a")], problems)
    kept = record.sets["uniform5"]
    kept.notes = ["b: left out"]
    runs = kept.runs(contender("a"))
    runs[0], runs[2] = (runs[place]._replace(vehicles=3) for place in (0, 2))
    file = tmp_path / "quality.json"
    file.write_text(record.to_json())
    assert read_record(file) == record
    (point,) = read_record(file).sets["uniform5"].points()
    assert (point.equal, point.above) == (1, 1)
    assert point.gap == pytest.approx(10 / 9 - 1)
    record.join(
        {
            dataclasses.replace(
                problems, instances=problems.instances[:1], references=(9.0,), vehicles=(3,)
            ): [contender("a")]
        }
    )
    assert kept.vehicles == [3, None, 2]
