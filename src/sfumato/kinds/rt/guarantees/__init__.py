"""What releases of tables with a set of items can promise."""
