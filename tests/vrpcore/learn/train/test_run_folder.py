import sys

import numpy as np
import pytest

from vrpcore.errors import OutputError
from vrpcore.learn.train.run_folder import RunFolder


def test_metrics_are_lines_and_end_at_a_step(tmp_path):
    folder = RunFolder(tmp_path / "new" / "run", writes=True)
    assert not folder.path.exists()
    folder.claim()
    folder.cut_after(2)  # nothing was logged yet
    assert not (folder.path / "metrics.jsonl").exists()
    for step in (1, 2, 3):
        folder.add({"step": step, "cost": 0.5})
    with (folder.path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 2, "co')  # the run was killed meanwhile
    folder.cut_after(2)
    lines = '{"step": 1, "cost": 0.5}\n{"step": 2, "cost": 0.5}\n'
    assert (folder.path / "metrics.jsonl").read_text() == lines


def test_who_leaves_writing_to_another_writes_nothing(tmp_path):
    (tmp_path / "metrics.jsonl").write_text('{"step": 9}\n')
    folder = RunFolder(tmp_path, writes=False)
    folder.track(None, {})
    folder.write_text("config.yaml", "a: 1")
    folder.add({"step": 1})
    folder.add_picture("routes", lambda: pytest.fail("drawn for nobody"), 1)
    folder.cut_after(1)
    folder.draw()
    folder.close()
    assert [file.name for file in tmp_path.iterdir()] == ["metrics.jsonl"]
    assert (tmp_path / "metrics.jsonl").read_text() == '{"step": 9}\n'


@pytest.mark.skipif(sys.platform == "win32", reason="has no such locks")
def test_two_runs_do_not_write_in_one_folder(tmp_path):
    first, second = (RunFolder(tmp_path / "run", writes=True) for _ in range(2))
    first.claim()
    first.claim()  # as it resumes, and then runs
    with pytest.raises(OutputError, match="run: another run is writing it"):
        second.claim()
    RunFolder(tmp_path / "run", writes=False).claim()  # another process of the first run
    first.write_text("config.yaml", "a: 1")
    first.close()
    second.claim()
    second.close()


def test_what_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="file/run: cannot create the run folder"):
        RunFolder(tmp_path / "file" / "run", writes=True).claim()
    folder = RunFolder(tmp_path / "run", writes=True)
    with pytest.raises(OutputError, match=r"run/config\.yaml: cannot be written"):
        folder.write_text("config.yaml", "a: 1")
    with pytest.raises(OutputError, match="run: cannot write metrics"):
        folder.add({"step": 1})


def test_numbers_and_pictures_reach_the_board(tmp_path):
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    folder = RunFolder(tmp_path, writes=True)
    folder.track(None, {})
    folder.add({"step": 4, "cost": 0.5, "instances": 8, "note": "words"})
    folder.add_picture("routes", lambda: np.zeros((6, 7, 3), np.uint8), 4)
    folder.close()
    found = loader.EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    values = {tag: found.Scalars(tag) for tag in found.Tags()["scalars"]}
    assert {tag: (one.step, one.value) for tag, (one,) in values.items()} == {
        "cost": (4, 0.5),
        "instances": (4, 8.0),
    }
    (picture,) = found.Images("routes")
    assert (picture.step, picture.height, picture.width) == (4, 6, 7)


@pytest.mark.parametrize(("pillow", "taken"), [("there", ["cost", "routes"]), (None, ["cost"])])
def test_without_pillow_trackers_take_numbers_alone(tmp_path, monkeypatch, pillow, taken):
    """Neither wandb nor mlflow requires it."""
    tracker = Names()
    monkeypatch.setattr("vrpcore.learn.train.run_folder.open_trackers", lambda *_: [tracker])
    monkeypatch.setattr("vrpcore.learn.train.run_folder.find_spec", lambda _: pillow)
    folder = RunFolder(tmp_path, writes=True)
    folder.track(["wandb"], {})
    folder.add({"step": 4, "cost": 0.5})
    folder.add_picture("routes", lambda: np.zeros((6, 7, 3), np.uint8), 4)
    assert tracker.taken == taken


def test_a_tracker_that_fails_is_told_no_more_and_the_others_are(tmp_path, monkeypatch):
    class Gone(Names):
        def log(self, numbers, step):
            super().log(numbers, step)
            raise ConnectionError("no server")

    gone, others = Gone(), Names()
    monkeypatch.setattr("vrpcore.learn.train.run_folder.open_trackers", lambda *_: [gone, others])
    folder = RunFolder(tmp_path, writes=True)
    folder.track(["mlflow", "wandb"], {})
    with pytest.warns(UserWarning, match="Gone failed, continuing without it: no server"):
        folder.add({"step": 4, "cost": 0.5})
    folder.add({"step": 4, "loss": 0.5})
    folder.close()
    assert (gone.taken, others.taken) == (["cost"], ["cost", "loss", "closed"])
    assert len((tmp_path / "metrics.jsonl").read_text().splitlines()) == 2


class Names:
    """A tracker that notes the names of what it takes."""

    def __init__(self):
        self.taken = []

    def log(self, numbers, step):
        self.taken += [*numbers] if step == 4 else []

    def picture(self, tag, picture, step):
        self.taken += [tag] if (picture.shape, step) == ((6, 7, 3), 4) else []

    def close(self):
        self.taken += ["closed"]


def test_metrics_are_drawn(tmp_path):
    folder = RunFolder(tmp_path, writes=True)
    folder.draw()  # nothing was logged yet
    assert not (tmp_path / "curves.png").exists()
    folder.add({"step": 4, "cost": 0.5})
    folder.draw()
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
