"""Recorded transcripts put to the real engine: what guardd would have said to them.

`reading` finds out what a file is and gives its turns, with a module for each format; `engine` plays them.
Only `engine` needs SQLAlchemy.
"""
