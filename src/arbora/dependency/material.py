"""What training is fed with: whole trees, and the templates that the options ask for."""

from __future__ import annotations

from collections.abc import Sequence

from arbora import _core
from arbora.dependency.options import TrainingOptions
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
    if options.latent_tags:
        result.tags, result.tag_links = templates.tags, templates.tag_links
        for name in ("tags", "tag-links"):
            if not result.of(name):
                raise ArboraError(f"the templates have no section [{name}], which latent_tags need")
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
