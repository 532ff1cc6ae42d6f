"""Spreadsheets (CSV, .xlsx, .ods): stops and vehicles in, routes out."""
