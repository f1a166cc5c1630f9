"""Models: specs, providers, stream events and the Converse contract."""
