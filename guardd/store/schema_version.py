"""The version of the schema that this program works with, for those who need nothing else of the store."""

NEWEST = "0004"
"""The newest revision in `migrations`. Revisions are four digits, in order."""
