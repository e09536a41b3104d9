"""What several methods for timelines share."""
