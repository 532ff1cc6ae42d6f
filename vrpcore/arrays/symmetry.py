"""The unit square: filling it, and its 8 symmetries."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

NUM_SYMMETRIES = 8


def symmetric(coords_unit: Float32, index: int) -> Float32:
    """One symmetric copy of points in the unit square.

    Tours keep their cost under each of them, but a policy sees another picture.

    Args:
        coords_unit: [..., 2] float32 in [0, 1].
        index: 0..7; bit 0 mirrors x, bit 1 mirrors y, bit 2 swaps the axes;
            0 is the identity.

    Returns:
        [..., 2] float32, a new array.

    Source:
        Kwon et al. 2020, arXiv:2010.16011, section 4.2 (instance augmentation).
    """
    x, y = coords_unit[..., 0], coords_unit[..., 1]
    x = 1 - x if index & 1 else x
    y = 1 - y if index & 2 else y
    return np.stack((y, x) if index & 4 else (x, y), axis=-1)


def symmetric_copies(arrays: Mapping[str, NDArray[Any]], count: int) -> dict[str, NDArray[Any]]:
    """Problems and their symmetric copies, the first being the problems themselves.

    Args:
        arrays: By name, the first axis of each being the problems; `coords_unit` among them.
        count: Copies.

    Returns:
        The arrays of `count` times as many problems, copy after copy.
    """
    copies = {name: [array] * count for name, array in arrays.items()}
    coords = arrays["coords_unit"]
    copies["coords_unit"] = [symmetric(coords, index) for index in range(count)]
    return {name: np.concatenate(each) for name, each in copies.items()}


def unit_box(coords: Float64, valid: NDArray[np.bool_] | None = None) -> Float64:
    """Points moved and scaled, the same in both axes, to fill the unit square.

    The longer side of the bounding box becomes 1, the shorter one is centred, so that
    a policy sees every instance at one scale and the symmetries map the square to
    itself. Points all in one place go to its centre.

    Args:
        coords: [..., M, 2] float64.
        valid: [..., M] bool, False for padding (which comes out as 0); None: all.

    Returns:
        [..., M, 2] float64 in [0, 1].
    """
    known = coords if valid is None else np.where(valid[..., None], coords, np.nan)
    low, high = np.nanmin(known, axis=-2), np.nanmax(known, axis=-2)
    side = (high - low).max(axis=-1)[..., None, None]
    offset = known - (low + (high - low) / 2)[..., None, :]
    box = np.divide(offset, side, out=np.zeros_like(offset), where=side > 0)
    box = np.clip(box + 0.5, 0.0, 1.0)
    return box if valid is None else np.where(valid[..., None], box, 0.0)
