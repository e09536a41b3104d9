"""What a release of timelines can promise, one file each."""
