"""Measurements of a device: the self-test and the lessons."""
