"""``arbora score``: how probable sentences are by a generative model, by n-grams, and by both."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from arbora.cli.options import available_cpus
from arbora.errors import ArboraError, FileError
from arbora.generative import GenerativeParser, Mixture, read_arpa, train_ngrams, write_arpa
from arbora.generative.data import read_corpus
from arbora.generative.language import SentenceLikelihoods, symbols_of
from arbora.pipeline import load
from arbora.treebank.files import check_output


def score(
    file: Annotated[str, typer.Argument(metavar="FILE", help="CoNLL-U, CoNLL-X, or plain words.")],
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", metavar="M", help="A model of `arbora induce` or `arbora train generative`."
        ),
    ],
    ngrams: Annotated[
        str | None, typer.Option(metavar="ARPA", help="An n-gram model to mix in, in the ARPA format.")
    ] = None,
    ngrams_from: Annotated[
        str | None,
        typer.Option(
            metavar="TRAIN",
            help="Train the n-gram model on this file (modified Kneser-Ney), as M sees its words.",
        ),
    ] = None,
    order: Annotated[int, typer.Option(min=1, help="Of the n-grams that are trained.")] = 3,
    write_ngrams: Annotated[
        str | None, typer.Option(metavar="ARPA", help="Write the n-grams that are trained to this file.")
    ] = None,
    dev: Annotated[
        str | None, typer.Option(metavar="DEV", help="Fit the weight of the mixture on this file.")
    ] = None,
    weight: Annotated[
        float | None, typer.Option(min=0, max=1, help="Of M in the mixture, if it is not fitted: 0.5.")
    ] = None,
    totals: Annotated[bool, typer.Option("--totals", help="Only the total, not every sentence.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, not lines.")] = False,
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="By default one for each CPU. Nothing depends on it."),
    ] = None,
) -> None:
    """Score sentences: the logarithm of each one's probability, all trees summed over, and perplexity.

        arbora score dev.conllu --model en.generative

    A line for each sentence: its number of words and its log-probability (base e); then the total, with the
    perplexity of a word. A bigram model gives the probability of the words given how many they are; a valence
    model that of the words and where they end. Words that the model leaves out, such as punctuation, do not
    count, and rare words count as their class.

    Mixed with n-grams, whose weight is fitted on other sentences:

        arbora score dev.conllu --model M --ngrams-from train.conllu --dev held-out.conllu

    The n-grams see the same symbols as the model, and know the number of words if it does: probabilities of
    all three are of the same thing.
    """
    if ngrams is not None and ngrams_from is not None:
        raise ArboraError("give --ngrams or --ngrams-from, not both")
    if ngrams is None and ngrams_from is None and (dev is not None or weight is not None):
        raise ArboraError("--dev and --weight are of a mixture: give --ngrams or --ngrams-from, too")
    if dev is not None and weight is not None:
        raise ArboraError("the weight of a mixture is given or fitted on --dev, not both")
    if write_ngrams is not None:
        if ngrams_from is None:
            raise ArboraError("--write-ngrams writes what --ngrams-from trains: give that, too")
        check_output(write_ngrams)
    opened = load(model)
    if not isinstance(opened, GenerativeParser):
        raise FileError("this model gives sentences no probability: give a generative one", file=model)
    options = opened.model.options
    mixture = Mixture(
        opened, None if ngrams is None else read_arpa(ngrams), 0.5 if weight is None else weight
    )
    if ngrams_from is not None:
        trained = train_ngrams((symbols_of(opened, s) for s in read_corpus(ngrams_from, options)), order)
        if write_ngrams is not None:
            write_arpa(trained, write_ngrams)
        mixture = Mixture(opened, trained, mixture.weight)
    workers = available_cpus() if threads is None else threads
    if dev is not None:
        mixture = mixture.fitted(read_corpus(dev, options), threads=workers)
    sentences = read_corpus(file, options)
    found = mixture.likelihoods(sentences, threads=workers)
    rows = [] if totals else _rows(sentences, found)
    if as_json:
        _print_json(rows, found, mixture)
    else:
        _print_lines(rows, found, mixture)


def _rows(sentences: list[Any], found: SentenceLikelihoods) -> list[dict[str, Any]]:
    rows = []
    for place, sentence in enumerate(sentences):
        row = {"sentence": sentence.sent_id or f"#{place + 1}", "words": found.words[place]}
        for name, own in (("trees", found.trees), ("ngrams", found.ngrams), ("mixed", found.mixed)):
            if own is not None:
                row[name] = float(own[place])
        rows.append(row)
    return rows


def _print_json(rows: list[dict[str, Any]], found: SentenceLikelihoods, mixture: Mixture) -> None:
    result: dict[str, Any] = {"sentences": len(found.words), "words": sum(found.words), **found.totals()}
    if mixture.ngrams is not None:
        result["weight"] = mixture.weight
    if rows:
        result["each"] = rows
    typer.echo(json.dumps(result, ensure_ascii=False))


def _print_lines(rows: list[dict[str, Any]], found: SentenceLikelihoods, mixture: Mixture) -> None:
    for row in rows:
        numbers = "\t".join(f"{row[name]:.6f}" for name in ("trees", "ngrams", "mixed") if name in row)
        typer.echo(f"{row['sentence']}\t{row['words']}\t{numbers}")
    typer.echo(f"{len(found.words):,} sentences, {sum(found.words):,} words")
    for name, own in found.totals().items():
        said = f" (weight of trees {mixture.weight:.4f})" if name == "mixed" else ""
        typer.echo(
            f"{name}: log-probability {own['log_probability']:.4f}, perplexity {own['perplexity']:.4f}{said}"
        )
