"""What a receiver of event sequences can know, which records match it, and what it predicts."""
