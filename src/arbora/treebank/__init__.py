"""Treebank files: CoNLL-U, CoNLL-X and Penn brackets, streaming and lossless; and words without trees.

>>> sentence = Sentence.from_conllu("1\\tHello\\thello\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
>>> sentence[1].upos
'INTJ'
"""

from arbora.treebank.constituent import Constituent
from arbora.treebank.formats import FORMATS, Format
from arbora.treebank.reading import Reader, read, write
from arbora.treebank.sentence import EmptyNode, Multiword, Sentence, Token

__all__ = [
    "FORMATS",
    "Constituent",
    "EmptyNode",
    "Format",
    "Multiword",
    "Reader",
    "Sentence",
    "Token",
    "read",
    "write",
]
