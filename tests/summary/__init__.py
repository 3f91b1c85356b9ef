"""Module summaries."""
