"""Lambda entry points: one folder a function family, one module a handler."""
