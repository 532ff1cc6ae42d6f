"""Search on the host over finished routes."""
