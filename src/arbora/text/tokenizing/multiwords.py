"""Tokens that hold several words, learned from a treebank: known forms, and endings for those not known.

Every token of a treebank has a pattern: how it falls into words, or none. A form that was seen has the
pattern it had most often. One that was not has that of its longest ending that at least `FEWEST` forms share,
by their majority. Only what decides differently than a shorter ending is kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from arbora import _core
from arbora.models.checking import a_list, a_mapping, a_name, a_text, a_whole

Pattern = tuple[tuple[int, ...], int, str, tuple[str, ...]]
"""Lengths of the words after the first; or how many characters to cut, what to add, and the other words."""

LONGEST = 10
"""Characters of an ending, at most."""
LONGEST_WORD = 1000
"""Characters of a word within a token, and such words of it, at most."""
FEWEST = 2
"""Forms that must have an ending for it to count."""

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def pattern_of(form: str, words: tuple[str, ...]) -> Pattern | None:
    """How a token falls into words; None if it is one.

    >>> pattern_of("don't", ("do", "n't")), pattern_of("zum", ("zu", "dem")), pattern_of("dog", ("dog",))
    (((3,), 0, '', ()), ((), 1, '', ('dem',)), None)
    """
    if len(words) == 1:
        return None
    if "".join(words) == form and all(words):
        return tuple(len(word) for word in words[1:]), 0, "", ()
    first = words[0]
    shared = next(
        (k for k, (a, b) in enumerate(zip(form, first, strict=False)) if a != b), min(len(form), len(first))
    )
    return (), len(form) - shared, first[shared:], words[1:]


def learn_multiwords(tokens: Mapping[tuple[str, tuple[str, ...]], int]) -> dict[str, Any]:
    """The rules from tokens and how often they occur, as plain data for a model's header.

    >>> seen = {("can't", ("ca", "n't")): 3, ("don't", ("do", "n't")): 9, ("ant", ("ant",)): 2}
    >>> rules = learn_multiwords(seen)
    >>> make_multiwords(rules).split("Won't")
    ['Wo', "n't"]
    """
    patterns: dict[Pattern, int] = {}
    seen: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for (form, words), count in tokens.items():
        pattern = pattern_of(form, words)
        number = -1 if pattern is None else patterns.setdefault(pattern, len(patterns))
        seen[form.translate(_LOWER)][number] += count
    known = {form: _majority(counts) for form, counts in seen.items()}
    endings = _endings(known)
    forms = {form: number for form, number in known.items() if _by_ending(form, endings) != number}
    used = sorted({*endings.values(), *forms.values()} - {-1})
    renumbered = {-1: -1, **{old: new for new, old in enumerate(used)}}
    listed = list(patterns)
    return {
        "patterns": [listed[number] for number in used],
        "forms": {form: renumbered[number] for form, number in sorted(forms.items())},
        "endings": {ending: renumbered[number] for ending, number in sorted(endings.items())},
    }


def _majority(counts: Counter[int]) -> int:
    """The most frequent number; of several, the smallest, so that in doubt nothing is split."""
    return min(counts, key=lambda number: (-counts[number], number))


def _endings(known: Mapping[str, int]) -> dict[str, int]:
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for form, number in known.items():
        for length in range(1, min(LONGEST, len(form) - 1) + 1):
            counts[form[-length:]][number] += 1
    decided = {ending: _majority(found) for ending, found in counts.items() if sum(found.values()) >= FEWEST}
    kept = {ending for ending, number in decided.items() if number != decided.get(ending[1:], -1)}
    # The core walks from the end, character by character: all shorter endings must be there.
    return {ending[k:]: decided[ending[k:]] for ending in kept for k in range(len(ending))}


def _by_ending(form: str, endings: Mapping[str, int]) -> int:
    number = -1
    for length in range(1, len(form) + 1):
        if form[-length:] not in endings:
            break
        number = endings[form[-length:]]
    return number


def make_multiwords(rules: Mapping[str, Any]) -> _core.Multiwords:
    """The rules at work; ValueError or KeyError if they are none."""
    rules = a_mapping(rules, "multiwords")
    patterns = [_checked(pattern) for pattern in a_list(rules["patterns"], "patterns")]

    def pairs(name: str) -> list[tuple[str, int]]:
        found = a_mapping(rules[name], name).items()
        for form, number in found:
            if a_whole(number, name, -1) >= len(patterns):
                raise ValueError(f"{name}: there is no such pattern as {number}, that of {form!r}")
        return [(a_name(form, name), number) for form, number in found]

    forms = pairs("forms")
    for form, number in forms:
        lengths, cut, _, _ = patterns[number] if number >= 0 else ((), 0, "", ())
        if sum(lengths) >= len(form) or cut > len(form):
            raise ValueError(f"the token {form!r} has no room for its words")
    return _core.Multiwords([(list(a), b, c, list(d)) for a, b, c, d in patterns], forms, pairs("endings"))


def _checked(pattern: Any) -> Pattern:
    """A pattern of a header; ValueError if it is none."""
    lengths, cut, add, rest = a_list(pattern, "a pattern", 4)
    own = tuple(
        a_whole(length, "the length of a word", 1, LONGEST_WORD) for length in a_list(lengths, "lengths")
    )
    words = tuple(a_name(word, "a word of a token") for word in a_list(rest, "words"))
    if not own and not words:
        raise ValueError("a token falls into one word")
    if len(own) > LONGEST_WORD or set(a_text(add, "an ending")) & set("\t\r\n"):
        raise ValueError("a token falls into words that no column holds")
    return own, a_whole(cut, "what is cut off", 0, LONGEST_WORD), add, words
