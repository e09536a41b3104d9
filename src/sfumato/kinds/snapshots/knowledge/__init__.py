"""What an attacker can know of snapshots, and which published records match."""
