"""What an attacker can know of activities, and which published records match."""
