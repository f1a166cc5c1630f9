"""The synthesised templates, held against the manifest, the protocol and the house rules."""
