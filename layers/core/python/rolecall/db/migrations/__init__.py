"""Numbered SQL files; what was applied is never edited."""
