"""What a release of trajectories can promise, one file each."""
