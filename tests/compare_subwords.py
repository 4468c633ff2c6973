"""Sub-words against the `tokenizers` library, on lines of treebanks and on odd texts.

    python tests/compare_subwords.py TREEBANKS [--most 8000] [--encoder FOLDER]...

reads a folder of treebanks, trains tokenizers of every kind on their sentences, and says how many lines
(all sentences, and the first lines of each file as they stand) and sentences of words are cut otherwise than
by the library: none; and how fast.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import small_subwords
from tokenizers import Tokenizer, pre_tokenizers, trainers

from arbora.neural import Subwords, read_subwords

FORM = re.compile(r"\d+\t([^\t]+)\t")


def lines_of(folder: Path, most: int | None = None) -> list[str]:
    """The lines of treebanks, at most so many of each: texts, comments, rows and trees as they stand."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (".conllu", ".conll", ".mrg"))
    return [line for path in files for line in path.read_text("utf-8").splitlines()[:most] if line]


def sentences_of(lines: list[str]) -> list[list[str]]:
    """The forms of the rows among lines, a sentence ending where a row has the number 1."""
    found: list[list[str]] = []
    for line in lines:
        match = FORM.match(line)
        if match and (line.startswith("1\t") or not found):
            found.append([])
        if match:
            found[-1].append(match[1])
    return found


def texts_of(lines: list[str]) -> list[str]:
    """The sentences among lines, as they were written."""
    return [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]


def different_lines(tokenizer: Tokenizer, subwords: Subwords, lines: list[str]) -> list[str]:
    """The lines that the two cut differently."""
    ids, ends = subwords.cut(lines)
    assert ends.shape == (len(lines),)
    assert ends[-1] == len(ids)
    theirs = tokenizer.encode_batch(lines, add_special_tokens=False)
    starts = [0, *ends[:-1]]
    return [
        line
        for line, start, end, own in zip(lines, starts, ends, theirs, strict=True)
        if ids[start:end].tolist() != own.ids
    ]


def different_sentences(
    tokenizer: Tokenizer, subwords: Subwords, sentences: list[list[str]]
) -> list[list[str]]:
    """The sentences of words that the two cut differently; a word of no sub-word is unknown with us."""
    ids, word_ends, sentence_ends = subwords.cut_words(sentences)
    assert sentence_ends.tolist()[-1] == len(word_ends)
    assert word_ends[-1] == len(ids)
    different, word, start = [], 0, 0
    with_space = spaced(tokenizer)
    for sentence in sentences:
        own = with_space.encode(sentence, is_pretokenized=True, add_special_tokens=False)
        theirs: list[list[int]] = [[] for _ in sentence]
        for number, place in zip(own.ids, own.word_ids, strict=True):
            theirs[place].append(number)
        ours = []
        for _ in sentence:
            ours.append(ids[start : word_ends[word]].tolist())
            start = word_ends[word]
            word += 1
        if ours != [found or [subwords.unknown] for found in theirs]:
            different.append(sentence)
    return different


def spaced(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer; byte-level ones with a space before every word, as `transformers` wants them."""
    if not isinstance(tokenizer.pre_tokenizer, pre_tokenizers.ByteLevel):
        return tokenizer
    result = Tokenizer.from_str(tokenizer.to_str())
    result.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=True, use_regex=tokenizer.pre_tokenizer.use_regex
    )
    return result


def trained(texts: list[str]) -> Iterator[tuple[str, Tokenizer]]:
    """Tokenizers of every kind with the vocabulary of these texts."""
    special = small_subwords.SPECIAL
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer_of = {
        "WordPiece": trainers.WordPieceTrainer(vocab_size=20000, special_tokens=special),
        "BPE": trainers.BpeTrainer(vocab_size=20000, special_tokens=special, initial_alphabet=alphabet),
        "Unigram": trainers.UnigramTrainer(vocab_size=20000, special_tokens=special, unk_token="[UNK]"),
    }
    for name, make in small_subwords.MAKERS.items():
        tokenizer = make()
        tokenizer.train_from_iterator(texts, trainer_of[type(tokenizer.model).__name__])
        yield name, tokenizer


def loaded(folder: Path) -> Tokenizer:
    """The library's own reading of a folder, without what it would cut off or fill up."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def report(name: str, tokenizer: Tokenizer, subwords: Subwords, lines: list[str]) -> None:
    """One row: what differs, and words a second on one thread."""
    sentences = sentences_of(lines)
    words = sum(map(len, sentences))
    different = len(different_lines(tokenizer, subwords, lines))
    others = len(different_sentences(tokenizer, subwords, sentences))
    begin = time.perf_counter()
    subwords.cut_words(sentences)
    speed = words / (time.perf_counter() - begin)
    print(
        f"{name}: {different} of {len(lines)} lines and {others} of {len(sentences)} sentences differ; "
        f"{subwords.vocabulary} sub-words, {speed / 1e6:.2f} million words a second"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", type=Path)
    parser.add_argument("--most", type=int, default=8000, help="lines of each file")
    parser.add_argument("--encoder", type=Path, action="append", default=[])
    options = parser.parse_args()
    texts = texts_of(lines_of(options.treebanks))
    lines = lines_of(options.treebanks, options.most) + texts + small_subwords.odd_texts(20000)
    for folder in options.encoder:
        report(folder.name, loaded(folder), read_subwords(folder), lines)
    for name, tokenizer in trained(texts):
        with TemporaryDirectory() as folder:
            tokenizer.save(f"{folder}/tokenizer.json")
            report(name, tokenizer, read_subwords(folder), lines)


if __name__ == "__main__":
    main()
