"""Solutions in files: read, written, and used as warm starts."""
