"""Parsers on top of pretrained encoders: scores from a network, in the same exact inference.

>>> from arbora.neural import EncoderShape
>>> EncoderShape("bert", layers=1, hidden=8, heads=2, inner=16, positions=10, vocabulary=30).longest
10
"""

from arbora.neural.folders import find_folder, read_folder
from arbora.neural.layers import Encoder, kernel_names, quantized
from arbora.neural.options import NeuralOptions
from arbora.neural.parser import NeuralParser
from arbora.neural.shapes import EncoderShape
from arbora.neural.subwords import Subwords, read_subwords
from arbora.neural.training import train_neural

__all__ = [
    "Encoder",
    "EncoderShape",
    "NeuralOptions",
    "NeuralParser",
    "Subwords",
    "find_folder",
    "kernel_names",
    "quantized",
    "read_folder",
    "read_subwords",
    "train_neural",
]
