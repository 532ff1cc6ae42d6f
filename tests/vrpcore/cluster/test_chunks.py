import gzip
import json

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
chunks = pytest.importorskip("vrpcore.cluster.chunks")

from tests.vrpcore.formats.tiny_vrp import VRP  # noqa: E402
from vrpcore.api import read_instances  # noqa: E402
from vrpcore.errors import InstanceError, OutputError  # noqa: E402
from vrpcore.instance.instance import InvalidInstance  # noqa: E402

GOOD = {"capacity": 9, "depot": [0, 0], "coords": [[1, 0], [2, 0]], "demands": [3, 4]}
BAD = {**GOOD, "capacity": -1}


def lines(count, **more):
    return "".join(json.dumps({**GOOD, **more, "max_vehicles": 2 + i}) + "\n" for i in range(count))


def told(items):
    """What tells instances apart."""
    return [
        (item.name, item.code, item.error)
        if isinstance(item, InvalidInstance)
        else (item.name, item.max_vehicles)
        for item in items
    ]


def refuse(error):
    raise error


def all_of(*files, size=200, report=refuse):
    planned = list(chunks.plan_chunks([str(file) for file in files], report, size))
    assert [chunk.number for chunk in planned] == list(range(len(planned)))
    found = []
    for chunk in planned:
        items = list(chunks.read_chunk(chunk, labelled=len(files) > 1))
        assert len(items) == chunk.count
        found += items
    return planned, told(found)


def test_files_without_instances_have_no_chunk(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    (tmp_path / "b.jsonl").write_text(lines(1))
    pq.write_table(pa.table({chunks.COLUMN: pa.array([], pa.string())}), tmp_path / "c.parquet")
    planned, _ = all_of(tmp_path / "a.json", tmp_path / "c.parquet", tmp_path / "b.jsonl")
    assert [chunk.file for chunk in planned] == [str(tmp_path / "b.jsonl")]


@pytest.mark.parametrize("size", [1, 100, 250, 10**6])
def test_chunks_together_are_the_file(tmp_path, size):
    text = lines(20) + "\n  \n" + json.dumps(BAD) + "\nbroken\n" + lines(3).rstrip("\n")
    (tmp_path / "a.jsonl").write_text("\ufeff" + text, encoding="utf-8")
    planned, found = all_of(tmp_path / "a.jsonl", size=size)
    expected = told(read_instances(tmp_path / "a.jsonl"))
    # Of a line that is no JSON the file's line number is not known to a chunk.
    assert [each[:2] for each in found] == [each[:2] for each in expected]
    assert found[20] == expected[20]
    assert len(planned) > 1 or size == 10**6


@pytest.mark.parametrize("seed", range(5))
def test_any_division_gives_the_same(tmp_path, seed):
    rng = np.random.default_rng(seed)
    parts = [json.dumps({**GOOD, "name": "x" * rng.integers(200)}) for _ in range(30)]
    ends = ["\n" * rng.integers(1, 4) for _ in parts]
    text = "".join(part + end for part, end in zip(parts, ends, strict=True))
    (tmp_path / "a.jsonl").write_text(text)
    _, found = all_of(tmp_path / "a.jsonl", size=int(rng.integers(1, 500)))
    assert found == told(read_instances(tmp_path / "a.jsonl"))


def test_files_of_every_kind_go_on_counting(tmp_path):
    (tmp_path / "a.jsonl").write_text(lines(5))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines(4).encode()))
    (tmp_path / "c.json").write_text(json.dumps([GOOD, BAD]))
    table = pa.table({"instance": [json.dumps(GOOD), "[]", None, json.dumps(GOOD)]})
    pq.write_table(table, tmp_path / "d.parquet", row_group_size=3)
    rows = {"coords": np.zeros((3, 2, 2)), "demand": np.ones((3, 2)), "capacity": 10}
    np.savez(tmp_path / "e.npz", **rows)
    (tmp_path / "f.jsonl").write_text(lines(1))
    names = ("a.jsonl", "b.jsonl.gz", "c.json", "d.parquet", "e.npz", "f.jsonl")
    planned, found = all_of(*(tmp_path / name for name in names))
    assert [chunk.count for chunk in planned][-6:] == [4, 2, 3, 1, 3, 1]
    numbered = [f"instance-{number}" for number in range(19)]
    assert [each[0] for each in found] == [*numbered[:15], "e-0", "e-1", "e-2", numbered[18]]
    assert [number for number, each in enumerate(found) if len(each) == 3] == [10, 12, 13]
    assert "d.parquet: instances[1]: a list of 0, expected an object" in found[12][2]


def test_what_cannot_be_divided_is_reported(tmp_path):
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "a.parquet")
    with pytest.raises(InstanceError, match=r"no column 'instance'.*its columns are text"):
        all_of(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(OutputError, match="cannot be read"):
        all_of(tmp_path / "b.parquet")
    with pytest.raises(OutputError, match="cannot be read"):
        all_of(tmp_path / "missing")


def test_a_broken_file_costs_no_other(tmp_path, monkeypatch):
    contents = {
        "a.jsonl": lines(1),
        "b.txt": "hello world\n",
        "c.npz": "PK\x03\x04 and nothing else",
        "d.json": "",
        "e.json": f"[{json.dumps(GOOD)}, ",
        "f.jsonl": lines(2) + json.dumps({**GOOD, "name": "x" * 2000}),
        "g.jsonl": lines(1),
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(chunks, "MAX_TEXT_BYTES", 1000)
    errors = []
    names = [*contents, "missing"]
    _, found = all_of(*(tmp_path / name for name in names), size=100, report=errors.append)
    assert [each[0] for each in found] == [f"instance-{number}" for number in range(4)]
    assert [type(error) for error in errors] == [InstanceError] * 5 + [OutputError]
    for error, words in zip(
        errors,
        ("hello world", "npz", "input is empty", "e.json", "a line larger than 1000", "missing"),
        strict=True,
    ):
        assert words in str(error)


def test_text_formats_are_read_by_the_convention(tmp_path):
    file = tmp_path / "tiny.vrp"
    file.write_text(VRP)
    (chunk,) = chunks.plan_chunks([str(file)], refuse)
    (rounded,) = chunks.read_chunk(chunk, labelled=False)
    (exact,) = chunks.read_chunk(chunk, labelled=False, rounding="none")
    assert (rounded.metric, exact.metric) == ("euc_2d", "euclidean")
