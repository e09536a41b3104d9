"""What an attacker can know of people in a table, and which published records fit."""
