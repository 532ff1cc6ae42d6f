import pytest

from vrpcore.export.stages import untold


def test_a_stage_that_nobody_is_told_of_changes_nothing():
    with pytest.raises(ValueError, match=r"^mine$"), untold("writing"):
        raise ValueError("mine")
