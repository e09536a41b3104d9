"""What methods for tables with a set of items share."""
