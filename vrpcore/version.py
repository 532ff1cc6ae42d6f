"""The version, said once; pyproject.toml reads it here."""

VERSION = "0.1.0"
