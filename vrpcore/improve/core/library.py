"""Where the compiled search lies: beside its sources."""

import sys
from pathlib import Path

_SUFFIX = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
LIBRARY = Path(__file__).with_name(f"vrp_core.{_SUFFIX}")
