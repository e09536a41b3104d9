"""Independent checks of published tables, one file per promise."""
