"""What runs on a schedule or at deploy: sweeps and migrations."""
