"""The cases, one file a group."""
