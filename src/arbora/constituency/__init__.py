"""Constituency parsers: trees of phrases, by latent variables or by the features of spans."""

from arbora.constituency.parser import ConstituencyParser, ParsedTree
from arbora.constituency.trees import TaggedWords, prepared, tagged_words, tree_of_spans

__all__ = ["ConstituencyParser", "ParsedTree", "TaggedWords", "prepared", "tagged_words", "tree_of_spans"]
