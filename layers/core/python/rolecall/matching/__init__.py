"""Profiles against jobs."""
