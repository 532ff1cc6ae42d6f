"""A profile of a few steps in the run folder."""

from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from vrpcore.errors import OutputError

_WAIT, _WARM, _ACTIVE = 5, 2, 3


class StepProfile:
    """Profiles steps 8 to 10 of a run, if asked to.

    Args:
        folder: Gets `profile-trace.json` (for a trace viewer) and `profile.txt`.
        enabled: False: does nothing.
        device: Where the run is.
    """

    def __init__(self, folder: Path, enabled: bool, device: torch.device) -> None:
        self._folder = folder
        self._profile: profile | None = None
        if enabled:
            activities = [ProfilerActivity.CPU]
            if device.type == "cuda":
                activities.append(ProfilerActivity.CUDA)
            self._profile = profile(
                activities=activities,
                schedule=schedule(wait=_WAIT, warmup=_WARM, active=_ACTIVE, repeat=1),
                on_trace_ready=self._write,
            )
            self._profile.start()

    def step(self) -> None:
        """Marks the end of a step."""
        if self._profile is not None:
            self._profile.step()

    def close(self) -> None:
        """Ends profiling."""
        if self._profile is not None:
            self._profile.stop()
            self._profile = None

    def _write(self, result: profile) -> None:
        try:
            result.export_chrome_trace(str(self._folder / "profile-trace.json"))
            table = result.key_averages().table(sort_by="self_cpu_time_total", row_limit=60)
            (self._folder / "profile.txt").write_text(table + "\n", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{self._folder}: cannot write the profile: {error}") from None
