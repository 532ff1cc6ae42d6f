import json
import re

import pytest
import torch

from tests.vrpcore.learn.train.runs import CPU, run, small_config
from vrpcore.errors import OutputError
from vrpcore.learn.train.profile import step_profile


def test_profile_is_written(tmp_path):
    run(small_config(profile=True, steps=12, validate_every=0), tmp_path)
    assert "aten::bmm" in (tmp_path / "profile.txt").read_text()
    assert json.loads((tmp_path / "profile-trace.json").read_text())["traceEvents"]


def profiled(folder):
    """Twelve steps, each under its own name."""
    with step_profile(folder, CPU) as profiler:
        for number in range(1, 13):
            with torch.profiler.record_function(f"own step {number}"):
                torch.ones(2).sum()
            profiler.step()


def test_steps_eight_to_ten_are_profiled(tmp_path):
    profiled(tmp_path)
    found = set(re.findall(r"own step (\d+)", (tmp_path / "profile.txt").read_text()))
    assert found == {"8", "9", "10"}


def test_a_folder_that_is_gone_is_reported(tmp_path):
    with pytest.raises(OutputError, match=r"gone: cannot write the profile: .*No such file"):
        profiled(tmp_path / "gone")
