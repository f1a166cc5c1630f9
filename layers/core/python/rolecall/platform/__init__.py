"""The recruitment records."""
