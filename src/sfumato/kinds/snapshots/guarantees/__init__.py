"""What a release of snapshots can promise, one file each."""
