"""Rolecall: AI agents for recruitment. The shared package; in AWS it is the core layer."""
