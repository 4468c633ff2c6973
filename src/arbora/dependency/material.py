"""What training is fed with: whole trees, and the templates that the options ask for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from arbora import _core
from arbora.dependency.options import MOST_NAMED_TAGS, TrainingOptions
from arbora.dependency.presets import part_templates
from arbora.errors import ArboraError
from arbora.features import PARTS, Template, Templates
from arbora.treebank import Sentence


def select_templates(templates: Templates, options: TrainingOptions) -> Templates:
    """The sections that the options ask for."""
    joint, second = options.labels != "second-stage", options.labels != "joint"
    result = Templates(
        pruner=templates.pruner if options.pruning > 0 else [],
        arcs=templates.arcs,
        labels=templates.labels if joint else [],
        labeler=templates.labeler if second else [],
        siblings=templates.siblings if second else [],
        roles=(templates.roles or templates.labels) if options.latent_roles else [],
        parts=_select_parts(templates.parts, options.parts),
    )
    if options.latent_tags or options.joint_tags:
        result.tags, result.tag_links = templates.tags, templates.tag_links
        kind = "latent_tags" if options.latent_tags else "joint_tags"
        for name in ("tags", "tag-links"):
            if not result.of(name):
                raise ArboraError(f"the templates have no section [{name}], which {kind} need")
    if options.joint_tags:  # hidden ones are no chain, so that those of a tree have exact sums
        result.tag_bigrams, result.tag_trigrams = templates.tag_bigrams, templates.tag_trigrams
    if options.latent_roles and not result.roles:
        raise ArboraError("the templates have no section [roles], and no [labels] to take its place")
    needed = {"arcs": True, "labels": joint, "labeler": second}
    missing = [name for name, is_needed in needed.items() if is_needed and not getattr(result, name)]
    if missing:
        raise ArboraError(f"the templates have no section [{missing[0]}], which labels {options.labels} need")
    return result


def _select_parts(
    parts: dict[str, list[Template]], wanted: Sequence[str] | None
) -> dict[str, list[Template]]:
    if wanted is None:
        return parts
    own = {name: parts.get(name) or part_templates(name) for name in wanted}
    return {name: own[name] for name in PARTS if name in own}


def tag_names(sentences: Sequence[Sentence]) -> list[str]:
    """The UPOS tags among which a parser will choose; ArboraError if there is nothing to learn that from."""
    key = _core.candidates_key
    if not any(key in misc for sentence in sentences for misc in sentence.misc):
        raise ArboraError(
            f"a parser that chooses tags learns from lists of a tagger ({key} in MISC) beside gold UPOS: "
            "`arbora train pipeline --preset joint` sees to both"
        )
    names = sorted({tag for sentence in sentences for tag in sentence.upos if tag != "_"})
    if len(names) > MOST_NAMED_TAGS:
        raise ArboraError(
            f"there are {len(names)} UPOS tags; a parser chooses among {MOST_NAMED_TAGS} at the most"
        )
    odd = [name for name in names if set(name) & set(";|")]
    if odd:
        raise ArboraError(f"the tag {odd[0]!r} has no place in a list of tags, which has ; and | between")
    return names


def gold_tags(
    sentences: Sequence[Sentence], names: list[str]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Where each word's UPOS stands among the tags that it may have, and its number.

    Where a list has not the right tag, the tagger's own is what can be learned: it stands first.
    """
    numbers = {name: number for number, name in enumerate(names)}
    places, upos = [], []
    for sentence in sentences:
        listed = _core.candidate_tags(names, sentence.upos, sentence.misc)[1]
        for own, tag in zip(listed, sentence.upos, strict=True):
            number = numbers.get(tag, -1)
            choices = [choice for choice, _ in own] or list(range(len(names)))
            places.append(choices.index(number) if number in choices else 0)
            upos.append(number)
    return np.array(places, np.int32), np.array(upos, np.int32)


def check_trees(sentences: Sequence[Sentence], options: TrainingOptions, name: str) -> None:
    """Every sentence must be a whole tree of the wanted kind."""
    for number, sentence in enumerate(sentences, 1):
        place = f"{name} sentence {number} ({' '.join(sentence.forms[:5])!r})"
        if None in sentence.heads:
            word = sentence.heads.index(None) + 1
            raise ArboraError(f"{place}: word {word} has no head, and training needs whole trees")
        if "_" in sentence.deprels:
            word = sentence.deprels.index("_") + 1
            raise ArboraError(f"{place}: word {word} has no relation, and training needs whole trees")
        if not all(head is not None and 0 <= head <= len(sentence) for head in sentence.heads):
            raise ArboraError(f"{place}: a head is not in the sentence")
        if _core.head_cycles(sentence.heads):
            raise ArboraError(f"{place}: the heads form a cycle")
        if options.single_root and sentence.heads.count(0) != 1:
            raise ArboraError(
                f"{place} has {sentence.heads.count(0)} roots; allow that in training (--multi-root)"
            )
