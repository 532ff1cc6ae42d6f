"""The self-test of a device."""
