"""Raw text: cut into sentences and tokens, by what a treebank teaches.

>>> from arbora.text import Tokenizer, TokenizerOptions, train_tokenizer
>>> from arbora.treebank import read
>>> treebank = list(read("examples/treebank/en.conllu"))
>>> tokenizer = train_tokenizer(treebank, options=TokenizerOptions(epochs=5, bits=14))
>>> [sentence.forms for sentence in tokenizer.tokenize("Where is the key? The door is open.")]
[['Where', 'is', 'the', 'key', '?'], ['The', 'door', 'is', 'open', '.']]
"""

from arbora.text.tokenizing.options import TokenizerOptions
from arbora.text.tokenizing.tokenizer import Tokenizer
from arbora.text.tokenizing.training import TokenizerReport, train_tokenizer

__all__ = ["Tokenizer", "TokenizerOptions", "TokenizerReport", "train_tokenizer"]
