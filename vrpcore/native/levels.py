"""Paths of the compiled training step: one library for each level of the processor family.

The step consists of products of eight or sixteen numbers at once. A wheel runs on
every processor of its kind, so it brings the step for those with wider vectors as well.
"""

import platform
from pathlib import Path

from vrpcore.native.library import Library, next_to

_SOURCE = Path(__file__).parent / "training" / "training.cpp"
# Levels differ by rounding anyway; sums that say so may be computed in groups.
_FLAGS = ("-ffp-contract=fast", "-fopenmp-simd", "-fno-math-errno")
_AVX2 = (*_FLAGS, "-mavx2", "-mfma")
_AVX512 = (*_AVX2, "-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq")

# The one for every processor, and others by what PyTorch calls a processor's level.
PLAIN = next_to(_SOURCE, "vrp_training", _FLAGS)
WIDER: dict[str, Library] = {}
if platform.machine().lower() in ("x86_64", "amd64"):
    WIDER = {
        "AVX2": next_to(_SOURCE, "vrp_training_avx2", _AVX2),
        "AVX512": next_to(_SOURCE, "vrp_training_avx512", _AVX512),
    }
