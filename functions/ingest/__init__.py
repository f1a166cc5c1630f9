"""An S3 object becomes text, chunks and vectors."""
