"""The code that reports and transcripts share to put things into words."""
