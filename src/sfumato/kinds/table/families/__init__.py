"""What several methods for tables share."""
