"""Declaring, selecting and running tools."""
