"""Sentences that are left out, as whoever is lenient wants it: how many, and why."""

from __future__ import annotations

from dataclasses import dataclass, field

from arbora.errors import ArboraError
from arbora.treebank.batches import Skip, in_file

MOST_REASONS = 3
"""So many sentences that are skipped get their reasons told."""


@dataclass(slots=True)
class Skipped:
    """What was left out: ``skipped`` sentences, and ``skipped_paragraphs`` of text that has none yet.

    ``reasons`` has the first few reasons why.

    >>> report = Skipped()
    >>> report.skip(ArboraError("there is no tree"))
    >>> report
    Skipped(skipped=1, skipped_paragraphs=0, reasons=['there is no tree'])
    """

    skipped: int = field(default=0, kw_only=True)
    skipped_paragraphs: int = field(default=0, kw_only=True)
    reasons: list[str] = field(default_factory=list, kw_only=True)

    def skip(self, error: ArboraError) -> None:
        """Count a sentence that is left out for this reason."""
        self.skipped += 1
        self._tell(error)

    def _tell(self, error: ArboraError) -> None:
        if len(self.reasons) < MOST_REASONS:
            self.reasons.append(str(error))

    def skip_of(self, file: str) -> Skip:
        """The same for sentences of a file, which the reasons name."""
        return lambda error: self.skip(in_file(error, file))

    def skip_paragraphs_of(self, file: str) -> Skip:
        """What counts the paragraphs of a text that are left out; the reasons name the file."""

        def skip(error: ArboraError) -> None:
            self.skipped_paragraphs += 1
            self._tell(in_file(error, file))

        return skip
