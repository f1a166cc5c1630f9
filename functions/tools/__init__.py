"""The tool catalogue, one module a family, and what runs and seeds it."""
