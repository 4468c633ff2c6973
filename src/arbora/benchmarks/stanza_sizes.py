"""Networks of the sizes that Stanza publishes for English, with random weights: what they cost on a CPU.

Stanza itself is not needed, nor its weights: speed does not depend on their values. Tokenizer, tagger and
parser are those of Qi et al. (2020) and of Stanza's default options, run in torch as it does: a tokenizer of
characters; for the tagger and the parser, each, embeddings of words, a character model (LSTM of 400) and the
two language models of characters (LSTM of 1024, forwards and backwards); BiLSTMs (2 x 200 and 3 x 400) and
deep biaffine classifiers; trees by our own `arbora.trees.mst`. The lemmatizer, which looks most words up, and
all that makes tensors of text and text of tensors is left out: Stanza is slower than this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arbora.treebank import Sentence
from arbora.trees import mst

# Stanza's defaults: tokenizer, tagger, depparse; and the language models of characters.
CHARACTERS, CHARACTER_SIZE = 200, 100
TOKENIZER_SIZES = {"embedding": 32, "features": 4, "hidden": 64, "classes": 5}
LANGUAGE_MODEL = {"embedding": 100, "hidden": 1024}
CHARACTER_MODEL = 400
WORDS = 30_000
TRAINED_WORDS, PRETRAINED = 75, 100
TRANSFORMED = 125
TAGGER: dict[str, Any] = {"hidden": 200, "layers": 2, "biaffine": 400, "composite": 100, "tags": (17, 50, 60)}
PARSER = {"hidden": 400, "layers": 3, "biaffine": 400, "tag_embedding": 50, "labels": 50}
BATCH_WORDS = 5000  # of tagger and parser


def stanza_like(sentences: Sequence[Sentence], *, language_models: bool = True) -> Callable[[], int]:
    """What runs the networks over these sentences once, on one thread, and gives the number of words.

    Without ``language_models`` it is the smaller of Stanza's architectures.
    """
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    network = _Networks(torch, language_models)
    batches = _batches(sentences)

    def run() -> int:
        with torch.inference_mode():
            return sum(network(batch) for batch in batches)

    return run


def _batches(sentences: Sequence[Sentence]) -> list[list[Sentence]]:
    """By length, so that little is padded; so many words at a time."""
    found: list[list[Sentence]] = [[]]
    words = 0
    for sentence in sorted((one for one in sentences if len(one)), key=len):
        if words + len(sentence) > BATCH_WORDS and found[-1]:
            found.append([])
            words = 0
        found[-1].append(sentence)
        words += len(sentence)
    return found


class _Networks:
    """Tokenizer, tagger and parser over batches of sentences."""

    def __init__(self, torch: Any, language_models: bool) -> None:
        nn = torch.nn
        self.torch = torch
        own = TOKENIZER_SIZES
        self.tokenizer_embedding = nn.Embedding(CHARACTERS, own["embedding"])
        self.tokenizer = nn.LSTM(
            own["embedding"] + own["features"], own["hidden"], bidirectional=True, batch_first=True
        )
        self.tokenizer_classes = nn.Linear(2 * own["hidden"], own["classes"])
        self.language_models = []
        if language_models:
            self.language_models = [
                (
                    nn.Embedding(CHARACTERS, LANGUAGE_MODEL["embedding"]),
                    nn.LSTM(LANGUAGE_MODEL["embedding"], LANGUAGE_MODEL["hidden"], batch_first=True),
                )
                for _ in range(2)
            ]
        self.tagger = _Reader(nn, TAGGER["hidden"], TAGGER["layers"], 0, bool(language_models))
        size = TAGGER["biaffine"]
        self.tag_hidden = [nn.Linear(2 * TAGGER["hidden"], size) for _ in TAGGER["tags"]]
        self.tag_classes = [nn.Linear(size, count) for count in TAGGER["tags"]]
        self.parser = _Reader(
            nn, PARSER["hidden"], PARSER["layers"], PARSER["tag_embedding"], bool(language_models)
        )
        self.sides = [nn.Linear(2 * PARSER["hidden"], PARSER["biaffine"]) for _ in range(4)]
        self.distances = [nn.Linear(2 * PARSER["hidden"], PARSER["biaffine"]) for _ in range(4)]
        self.arcs = torch.randn(PARSER["biaffine"] + 1, PARSER["biaffine"] + 1) / PARSER["biaffine"]
        self.labels = torch.randn(PARSER["biaffine"] + 1, PARSER["labels"], PARSER["biaffine"] + 1)
        self.labels /= PARSER["biaffine"]

    def __call__(self, sentences: list[Sentence]) -> int:
        torch = self.torch
        characters = [torch.tensor([ord(c) % CHARACTERS for c in " ".join(s.forms)]) for s in sentences]
        padded = torch.nn.utils.rnn.pad_sequence(characters, batch_first=True)
        self._tokenize(padded)
        words = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor([hash(form) % WORDS for form in s.forms]) for s in sentences], batch_first=True
        )
        letters = _letters(torch, sentences, words.shape[1])
        of_models = self._language_models(padded, sentences, words.shape[1])
        states = self.tagger(torch, words, letters, of_models, None)
        tags = [
            classes(torch.relu(hidden(states))).argmax(-1)
            for hidden, classes in zip(self.tag_hidden, self.tag_classes, strict=True)
        ]
        of_models = self._language_models(padded, sentences, words.shape[1])  # the parser has its own run
        self._parse(self.parser(torch, words, letters, of_models, tags[0]), sentences)
        return sum(map(len, sentences))

    def _tokenize(self, padded: Any) -> None:
        torch = self.torch
        features = torch.zeros(*padded.shape, TOKENIZER_SIZES["features"])
        states, _ = self.tokenizer(torch.cat([self.tokenizer_embedding(padded), features], -1))
        self.tokenizer_classes(states).argmax(-1)

    def _language_models(self, padded: Any, sentences: list[Sentence], width: int) -> Any:
        """The state at the end of each word, of both models."""
        torch, found = self.torch, []
        for place, (embedding, lstm) in enumerate(self.language_models):
            states, _ = lstm(embedding(padded.flip(1) if place else padded))
            ends = torch.zeros(len(sentences), width, dtype=torch.long)
            for row, sentence in enumerate(sentences):
                own = np.cumsum([len(form) + 1 for form in sentence.forms]) - 2
                ends[row, : len(own)] = torch.from_numpy(own)
            index = ends[..., None].expand(-1, -1, states.shape[-1])
            found.append(states.gather(1, index))
        return torch.cat(found, -1) if found else None

    def _parse(self, states: Any, sentences: list[Sentence]) -> None:
        torch = self.torch
        root = torch.zeros(states.shape[0], 1, states.shape[2])
        states = torch.cat([root, states], 1)
        heads, modifiers, label_heads, label_modifiers = (torch.relu(own(states)) for own in self.sides)
        arcs = _biaffine(torch, heads, modifiers, self.arcs)
        for left, right in ((0, 1), (2, 3)):  # Stanza scores direction and distance too
            both = [torch.relu(self.distances[side](states)) for side in (left, right)]
            arcs = arcs + _biaffine(torch, both[0], both[1], self.arcs)
        with_one = torch.cat([label_heads, torch.ones(*label_heads.shape[:2], 1)], -1)
        other = torch.cat([label_modifiers, torch.ones(*label_modifiers.shape[:2], 1)], -1)
        half = torch.einsum("bhi,ilj->bhlj", with_one, self.labels)
        labels = torch.einsum("bhlj,bmj->bhml", half, other)
        labels.argmax(-1)
        for row, sentence in enumerate(sentences):
            n = len(sentence) + 1
            mst(arcs[row, :n, :n].double().numpy())


class _Reader:
    """What the tagger and the parser begin with: embeddings, characters, BiLSTMs."""

    def __init__(self, nn: Any, hidden: int, layers: int, tags: int, language_models: bool) -> None:
        self.trained = nn.Embedding(WORDS, TRAINED_WORDS)
        self.pretrained = nn.Embedding(WORDS, PRETRAINED)
        self.transform = nn.Linear(PRETRAINED, TRANSFORMED, bias=False)
        self.tags = nn.Embedding(100, tags) if tags else None
        self.of_models = nn.Linear(2 * LANGUAGE_MODEL["hidden"], TRANSFORMED) if language_models else None
        self.letters = nn.Embedding(CHARACTERS, CHARACTER_SIZE)
        self.characters = None if language_models else nn.LSTM(
            CHARACTER_SIZE, CHARACTER_MODEL, batch_first=True
        )  # fmt: skip
        self.of_characters = nn.Linear(CHARACTER_MODEL, TRANSFORMED, bias=False)
        size = TRAINED_WORDS + 2 * TRANSFORMED + tags
        self.lstm = nn.LSTM(size, hidden, layers, bidirectional=True, batch_first=True)

    def __call__(self, torch: Any, words: Any, letters: Any, of_models: Any, tags: Any) -> Any:
        parts = [self.trained(words), self.transform(self.pretrained(words))]
        if self.tags is not None:
            parts.append(self.tags(tags))
        if self.of_models is not None:
            parts.append(self.of_models(of_models))
        elif self.characters is not None:
            flat = letters.reshape(-1, letters.shape[-1])
            _, (last, _) = self.characters(self.letters(flat))
            parts.append(self.of_characters(last[0]).reshape(*words.shape, -1))
        states, _ = self.lstm(torch.cat(parts, -1))
        return states


def _letters(torch: Any, sentences: list[Sentence], width: int) -> Any:
    """The characters of every word, as many as the longest has, but 20 at most."""
    longest = min(20, max(len(form) for sentence in sentences for form in sentence.forms))
    found = torch.zeros(len(sentences), width, longest, dtype=torch.long)
    for row, sentence in enumerate(sentences):
        for column, form in enumerate(sentence.forms):
            own = [ord(c) % CHARACTERS for c in form[:longest]]
            found[row, column, : len(own)] = torch.tensor(own)
    return found


def _biaffine(torch: Any, left: Any, right: Any, weights: Any) -> Any:
    one = torch.ones(*left.shape[:2], 1)
    return torch.cat([left, one], -1) @ weights @ torch.cat([right, one], -1).transpose(1, 2)
