"""Methods for tables with a set of items."""
