"""The attention policy."""
