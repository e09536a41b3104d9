"""What a release of sets can promise, one file each."""
