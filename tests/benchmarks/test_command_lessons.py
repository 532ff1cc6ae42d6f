import json

import torch

from benchmarks import lessons
from benchmarks.lesson import Scope
from tests.benchmarks.runs import benchmark


def test_lessons_quickly(tmp_path, monkeypatch):
    tiny = Scope(device=torch.device("cpu"), sizes=(4,), batches=(1, 32), rounds=1)
    monkeypatch.setattr(lessons, "lesson_scope", lambda *_, **__: tiny)
    out = tmp_path / "lessons.json"
    threads = str(torch.get_num_threads())
    result = benchmark("lessons", "--quick", "--device", "cpu", "--threads", threads, "-o", out)
    document = json.loads(out.read_text())
    for lesson in document["lessons"]:
        assert f"## {lesson['name']}: {lesson['title']}" in result.stdout
        for finding in lesson["findings"]:
            assert finding in result.stdout
    assert "skipped: needs CUDA" in result.stdout
    rows = document["lessons"][0]["rows"]
    lines = [line for line in result.stdout.splitlines() if line.startswith("|")]
    cells = [line.split("|")[1:3] for line in lines]
    for row, line in zip(rows, lines[2:], strict=False):
        name = row["fastest"]
        assert [cell.strip() for cell in line.split("|") if cell.endswith(" * ")] == [
            f"{row['seconds'][name] * 1e6:,.{0 if row['seconds'][name] >= 1e-3 else 1}f} *"
        ]
        assert line.split("|")[-2].strip() == name
    first = [[part.strip() for part in pair] for pair in cells[2 : 2 + len(rows)]]
    assert first == [[str(row["num_customers"]), str(row["batch_size"])] for row in rows]
