"""What the JSON API takes and gives, as types: they check requests, and the OpenAPI file is made of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from arbora.dependency.options import DECODERS, EXACT_LENGTH, LEAST_EXACT_LENGTH, SOLVERS

Place = Annotated[int, Meta(ge=0, le=1_000_000)]
"""The id of a word, from 1; as a head, 0 is the root."""
Id = Annotated[int, Meta(ge=1, le=1_000_000)]
Probability = Annotated[float, Meta(ge=0, le=1)]
Decoder = Literal[DECODERS]  # type: ignore[valid-type]
Solver = Literal[SOLVERS]  # type: ignore[valid-type]


class Columns(Struct, omit_defaults=True, kw_only=True):
    """What all rows of CoNLL-U have; ``_`` is not known."""

    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"


class Word(Columns, omit_defaults=True, kw_only=True):
    """A word: all but its form may be left out. An unknown head is null."""

    form: str
    id: Id | None = None
    head: Place | None = None
    misc_found: str = "_"
    start: Annotated[int, Meta(ge=0, le=1 << 40)] | UnsetType = UNSET
    end: Annotated[int, Meta(ge=0, le=1 << 40)] | UnsetType = UNSET


class MultiwordToken(Columns, omit_defaults=True, kw_only=True):
    """Words that are written together, from the word ``first`` to the word ``last``."""

    first: Id
    last: Id
    form: str
    head: str = "_"


class EmptyNodeRow(Columns, omit_defaults=True, kw_only=True):
    """A node that is no word, the ``index``-th after the word ``after``."""

    after: Place
    index: Id
    form: str = "_"
    head: str = "_"
    inside: bool = False


class SentenceData(Struct, omit_defaults=True):
    """A sentence: its words (what `ParsedSentence.to_dict` gives), or its block of CoNLL-U."""

    words: list[Word] | UnsetType = UNSET
    conllu: str | UnsetType = UNSET
    text: str | UnsetType | None = UNSET
    multiwords: list[MultiwordToken] = []
    empty_nodes: list[EmptyNodeRow] = []
    comments: list[str] | UnsetType = UNSET
    newline: Literal["\n", "\r\n"] = "\n"
    closing: str | UnsetType = UNSET


class Options(Struct, forbid_unknown_fields=True, frozen=True):
    """How to parse; what is null or left out is as in training. See `arbora.dependency.ParseOptions`."""

    decoder: Decoder = "best"
    projective: bool | None = None
    single_root: bool | None = None
    solver: Solver | None = None
    certificates: bool = False
    exact_length: Annotated[int, Meta(ge=LEAST_EXACT_LENGTH, le=EXACT_LENGTH)] = EXACT_LENGTH


class Constraints(Struct, forbid_unknown_fields=True):
    """What binds in one sentence: heads and labels by the words' ids, [head, dependent] pairs, roots."""

    heads: dict[str, Place] = {}
    labels: dict[str, str] = {}
    forbidden: list[tuple[Place, Id]] = []
    roots: list[Id] = []


class ParseRequest(Struct, forbid_unknown_fields=True):
    """Exactly one of text, conllu and sentences; constraints go with the latter two, by their order."""

    model: str | None = None
    text: str | UnsetType = UNSET
    conllu: str | UnsetType = UNSET
    sentences: list[SentenceData] | UnsetType = UNSET
    keep_tags: bool = False
    options: Options = Options()
    constraints: list[Constraints | None] = []
    constraints_from_input: bool = False
    probabilities: bool = False
    alternatives: Probability | None = None
    kbest: Annotated[int, Meta(ge=1, le=100)] | None = None
    rules: str | None = None


class JudgeRequest(Struct, forbid_unknown_fields=True):
    """Exactly one of conllu and sentences, whose trees are judged."""

    model: str | None = None
    conllu: str | UnsetType = UNSET
    sentences: list[SentenceData] | UnsetType = UNSET
    rules: str | None = None
    alternatives: Probability | None = None


class TreebankEdit(Struct, forbid_unknown_fields=True):
    """A new block of CoNLL-U for a sentence, and the version of the one that it was made from."""

    conllu: str
    version: str


class Alternatives(Struct):
    """Heads and labels that a word may have, the most probable first; labels given the tree."""

    heads: list[tuple[int, float]]
    labels: list[tuple[str, float]]


class RankedTree(Struct):
    """One of the k best trees."""

    heads: list[int]
    deprels: list[str]
    log_probability: float | None


class FoundWord(Word, kw_only=True):
    """A word of a parsed sentence."""

    probability: float | UnsetType = UNSET
    label_probability: float | UnsetType = UNSET


class FoundSentence(Struct):
    """A parsed sentence, as `ParsedSentence.to_dict` has it; ``error`` says why it has no tree.

    The probabilities of heads are those given the sentence times its ``certainty``, which is missing if it is
    1: a text may be cut otherwise.
    """

    words: list[FoundWord]
    text: str | None
    multiwords: list[MultiwordToken]
    comments: list[str]
    certainty: float | UnsetType = UNSET
    tree_log_probability: float | UnsetType | None = UNSET
    certificate: dict[str, Any] | UnsetType = UNSET
    constituents: list[dict[str, Any]] | UnsetType = UNSET
    alternatives: list[Alternatives] | UnsetType = UNSET
    kbest: list[RankedTree] | UnsetType = UNSET
    error: str | UnsetType = UNSET


class ParseAnswer(Struct):
    """The parsed sentences, in order."""

    model: str
    sentences: list[FoundSentence]
    text: str | UnsetType = UNSET


class JudgedWord(Struct):
    """What the parser thinks of a word's arc, and what it prefers."""

    head_probability: float | None
    label_probability: float | None
    best_head: int
    best_deprel: str
    best_probability: float


class BrokenRule(Struct):
    """A rule that a tree breaks, and where."""

    rule: str
    word: int


class JudgedSentence(Struct):
    """What the parser thinks of a tree."""

    tree_log_probability: float | None
    expected_errors: float
    disagreements: int
    words: list[JudgedWord]
    broken_rules: list[BrokenRule]
    alternatives: list[Alternatives] | UnsetType = UNSET
    error: str | UnsetType = UNSET


class JudgeAnswer(Struct):
    """The judgements, in order."""

    model: str
    sentences: list[JudgedSentence]


class ModelData(Struct):
    """A model: what it is, the columns that it adds, the labels and tags that it knows."""

    name: str
    title: str
    adds: list[str]
    labels: list[str]
    upos: list[str]
    card: dict[str, Any]


class ModelsAnswer(Struct):
    """The models of the server."""

    version: str
    default: str
    models: list[ModelData]


class TreebankSentence(Struct):
    """A sentence of the treebank file: its very lines, and their version."""

    conllu: str
    version: str


class TreebankAnswer(Struct):
    """The treebank file."""

    name: str
    version: str
    sentences: list[TreebankSentence]


class Saved(Struct):
    """The version of what was saved."""

    version: str


class Failure(Struct):
    """Why there is no answer, and which sentence of the request is to blame, from 0."""

    error: str
    sentence: int | UnsetType = UNSET


class Conflict(Struct):
    """Why a change was not saved, and what is in the file instead."""

    error: str
    conllu: str
    version: str


def plain(value: Any) -> Any:
    """What msgspec cannot write by itself: numbers and arrays of numpy."""
    return value.tolist()


encode = msgspec.json.Encoder(enc_hook=plain).encode
