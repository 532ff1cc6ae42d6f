"""The device's view of a batch and the construction step."""
