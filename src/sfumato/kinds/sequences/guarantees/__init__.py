"""What a release of event sequences can promise, one file each."""
