"""The other stores: sockets, the live table, S3, the state machine."""
