"""What the methods of a family share: who is kept, what is claimed, which kernel is called."""
