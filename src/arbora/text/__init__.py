"""Raw text on its way to trees: cut into sentences and tokens, tagged, by what a treebank teaches.

>>> from arbora.text import TaggerOptions, TokenizerOptions, train_tagger, train_tokenizer
>>> from arbora.treebank import Sentence, read
>>> treebank = list(read("examples/treebank/en.conllu"))
>>> tokenizer = train_tokenizer(treebank, options=TokenizerOptions(epochs=5, bits=14))
>>> tagger = train_tagger(treebank, options=TaggerOptions(epochs=5, bits=(16, 16, 12)))
>>> [sentence.forms for sentence in tokenizer.tokenize("Where is the key? The door is open.")]
[['Where', 'is', 'the', 'key', '?'], ['The', 'door', 'is', 'open', '.']]
>>> next(tagger.tag([Sentence(treebank[0].forms)])).upos == treebank[0].upos
True
"""

from arbora.text.tagging.jackknifing import jackknife_tags
from arbora.text.tagging.options import TaggerOptions, TagOptions
from arbora.text.tagging.tagger import RankedTags, Tagger
from arbora.text.tagging.training import train_tagger
from arbora.text.tokenizing.options import TokenizerOptions
from arbora.text.tokenizing.tokenizer import Tokenizer
from arbora.text.tokenizing.training import train_tokenizer

__all__ = [
    "RankedTags",
    "TagOptions",
    "Tagger",
    "TaggerOptions",
    "Tokenizer",
    "TokenizerOptions",
    "jackknife_tags",
    "train_tagger",
    "train_tokenizer",
]
