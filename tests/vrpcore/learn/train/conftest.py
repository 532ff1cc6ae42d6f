import pytest

from vrpcore.learn.train import trainer
from vrpcore.learn.train.run_folder import RunFolder


@pytest.fixture(autouse=True)
def drawn(monkeypatch):
    """Folders whose curves would be drawn, which takes longer than the runs of tests."""
    folders = []

    class Undrawn(RunFolder):
        def draw(self):
            folders.append(self.path)

    monkeypatch.setattr(trainer, "RunFolder", Undrawn)
    return folders
