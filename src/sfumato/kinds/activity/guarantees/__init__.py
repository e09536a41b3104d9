"""What a release of activities can promise, one file each."""
