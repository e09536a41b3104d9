"""What several methods for snapshots share."""
