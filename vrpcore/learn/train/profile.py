"""A profile of a few steps in the run folder."""

from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from vrpcore.errors import OutputError


def step_profile(folder: Path, device: torch.device) -> profile:
    """Profiles steps 8 to 10 of a run, between entering it and leaving it.

    Args:
        folder: Gets `profile-trace.json` (for a trace viewer) and `profile.txt`.
        device: Where the run is.
    """

    def write(result: profile) -> None:
        try:
            result.export_chrome_trace(str(folder / "profile-trace.json"))
            table = result.key_averages().table(sort_by="self_cpu_time_total", row_limit=60)
            (folder / "profile.txt").write_text(table + "\n", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{folder}: cannot write the profile: {error}") from None

    activities = [ProfilerActivity.CPU]
    if device.type == "cuda":
        activities.append(ProfilerActivity.CUDA)
    steps = schedule(wait=5, warmup=2, active=3, repeat=1)
    return profile(activities=activities, schedule=steps, on_trace_ready=write)
