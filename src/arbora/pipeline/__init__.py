"""From raw text to trees: components in one file, in order, and the documents that they make.

>>> import arbora
>>> nlp = arbora.load()
>>> document = nlp("The door is green.")
>>> [(word.form, word.head, word.deprel) for word in document.sentences[0]][:2]
[('The', 2, 'det'), ('door', 4, 'nsubj')]
"""

from arbora.pipeline.constituents import ParsedConstituents
from arbora.pipeline.documents import Document, ParsedSentence, ParsedToken
from arbora.pipeline.measuring import measure_pipeline
from arbora.pipeline.options import PipelineOptions
from arbora.pipeline.pipeline import Pipeline
from arbora.pipeline.shipped import ShippedModel, find_component, load, shipped_models
from arbora.pipeline.training import train_pipeline

__all__ = [
    "Document",
    "ParsedConstituents",
    "ParsedSentence",
    "ParsedToken",
    "Pipeline",
    "PipelineOptions",
    "ShippedModel",
    "find_component",
    "load",
    "measure_pipeline",
    "shipped_models",
    "train_pipeline",
]
