"""Histories made at random, damaged in every known way, and what must hold for each."""
