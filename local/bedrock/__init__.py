"""A Bedrock-runtime endpoint on this machine: Bedrock's wire format and its refusals, answered by the offline model."""
