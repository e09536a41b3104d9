"""What several methods for trajectories share."""
