"""Keys of model providers at rest: master keys, sealing, rows. docs/models.md tells the whole way of a key."""
