"""Constituency parsing by incremental sigmoid belief networks (Titov & Henderson 2007)."""

from arbora.constituency.isbn.options import IsbnOptions
from arbora.constituency.isbn.parser import IsbnParser
from arbora.constituency.isbn.task import train_isbn
from arbora.constituency.isbn.vocabulary import Vocabulary

__all__ = ["IsbnOptions", "IsbnParser", "Vocabulary", "train_isbn"]
