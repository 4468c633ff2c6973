"""Generative models: how probable a sentence is."""
