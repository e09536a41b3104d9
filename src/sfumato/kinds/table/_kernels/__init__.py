"""Compiled code for tables: plain arrays in and out."""
