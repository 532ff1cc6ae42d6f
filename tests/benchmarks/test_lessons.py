import json

import pytest
import torch

from benchmarks.lesson import Scope
from benchmarks.lessons import (
    LESSONS,
    compile_,
    host_or_device,
    lesson_scope,
    lessons_to_json,
    measured_lessons,
)

CPU = torch.device("cpu")
TINY = Scope(device=CPU, sizes=(4,), batches=(1, 32), rounds=1)


def test_the_document_holds_every_lesson():
    document = json.loads(lessons_to_json(measured_lessons(TINY), TINY))
    assert document["format"] == "vrp-bench-lessons/1"
    assert document["environment"]["device"] == "cpu"
    assert document["environment"]["precision"] == "fp32"
    lessons = {lesson["name"]: lesson for lesson in document["lessons"]}
    assert list(lessons) == [
        "host_or_device",
        "matrices_or_coordinates",
        "tensors_in_a_loop",
        "padding",
        "collate",
        "encoder_once",
        "training_step",
        "compile",
        "tf32",
        "optimizer",
    ]
    assert len(lessons) == len(LESSONS)
    for lesson in lessons.values():
        assert bool(lesson["rows"]) is (lesson["skipped"] is None)
        assert bool(lesson["rows"]) is bool(lesson["findings"])
        for row in lesson["rows"]:
            assert set(row["seconds"]) == set(lesson["variants"])
            assert row["fastest"] in row["seconds"]
    assert lessons["compile"]["skipped"] == "turn on with --compile"
    assert lessons["tf32"]["skipped"] == "needs CUDA"
    (moved,) = lessons["matrices_or_coordinates"]["rows"]
    assert moved["bytes"] == {"matrices": 4 * 32 * 25, "coords": 4 * 32 * 10}
    assert "and moves 2.5 times the bytes" in lessons["matrices_or_coordinates"]["findings"][0]


def test_crossovers_are_told_for_each_size():
    lesson = host_or_device.measure(Scope(device=CPU, sizes=(3, 5), batches=(1, 2), rounds=1))
    assert [(row["num_customers"], row["batch_size"]) for row in lesson.rows] == [
        (size, batch) for size in (3, 5) for batch in (1, 2)
    ]
    assert [finding.split(":")[0] for finding in lesson.findings] == ["N = 3", "N = 5"]
    for finding in lesson.findings:
        assert finding.count("beats") == 3


def test_compile_is_measured_when_asked_for(monkeypatch):
    monkeypatch.setattr(torch, "compile", lambda module: module)
    lesson = compile_.measure(Scope(device=CPU, sizes=(4,), batches=(32,), rounds=1, compile=True))
    assert list(lesson.rows[0]["seconds"]) == ["off", "on"]
    assert lesson.rows[0]["compile_ms"] >= 0


def test_a_machine_that_cannot_compile_says_so(monkeypatch):
    def refuse(*_):
        raise RuntimeError("no C++ compiler\nand a long story")

    monkeypatch.setattr(torch, "compile", lambda _: refuse)
    lesson = compile_.measure(Scope(device=CPU, sizes=(4,), batches=(32,), rounds=1, compile=True))
    assert lesson.skipped == "torch.compile failed: no C++ compiler"
    assert lesson.rows == []


def test_scope():
    quick = lesson_scope(CPU, quick=True, compile_=False)
    full = lesson_scope(CPU, quick=False, compile_=True)
    assert (quick.sizes, quick.compile) == ((10, 20), False)
    assert (full.sizes, full.compile) == ((10, 20, 50, 100), True)
    assert lesson_scope(torch.device("cuda"), quick=False, compile_=False).compile
    assert not lesson_scope(torch.device("cuda"), quick=True, compile_=False).compile


@pytest.mark.gpu
def test_on_cuda_only_what_it_cannot_do_is_skipped():
    device = torch.device("cuda")
    scope = Scope(device=device, sizes=(4,), batches=(1, 32), rounds=1)
    lessons = {lesson.name: lesson for lesson in measured_lessons(scope)}
    assert [name for name, lesson in lessons.items() if lesson.skipped] == [
        "training_step",  # the loop is a CPU's
        "compile",
    ]
    assert "device + tours back" in lessons["host_or_device"].rows[0]["seconds"]
