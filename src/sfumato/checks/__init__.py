"""What checkers count: subsequences, records, overlapping values."""
