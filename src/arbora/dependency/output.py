"""How what was found is told: in MISC, in comments, in errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arbora import _core
from arbora.errors import ArboraError, InfeasibleTreeError
from arbora.treebank import Sentence
from arbora.treebank.conllu import broken, make_sentence

HEAD_PROBABILITY = "HeadProbability"
LABEL_PROBABILITY = "LabelProbability"
TAG_PROBABILITY = "UposProbability"
TREE_LOG_PROBABILITY = "tree_log_probability"
CERTIFICATE = "certificate"


@dataclass(frozen=True, slots=True)
class RankedTree:
    """One of a sentence's k best trees: heads and labels of the words, and the tree's log-probability."""

    heads: list[int]
    deprels: list[str]
    log_probability: float


def set_kbest(sentence: Sentence, trees: list[RankedTree]) -> Iterator[Sentence]:
    """A copy of the sentence for each of its trees, with rank and log-probability as comments."""
    for rank, tree in enumerate(trees, 1):
        copy = sentence.copy()
        copy.heads, copy.deprels = list(tree.heads), list(tree.deprels)
        copy.deps = ["_"] * len(copy.forms)
        set_comment(copy, "kbest_rank", str(rank))
        set_comment(copy, TREE_LOG_PROBABILITY, f"{tree.log_probability:.6f}")
        yield copy


def with_chances(misc: str, *chances: float) -> str:
    """MISC with the probabilities of (tag,) head and label as its last items, in place of older ones.

    >>> with_chances("SpaceAfter=No|HeadProbability=0.5000", 0.75, 1.0)
    'SpaceAfter=No|HeadProbability=0.7500|LabelProbability=1.0000'
    """
    own = (TAG_PROBABILITY, HEAD_PROBABILITY, LABEL_PROBABILITY)[-len(chances) :]
    return "|".join([*_kept(misc, own), *(f"{n}={c:.4f}" for n, c in zip(own, chances, strict=True))])


def without_candidates(misc: str) -> str:
    """MISC without the list of tags that a parser has chosen from.

    >>> without_candidates("SpaceAfter=No|UposCandidates=NOUN:0.7312;VERB:0.2688")
    'SpaceAfter=No'
    """
    return "|".join(_kept(misc, (_core.candidates_key,))) or "_"


def _kept(misc: str, dropped: tuple[str, ...]) -> list[str]:
    return [] if misc == "_" else [i for i in misc.split("|") if i.partition("=")[0] not in dropped]


def set_comment(sentence: Sentence, key: str, value: str) -> None:
    """Write the comment ``# key = value``, in place of the one that is there."""
    kept = [c for c in sentence.comments if not c.startswith(f"# {key} =")]
    sentence.comments = [*kept, f"# {key} = {value}"]


def certificate_text(gap: float) -> str:
    """What a comment says of a tree that may be worse than the best by so much; 0 is proved."""
    return "proved" if gap == 0 else "none" if gap == float("inf") else f"gap {gap:.6f}"


def no_tree(sentence: Sentence, reason: str) -> InfeasibleTreeError:
    """The error that names the sentence, and the reason."""
    name = next((c for c in sentence.comments if c.startswith("# sent_id")), None)
    text = f" ({name.removeprefix('# ')})" if name else ""
    words = repr(" ".join(sentence.forms[:6]))
    return InfeasibleTreeError(f"no tree fits what is given for the sentence {words}{text}: {reason}")


def refusal(data: bytes, final: bool, line: int, number: int, reason: str) -> ArboraError:
    """Why the data's first sentence cannot be parsed: its format, or else the reason why no tree fits."""
    decoder = _core.ConlluDecoder(False, False, line)
    _, problems, found = decoder.decode(data, final)[1][0]
    return (
        no_tree(make_sentence(found), reason)
        if problems is None
        else broken(number, problems, found).problems[0]
    )


def check_columns(labels: list[str]) -> None:
    """ArboraError if a label cannot be written: one that was not read from a file may be any text."""
    for label in labels:
        try:
            sound = bool(label.encode()) and not set(label) & set("\t\r\n")
        except UnicodeEncodeError:
            sound = False
        if not sound:
            raise ArboraError(f"the model's label {label!r} has no place in a column of CoNLL-U")
