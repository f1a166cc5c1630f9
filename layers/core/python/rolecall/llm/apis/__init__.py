"""The APIs of other houses than Bedrock, through pydantic-ai's model layer; loaded only where such a model is named."""
