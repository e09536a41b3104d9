"""What several methods for event sequences share."""
