"""Compiled code on plain arrays, for methods that make releases of sets and for measures of what these are good for."""
