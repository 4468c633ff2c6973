"""Treebank files: CoNLL-U, CoNLL-X and Penn brackets, streaming and lossless."""
