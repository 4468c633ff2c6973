"""CoNLL 2018 scores from their definitions: every character, token and pair is looked at, nothing is swept.

Gold and system are lists of sentences, and a sentence is a list of tokens ``(form, words)``; a word is
``(form, lemma, upos, xpos, feats, head, deprel)``. The head is the word's number in its sentence.
"""

from __future__ import annotations

import itertools

CONTENT = {
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated",
    "advcl", "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed",
    "flat", "compound", "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep",
}  # fmt: skip
FUNCTION = {"aux", "cop", "mark", "det", "clf", "case", "cc"}
FEATURES = {
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number",
    "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident",
    "Polarity", "Person", "Polite",
}  # fmt: skip


def laid_out(sentences):
    """Characters' numbers of sentences and tokens; words as (characters, joint, columns, sentence)."""
    numbers = itertools.count()
    spans, tokens, words = [], [], []
    for sentence_number, sentence in enumerate(sentences):
        whole = []
        for form, inner in sentence:
            own = frozenset(itertools.islice(numbers, len(form.replace(" ", ""))))
            tokens.append(own)
            whole += own
            for columns in inner:
                words.append((own, len(inner) > 1, columns, sentence_number))
        spans.append(frozenset(whole))
    return spans, tokens, words


def regions_of(words, others):
    """Characters below multiword tokens, joined until no two regions share one."""
    regions = [set(own) for own, joint, _, _ in [*words, *others] if joint]
    joined = True
    while joined:
        joined = False
        for a, b in itertools.combinations(regions, 2):
            if a & b:
                a |= b
                regions.remove(b)
                joined = True
                break
    return regions


def longest(first, second):
    """All ways to go through both lists, the longest; of equals, that which drops from ``first`` early."""
    if not first or not second:
        return []
    if first[0][1] == second[0][1]:
        return [(first[0][0], second[0][0]), *longest(first[1:], second[1:])]
    left, right = longest(first[1:], second), longest(first, second[1:])
    return left if len(left) >= len(right) else right


def aligned(words, others):
    regions = regions_of(words, others)
    pairs = []
    for a, (own, joint, _, _) in enumerate(words):
        for b, (their, their_joint, _, _) in enumerate(others):
            if not joint and not their_joint and own == their and not any(own <= r for r in regions):
                pairs.append((a, b))
    for region in regions:
        rows = [
            [(n, columns[0].lower()) for n, (own, _, columns, _) in enumerate(side) if own <= region]
            for side in (words, others)
        ]
        pairs += longest(*rows)
    return pairs


def plain(feats):
    return sorted(part for part in feats.split("|") if part.split("=")[0] in FEATURES)


def scores(gold, system):
    """(correct, gold, system) by metric."""
    (sentences, tokens, words), (sentences2, tokens2, words2) = laid_out(gold), laid_out(system)
    pairs = aligned(words, words2)
    match = {b: a for a, b in pairs}
    result = {
        "Tokens": (sum(t in tokens2 for t in tokens), len(tokens), len(tokens2)),
        "Sentences": (sum(s in sentences2 for s in sentences), len(sentences), len(sentences2)),
        "Words": (len(pairs), len(words), len(words2)),
    }

    def seen(side, n):
        """A word of gold by its number, of system by that of its partner."""
        return n if side is words else match.get(n, "none")

    def head(side, n):
        _, _, columns, sentence = side[n]
        if columns[5] is None:
            return "unknown"
        if columns[5] == 0:
            return "root"
        first = min(k for k in range(len(side)) if side[k][3] == sentence)
        return first + columns[5] - 1

    def key(name, side, n, gold_lemma):
        _, lemma, upos, xpos, feats, _, deprel = side[n][2]
        above = head(side, n)
        above = seen(side, above) if isinstance(above, int) else above
        if name in ("MLAS", "BLEX", "LAS", "CLAS"):
            relation = deprel.split(":")[0]
        lemma = lemma if gold_lemma != "_" else "_"
        if name == "MLAS":
            function = [
                (seen(side, c), side[c][2][6].split(":")[0], side[c][2][2], plain(side[c][2][4]))
                for c in range(len(side))
                if side[c][2][6].split(":")[0] in FUNCTION and head(side, c) == n
            ]
            return above, relation, upos, plain(feats), function
        return {
            "UPOS": lambda: upos,
            "XPOS": lambda: xpos,
            "UFeats": lambda: plain(feats),
            "AllTags": lambda: (upos, xpos, plain(feats)),
            "Lemmas": lambda: lemma,
            "UAS": lambda: above,
            "LAS": lambda: (above, relation),
            "CLAS": lambda: (above, relation),
            "BLEX": lambda: (above, relation, lemma),
        }[name]()

    for name in ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX"):

        def counts(word, name=name):
            return name not in ("CLAS", "MLAS", "BLEX") or word[2][6].split(":")[0] in CONTENT

        correct = 0
        for a, b in pairs:
            lemma = words[a][2][1]
            correct += counts(words[a]) and key(name, words, a, lemma) == key(name, words2, b, lemma)
        result[name] = (correct, sum(map(counts, words)), sum(map(counts, words2)))
    return result
