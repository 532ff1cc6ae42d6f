"""Spreadsheets as CSV: stops and vehicles in, routes out."""
