"""What an attacker can know of sets, and which published records match."""
