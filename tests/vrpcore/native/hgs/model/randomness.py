"""The search's random numbers."""

from tests.vrpcore.native.hgs.model.arithmetic import log_of

ALL_BITS = 2**64 - 1


class Random:
    """xorshift64*, its seed passed through the finalizer of SplitMix."""

    def __init__(self, seed):
        mixed = seed + 0x9E3779B97F4A7C15 & ALL_BITS
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & ALL_BITS
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & ALL_BITS
        self.state = mixed ^ mixed >> 31 or 1

    def next(self):
        state = self.state
        state ^= state >> 12
        state ^= state << 25 & ALL_BITS
        state ^= state >> 27
        self.state = state
        return state * 0x2545F4914F6CDD1D & ALL_BITS

    def below(self, count):
        """A whole number from 0 to below `count`."""
        return (self.next() >> 32) * count >> 32

    def unit(self):
        """A number in [0, 1)."""
        return (self.next() >> 11) / 2**53

    def chance(self, share):
        """True once in `2^32 / share` times."""
        return self.next() >> 32 < share

    def exponential(self):
        return -log_of(1.0 - self.unit())
