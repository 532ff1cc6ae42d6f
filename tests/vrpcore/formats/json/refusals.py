"""What tests of text formats share."""

import pytest

from vrpcore.errors import InstanceError


def refusal(read, text, old, new):
    """What a reader says of a text in which the first `old` is replaced."""
    assert old in text
    with pytest.raises(InstanceError) as caught:
        read(text.replace(old, new, 1), "file")
    return str(caught.value)
