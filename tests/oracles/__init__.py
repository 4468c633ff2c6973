"""Slow twins: the same answers as the package's, by ways too simple to be wrong."""
