"""``arbora validate``: what is wrong with treebank files, line by line."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from arbora.cli.options import MultiRoot
from arbora.errors import ArboraError
from arbora.treebank import FORMATS, validating
from arbora.treebank.files import display_name


def validate(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files to check; `-` is standard input.")
    ],
    format: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help=f"{', '.join(FORMATS)}; told by each file's name if left out."),
    ] = None,
    multi_root: MultiRoot = None,
    warnings: Annotated[
        bool,
        typer.Option(
            "--warnings/--no-warnings", help="Look also at what reading does not need: FEATS, DEPS, text."
        ),
    ] = True,
    ud: Annotated[
        bool,
        typer.Option(
            "--ud",
            help="Check what Universal Dependencies ask, too: tags, relations, features, `root`.",
        ),
    ] = False,
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Rules for trees, as `arbora parse --rules` takes them; a broken one is an error.",
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 2 for warnings too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Check treebank files and report every problem on a line of its own: file, line, sentence, reason.

    **Errors** stop other commands from reading the sentence: columns, ids, heads out of range, cycles,
    several roots, bad UTF-8. **Warnings** do not (CoNLL-U only): FEATS that are not Name=Value, in order and
    without repetition; DEPS that point nowhere; `root` below a word; a `# text` that differs from the words;
    no `# sent_id`, or one twice. With `--rules`, a tree that breaks a rule is an error too, at the word
    where it does.

    With `--ud`, all of these are errors. So are a UPOS that is none of the 17 universal tags, a relation that
    is none of the 37 universal ones nor a `:subtype` of one, a word without a head, and anything but `root`
    at head 0. Warnings are features and values that are not universal, for languages have their own; `conj`,
    `flat`, `fixed`, `goeswith` or `appos` before its head; and words below `punct`. What single languages
    ask is not looked at.

    Exits with 0 if there is no error, with 2 if there is.

    Example: `arbora validate train.conllu dev.conllu.gz --no-warnings`
    """
    if ud and multi_root:
        raise ArboraError("--ud and --multi-root exclude each other: a universal tree has one root")
    beyond = None if rules is None else _broken_rules(rules)
    results: list[dict[str, Any]] = []
    for file in files:
        findings: list[dict[str, Any]] = []
        name = display_name(file)

        def show(
            finding: validating.Finding, name: str = name, findings: list[dict[str, Any]] = findings
        ) -> None:
            if as_json:
                findings.append(asdict(finding))
            else:
                typer.echo(finding.text(name))

        report = validating.validate(
            file,
            format=format,
            single_root=None if multi_root is None else not multi_root,
            deep=warnings,
            universal=ud,
            beyond=beyond,
            found=show,
        )
        results.append({**asdict(report), "findings": findings})
        if not as_json:
            typer.echo(_summary(report))
    sound = not any(result["errors"] or (strict and result["warnings"]) for result in results)
    if as_json:
        typer.echo(json.dumps({"sound": sound, "files": results}, ensure_ascii=False))
    if not sound:
        raise typer.Exit(2)


def _broken_rules(file: str) -> validating.Beyond:
    """What tells where a sentence breaks the rules of a file."""
    from arbora.dependency.rules import Rules  # a heavy room, which nothing else here needs

    rules = Rules.read(file)
    return lambda sentence: (
        (token, f"this breaks the rule {rule}") for rule, token in rules.violations(sentence)
    )


def _summary(report: validating.Report) -> str:
    counts = [f"{count} {what}" for what, count in report.counts.items()]
    counts += [f"{report.broken} broken", f"{report.errors} errors", f"{report.warnings} warnings"]
    return f"{report.file}: {', '.join(counts)}"
