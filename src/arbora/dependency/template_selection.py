"""Which templates a parser is trained with: those of a preset or a file, as the options ask for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arbora.dependency.options import AUTOMATA_PARTS, TrainingOptions
from arbora.dependency.presets import part_templates
from arbora.errors import ArboraError
from arbora.features import PARTS, Template, Templates


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
    if options.outer == "automata":
        check_automata(result.parts)
    if options.latent_roles and not result.roles:
        raise ArboraError("the templates have no section [roles], and no [labels] to take its place")
    needed = {"arcs": True, "labels": joint, "labeler": second}
    missing = [name for name, is_needed in needed.items() if is_needed and not getattr(result, name)]
    if missing:
        raise ArboraError(f"the templates have no section [{missing[0]}], which labels {options.labels} need")
    return result


def check_automata(kinds: Iterable[str]) -> None:
    """ArboraError if parts of these kinds cannot be learned from head automata alone.

    >>> check_automata(["consecutive-siblings"])
    """
    kinds = list(kinds)
    others = [kind for kind in kinds if kind not in AUTOMATA_PARTS]
    if others:
        raise ArboraError(f"no head automaton sees {', '.join(others)}: outer automata takes no such parts")
    if not kinds:
        raise ArboraError(f"outer automata takes parts that automata see: {', '.join(AUTOMATA_PARTS)}")


def _select_parts(parts: dict[str, list[Template]], kinds: Sequence[str] | None) -> dict[str, list[Template]]:
    if kinds is None:
        return parts
    own = {name: parts.get(name) or part_templates(name) for name in kinds}
    return {name: own[name] for name in PARTS if name in own}
