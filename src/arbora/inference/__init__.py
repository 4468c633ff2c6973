"""Inference in factor graphs: the algorithms by name, their options, and what they find."""
