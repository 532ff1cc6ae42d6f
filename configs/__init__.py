"""Packaged training configurations."""
