"""Tests of the annotation page in a real browser."""
