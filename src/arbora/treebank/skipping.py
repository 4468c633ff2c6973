"""Sentences that are left out, as whoever is lenient wants it: how many, and why."""

from __future__ import annotations

from dataclasses import dataclass, field

from arbora.errors import ArboraError
from arbora.treebank.batches import Skip, in_file

MOST_REASONS = 3
"""So many sentences that are skipped get their reasons told."""


@dataclass(slots=True)
class Skipped:
    """What was left out: ``skipped`` sentences; ``reasons`` has the first few reasons why.

    >>> report = Skipped()
    >>> report.skip(ArboraError("there is no tree"))
    >>> report
    Skipped(skipped=1, reasons=['there is no tree'])
    """

    skipped: int = field(default=0, kw_only=True)
    reasons: list[str] = field(default_factory=list, kw_only=True)

    def skip(self, error: ArboraError) -> None:
        """Count a sentence that is left out for this reason."""
        self.skipped += 1
        if len(self.reasons) < MOST_REASONS:
            self.reasons.append(str(error))

    def skip_of(self, file: str) -> Skip:
        """The same for sentences of a file, which the reasons name."""
        return lambda error: self.skip(in_file(error, file))
