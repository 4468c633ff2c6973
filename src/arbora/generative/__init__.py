"""Generative models of dependency trees: likelihoods, language models, grammars from raw text by EM.

>>> from arbora.generative import GenerativeOptions, train_generative
>>> from arbora.treebank import read
>>> sentences = list(read("examples/treebank/en.conllu"))
>>> model = train_generative(sentences, options=GenerativeOptions(model="valence", iterations=5))
>>> len(model.header["report"]["epochs"]), bool((model.log_probabilities(sentences[:2]) < 0).all())
(5, True)
"""

from arbora.generative.arpa import read_arpa, write_arpa
from arbora.generative.kneser_ney import train_ngrams
from arbora.generative.language import Mixture, SentenceLikelihoods
from arbora.generative.ngrams import NgramModel
from arbora.generative.options import GenerativeOptions
from arbora.generative.parser import GenerativeParser
from arbora.generative.scoring import perplexity
from arbora.generative.training import train_generative

__all__ = [
    "GenerativeOptions",
    "GenerativeParser",
    "Mixture",
    "NgramModel",
    "SentenceLikelihoods",
    "perplexity",
    "read_arpa",
    "train_generative",
    "train_ngrams",
    "write_arpa",
]
