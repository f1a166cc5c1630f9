"""What keeps a conversation usable beside its answers: a summary of its older part, and a title."""
