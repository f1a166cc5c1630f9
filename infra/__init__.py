"""The CDK app."""
