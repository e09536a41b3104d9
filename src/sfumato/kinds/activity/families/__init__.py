"""What several methods for activities share."""
