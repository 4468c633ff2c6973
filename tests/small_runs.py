"""Training runs that are over in a moment, one for every architecture.

As a program: ``python small_runs.py ARCHITECTURE OUTPUT [--resume] [NAME=NUMBER ...]`` runs one; the numbers
change options.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from small_neural import OPTIONS as NEURAL
from small_neural import encoder_folder

from arbora.constituency.isbn import IsbnOptions
from arbora.constituency.spans.options import SpanOptions
from arbora.dependency import TrainingOptions
from arbora.errors import ArboraError
from arbora.generative import GenerativeOptions
from arbora.models import find_architecture
from arbora.pipeline import PipelineOptions
from arbora.text import TaggerOptions, TokenizerOptions
from arbora.training import TrainedFile, train_file

TREEBANKS = Path(__file__).resolve().parents[1] / "examples" / "treebank"
ENGLISH, BRACKETS = TREEBANKS / "en.conllu", TREEBANKS / "brackets.mrg"

TOKENIZER = TokenizerOptions(epochs=6, bits=10)
TAGGER = TaggerOptions(epochs=3, bits=(12, 12, 12), batch=3)
PARSER = TrainingOptions(epochs=4, bits=14, pruner_bits=12, pruner_epochs=1, projective=False)

OPTIONS: dict[str, Any] = {
    "tokenizer": TOKENIZER,
    "tagger": TAGGER,
    "dependency-parser": PARSER,
    "neural-parser": NEURAL,
    "generative-parser": GenerativeOptions(model="valence", iterations=4, tolerance=0.0),
    "span-parser": SpanOptions(epochs=3, coarse_epochs=1, folds=2, bits=(12, 14)),
    "isbn-parser": IsbnOptions(width=4, epochs=4, least_count=2, batch=3, patience=9),
    "pipeline": PipelineOptions(replace(TOKENIZER, epochs=3), TAGGER, replace(PARSER, epochs=2), folds=3),
    "neural-pipeline": PipelineOptions(replace(TOKENIZER, epochs=3), TAGGER, neural=NEURAL),
}
"""By architecture: a new one needs its line here, and the tests of training meet it."""
VARIANTS = {"neural-pipeline": "pipeline"}
"""Runs that are one more of their architecture."""


def treebank_of(architecture: str) -> Path:
    """What it can learn from."""
    return BRACKETS if "brackets" in find_architecture(architecture).reads else ENGLISH


def train_small(name: str, output: Path, *, source: Path | None = None, **changes: Any) -> TrainedFile:
    """Train a small model; ``changes`` are those of the options, or parameters of `train_file`."""
    own = {key: changes.pop(key) for key in ("resume", "watcher", "dev", "dev_fraction") if key in changes}
    options, architecture = OPTIONS[name], VARIANTS.get(name, name)
    if isinstance(options, PipelineOptions):
        options = replace(options, parser=replace(options.parser, **changes))
    else:
        options = replace(options, **changes)
    treebank = str(treebank_of(architecture))
    if name in ("neural-parser", "neural-pipeline"):
        own["encoder"] = encoder_folder()
    return train_file(
        architecture,
        treebank if source is None else str(source),
        str(output),
        options=options,
        **{"dev": treebank, "licence": "CC0", **own},
    )


if __name__ == "__main__":
    numbers = dict(word.split("=") for word in sys.argv[3:] if "=" in word)
    try:
        train_small(
            sys.argv[1],
            Path(sys.argv[2]),
            resume="--resume" in sys.argv,
            **{name: int(number) for name, number in numbers.items()},
        )
    except ArboraError as error:
        print(f"arbora: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
