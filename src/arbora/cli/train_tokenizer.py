"""``arbora train tokenizer``: a tokenizer from a treebank."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.cli.options import DevFraction, Licence, ModelOutput, Resume
from arbora.cli.progress import training_progress
from arbora.text import TokenizerOptions
from arbora.text.tokenizing.training import tokenizer_scores
from arbora.training import train_file

DEFAULTS = TokenizerOptions()


def train_tokenizer_command(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="The treebank, in CoNLL-U.")],
    output: ModelOutput,
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="A treebank to choose the best epoch by, and how easily a sentence ends. Without it "
            "some of TRAIN is held out (--dev-fraction).",
        ),
    ] = None,
    dev_fraction: DevFraction = None,
    epochs: Annotated[int, typer.Option(metavar="N", help="Passes over the treebank.")] = DEFAULTS.epochs,
    rate: Annotated[float, typer.Option(help="Of the learner, which is adagrad.")] = DEFAULTS.rate,
    bits: Annotated[
        int, typer.Option(help="2^bits weights of two bytes for tokens, as many for sentences.")
    ] = DEFAULTS.bits,
    seed: Annotated[int, typer.Option(help="Of how sentences are joined.")] = DEFAULTS.seed,
    sentence_tokens: Annotated[
        int, typer.Option(metavar="N", help="The longest sentence; one that would be longer is cut.")
    ] = DEFAULTS.sentence_tokens,
    licence: Licence = "",
    resume: Resume = False,
) -> None:
    """Train a tokenizer: where sentences and tokens end, and which tokens hold several words.

    A treebank, a dev set, and half a minute:

        arbora train tokenizer train.conllu --dev dev.conllu --output en.tokenizer

    The text is that of the comments `# text`, or of the words and `SpaceAfter=No`. Comments `# newdoc` and
    `# newpar` tell paragraphs.

    After every epoch all is kept in `MODEL.checkpoint`. If the run is killed, the same command with
    `--resume` goes on, and gives the same bytes as if nothing had happened.

    The same treebank, options and seed give the same model.
    """
    options = TokenizerOptions(
        epochs=epochs, rate=rate, bits=bits, seed=seed, sentence_tokens=sentence_tokens
    )
    with training_progress(resume) as watcher:
        trained = train_file(
            "tokenizer",
            train,
            output,
            dev=dev,
            dev_fraction=dev_fraction,
            options=options,
            resume=resume,
            licence=licence,
            watcher=watcher,
        )
    parts = [f"epoch {trained.kept['epoch']} of {epochs} kept", *tokenizer_scores(trained.kept)]
    typer.echo(f"{trained.file}: {', '.join(parts)}, {trained.bytes:,} bytes")
