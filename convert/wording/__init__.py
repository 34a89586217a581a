"""Text handling that reports and transcripts share."""
