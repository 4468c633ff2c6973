"""Bracket scores as EVALB finds them: lists of brackets that are marked off one by one."""

from __future__ import annotations

from arbora.treebank import Constituent

DELETED = {"TOP", "S1", "ROOT", "", "-NONE-", ",", ":", "``", "''", "."}


def read_brackets(tree: Constituent) -> tuple[list[tuple[str, str]], list[tuple[str, int, int]], int]:
    """(word, tag) of words that count, brackets over them, and the length, which counts punctuation too."""
    words: list[tuple[str, str]] = []
    brackets: list[tuple[str, int, int]] = []
    length = 0

    def visit(node: Constituent) -> None:
        nonlocal length
        if node.is_preterminal:
            length += node.label != "-NONE-"
            if node.label not in DELETED:
                words.append((str(node.children[0]), node.label))
            return
        start = len(words)
        for child in node.children:
            visit(child)
        label = node.label.split("-")[0].split("=")[0]
        if len(words) > start and label not in DELETED:
            brackets.append((label, start, len(words)))

    visit(tree)
    return words, brackets, length


def same_label(one: str, other: str) -> bool:
    return one == other or {one, other} == {"ADVP", "PRT"}


def evalb(gold: Constituent, system: Constituent) -> dict[str, int]:
    """The counts of one sentence."""
    words, right, length = read_brackets(gold)
    others, found, _ = read_brackets(system)
    assert [word for word, _ in words] == [word for word, _ in others]
    left = list(found)
    matched = 0
    for label, start, end in right:
        for candidate in left:
            if candidate[1:] == (start, end) and same_label(label, candidate[0]):
                left.remove(candidate)
                matched += 1
                break
    crossing = 0
    for _, start, end in found:
        for _, a, b in right:
            if (a < start < b < end) or (start < a < end < b):
                crossing += 1
                break
    tags = sum(one == other for (_, one), (_, other) in zip(words, others, strict=True))
    return {
        "matched": matched,
        "gold": len(right),
        "system": len(found),
        "crossing": crossing,
        "tags": tags,
        "words": len(words),
        "length": length,
    }
