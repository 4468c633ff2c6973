"""The JSON API: all that Arbora knows of sentences, and what annotators say of them beforehand.

`read_parse` and `read_judge` make tasks of requests, and are the work without a server; the endpoints add
HTTP and the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import arbora
from arbora import _core
from arbora.dependency import BatchParser, ParseOptions, Rules
from arbora.dependency.rule_parsing import check_rules, rules_annotator
from arbora.errors import ArboraError
from arbora.pipeline.documents import ParsedSentence
from arbora.server.json_types import (
    JudgeRequest,
    ModelData,
    ModelsAnswer,
    ParseRequest,
    encode,
)
from arbora.server.limits import Limits, RequestError
from arbora.server.models import TREES, ServedModel, ServedModels
from arbora.server.openapi import document
from arbora.server.queue import Task
from arbora.server.sentences import bind, read_sentences
from arbora.server.service import Service, check_lengths
from arbora.server.wishes import check_wishes
from arbora.treebank import Sentence
from arbora.treebank.batches import make_batch, refusal_of, to_sentences
from arbora.treebank.conllu import make_sentence

Asked = TypeVar("Asked")
JSON = "application/json"


def read_json(body: bytes, kind: type[Asked]) -> Asked:
    """The request of a body; RequestError if it is none."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(400, f"{error}.") from None


def read_parse(model: ServedModel, asked: ParseRequest, limits: Limits, threads: int = 1) -> Task:
    """What a request wants to be done, and what is answered of it; RequestError if that cannot be.

    >>> from arbora.server.models import load_served
    >>> asked = ParseRequest(text="Dogs bark.", probabilities=True)
    >>> found = read_parse(load_served("en"), asked, Limits()).done()
    >>> msgspec.json.decode(found[0][0])["words"][1]["deprel"]
    'root'
    """
    if sum(given is not UNSET for given in (asked.text, asked.conllu, asked.sentences)) != 1:
        raise RequestError(400, "Exactly one of text, conllu and sentences is needed.")
    if not TREES & set(model.adds):
        raise RequestError(400, f"The model '{model.name}' has no parser.")
    check_wishes(model, asked)
    binds = asked.constraints_from_input or bool(asked.constraints)
    options = ParseOptions(
        **msgspec.structs.asdict(asked.options),
        probabilities=asked.probabilities,
        constraints=binds,
        threads=threads,
    ).check()
    given: list[Sentence] | None = None
    if asked.text is not UNSET:
        batch = _tokenized(model, asked, threads)
        check_lengths(batch.lengths, limits)
    else:
        check = model.pipeline.check(replace(options, constraints=asked.constraints_from_input))
        given = read_sentences(asked.conllu, asked.sentences, limits, check)
        _bind_all(given, asked)
        batch = make_batch(given)
    rules = None if asked.rules is None else read_rules(asked.rules)
    parser = model.pipeline.parser if "heads" in model.adds else None
    instead = {}
    if rules is not None and parser is not None:
        check_rules(options)
        instead["heads"] = rules_annotator(parser, rules, options, keep_tags=asked.keep_tags or binds)
    finish = Finisher(parser, options, given if binds else None, asked.alternatives, asked.kbest)
    steps = model.pipeline.steps(options, keep_tags=asked.keep_tags, instead=instead)
    kind = ("parse", model.name, options, asked.keep_tags, asked.rules)
    return Task(batch, kind, steps, finish)


def read_rules(text: str) -> Rules:
    """The rules of a request; RequestError names the line that is wrong."""
    try:
        return Rules.parse(text)
    except ArboraError as error:
        raise RequestError(400, f"{error}.") from None


@dataclass(slots=True)
class Finisher:
    """Makes JSON of parsed sentences, with what else was asked for; it is called with their parts in order.

    ``given`` are the sentences with what binds in them, if anything does.
    """

    parser: BatchParser | None
    options: ParseOptions
    given: Sequence[Sentence] | None
    alternatives: float | None
    kbest: int | None
    place: int = field(default=0)

    def __call__(self, part: _core.Batch) -> list[bytes]:
        """The JSON of each sentence."""
        return [encode(self._answer(own)) for own in part.split([1] * len(part))]

    def _answer(self, own: _core.Batch) -> dict[str, Any]:
        given = None if self.given is None else self.given[self.place]
        self.place += 1
        if not own.sound:
            sentence = ParsedSentence(make_sentence(own.columns(0)))
            return {**sentence.to_dict(), "error": f"{refusal_of(own)}."}
        sentence = ParsedSentence(next(to_sentences([own])), self.parser, self.options)
        answer = sentence.to_dict()
        if self.parser is None or not len(sentence):
            return answer
        known = sentence if given is None else _with_tree_of(sentence, given)
        try:
            if self.alternatives is not None:
                answer["alternatives"] = self._alternatives(known, given is not None)
            if self.kbest is not None:
                answer["kbest"] = [
                    {"heads": tree.heads, "deprels": tree.deprels, "log_probability": tree.log_probability}
                    for tree in next(self.parser.kbest([known], self.kbest, self.options))
                ]
        except ArboraError as error:
            answer["error"] = f"{error}."
        return answer

    def _alternatives(self, sentence: ParsedSentence, binds: bool) -> list[dict[str, Any]]:
        """Of each word, the heads and labels that are at least so probable, the most probable first."""
        assert self.parser is not None
        assert self.alternatives is not None
        least = self.alternatives
        heads, labels = self.parser.probabilities(sentence, self.options, constraints=binds)
        heads = heads * sentence.certainty
        names = self.parser.labels
        return [
            {
                "heads": [(head, p) for head, p in _ranked(heads[:, word]) if p >= least and p > 0],
                "labels": [(names[label], p) for label, p in _ranked(labels[word]) if p >= least and p > 0],
            }
            for word in range(1, len(sentence) + 1)
        ]


def _ranked(probabilities: Any) -> list[tuple[int, float]]:
    order = (-probabilities).argsort(kind="stable")
    return list(zip(order.tolist(), probabilities[order].tolist(), strict=True))


def _with_tree_of(sentence: ParsedSentence, given: Sentence) -> ParsedSentence:
    """The sentence with its tags, and of its tree what was given."""
    result = sentence.copy()
    result.heads, result.deprels, result.misc = given.heads, given.deprels, given.misc
    return result


def _tokenized(model: ServedModel, asked: ParseRequest, threads: int) -> _core.Batch:
    if "words" not in model.adds:
        raise RequestError(400, f"The model '{model.name}' has no tokenizer.")
    if asked.constraints or asked.constraints_from_input:
        raise RequestError(400, "Constraints go with conllu or sentences, not with a text.")
    assert isinstance(asked.text, str)
    batch = _core.Batch()
    for found in model.pipeline.tokenizer.batches([asked.text.encode()], threads=threads):
        batch.append(found)
    return batch


def _bind_all(sentences: Sequence[Sentence], asked: ParseRequest) -> None:
    if len(asked.constraints) > len(sentences):
        raise RequestError(400, f"There are constraints for more than the {len(sentences)} sentences.")
    if not (asked.constraints or asked.constraints_from_input):
        return
    constraints = [*asked.constraints, *[None] * (len(sentences) - len(asked.constraints))]
    for place, (sentence, own) in enumerate(zip(sentences, constraints, strict=True)):
        try:
            bind(sentence, own, asked.constraints_from_input)
        except RequestError as error:
            raise RequestError(error.status, error.reason, sentence=place) from None
        except ArboraError as error:
            raise RequestError(400, f"{error}.", sentence=place) from None


def read_judge(model: ServedModel, asked: JudgeRequest, limits: Limits, threads: int = 1) -> Task:
    """The same of a request for judgements."""
    if (asked.conllu is UNSET) == (asked.sentences is UNSET):
        raise RequestError(400, "Exactly one of conllu and sentences is needed.")
    if "heads" not in model.adds:
        raise RequestError(400, f"The model '{model.name}' has no parser of dependencies.")
    sentences = read_sentences(asked.conllu, asked.sentences, limits, _core.TreeCheck.range)
    rules = None if asked.rules is None else read_rules(asked.rules)
    options = ParseOptions(threads=threads)

    def judged(part: _core.Batch) -> list[bytes]:
        from arbora.evaluation.judging import judge

        found = judge(
            to_sentences([part]),
            model.pipeline,
            alternatives=asked.alternatives,
            rules=rules,
            options=options,
        )
        return [encode(one.to_dict()) for one in found]

    return Task(make_batch(sentences), ("judge", model.name), [], judged)


def models_answer(models: ServedModels) -> ModelsAnswer:
    """What there is to ask.

    >>> from arbora.server.models import load_served
    >>> models_answer(ServedModels([load_served("en")])).models[0].upos[:2]
    ['ADJ', 'ADP']
    """
    return ModelsAnswer(
        version=arbora.__version__,
        default=models.default.name,
        models=[
            ModelData(
                name=model.name,
                title=model.title,
                adds=list(model.adds),
                labels=model.known("deprels"),
                upos=model.known("upos"),
                card=model.card,
            )
            for model in models
        ],
    )


def check_json(request: Request) -> None:
    """RequestError if a body is not said to be JSON; so pages of other sites cannot send it unasked."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise RequestError(415, f"The Content-Type must be {JSON}.")


def answer(body: bytes, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(body, status, media_type=JSON)


def routes(service: Service) -> list[Route]:
    """The addresses."""
    known = encode(models_answer(service.models))
    described = encode(document())

    async def list_models(request: Request) -> Response:
        return answer(known)

    async def describe(request: Request) -> Response:
        return answer(described)

    def endpoint(kind: type[Any], read: Callable[..., Task]) -> Callable[[Request], Any]:
        async def work(request: Request) -> Response:
            check_json(request)
            service.queue.check_room()
            with service.bodies.room(request):
                body = await service.bodies.read(request)
                asked = await service.read(len(body), read_json, body, kind)
                model = service.model(request, asked.model)
                task = await service.read(len(body), read, model, asked, service.limits, service.threads)
                found = await service.run(task)
                text = getattr(asked, "text", UNSET)
                head = {"model": model.name} | ({} if text is UNSET else {"text": text})
                sentences = b",".join(one for part in found for one in part)
                return answer(encode(head)[:-1] + b',"sentences":[' + sentences + b"]}")

        return work

    return [
        Route("/v1/models", list_models, methods=["GET"]),
        Route("/v1/openapi.json", describe, methods=["GET"]),
        Route("/v1/parse", endpoint(ParseRequest, read_parse), methods=["POST"]),
        Route("/v1/judge", endpoint(JudgeRequest, read_judge), methods=["POST"]),
    ]
