"""`vrp bench` in this process."""

import json

import torch
from typer.testing import CliRunner

from vrpcore.cli.main import app


def test_lessons_quickly(tmp_path):
    out = tmp_path / "lessons.json"
    threads = str(torch.get_num_threads())
    result = CliRunner().invoke(
        app,
        ["bench", "lessons", "--quick", "--device", "cpu", "--threads", threads, "-o", str(out)],
    )
    assert result.exit_code == 0, result.output
    document = json.loads(out.read_text())
    for lesson in document["lessons"]:
        assert f"## {lesson['name']}: {lesson['title']}" in result.stdout
        for finding in lesson["findings"]:
            assert finding in result.stdout
    assert "skipped: needs CUDA" in result.stdout
    rows = document["lessons"][0]["rows"]
    cells = [line.split("|")[1:3] for line in result.stdout.splitlines() if line.startswith("|")]
    first = [[part.strip() for part in pair] for pair in cells[2 : 2 + len(rows)]]
    assert first == [[str(row["num_customers"]), str(row["batch_size"])] for row in rows]


def test_what_and_device_are_checked():
    assert CliRunner().invoke(app, ["bench", "nothing"]).exit_code == 2
    assert CliRunner().invoke(app, ["bench", "lessons", "--device", "tpu"]).exit_code == 7
