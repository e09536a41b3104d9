"""What several methods for sets share."""
