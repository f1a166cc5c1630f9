"""What the stacks are made of. Constructs take plain values; stacks wire them."""
