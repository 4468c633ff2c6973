"""UDPipe's REST, as UDPipe 2 has it, so that its clients need no change.

`read_process` and `Process` are the work of a request without a server; the endpoints add HTTP and the queue.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import arbora
from arbora import _core
from arbora.dependency import ParseOptions
from arbora.errors import FileError
from arbora.pipeline.pipeline import Pipeline
from arbora.server.crossing import bound_steps
from arbora.server.form_data import body_fields, urlencoded
from arbora.server.limits import Limits, RequestError
from arbora.server.models import ServedModel, ServedModels
from arbora.server.queue import Task
from arbora.server.service import Service, check_lengths
from arbora.server.udpipe_formats import READERS, WRITERS, without_spaces
from arbora.treebank.batches import make_batch, read_batches, refusal_of, to_sentences

Fields = Mapping[str, str]

CORS = {"Access-Control-Allow-Origin": "*"}
WEBLICHT: Mapping[str, Fields] = {
    "tokenize": {"tokenizer": "", "output": "conllu"},
    "tag": {"input": "conllu", "output": "conllu", "tagger": ""},
    "parse": {"input": "conllu", "output": "conllu", "parser": ""},
}
"""What these addresses ask for."""
CONLLU = ("conllu", "conllu=v2")
"""The names of CoNLL-U: there is no other version."""
GENERIC = "generic_tokenizer"
"""An input that UDPipe tokenizes by rules of its own."""
PARTS: Mapping[str, str] = {"tokenizer": "words", "tagger": "upos", "parser": "heads"}
"""What a model can do, and the column that it fills then."""


@dataclass(frozen=True, slots=True)
class Process:
    """What ``/process`` is asked for: the task, and how its result is written."""

    model: ServedModel
    task: Task
    characters: int
    output: str

    def result(self, found: Iterable[Any]) -> str:
        """The text of the answer, of what the task gave."""
        parts = list(found)
        if self.output in CONLLU:
            return b"".join(parts).decode()
        name, _, options = self.output.partition("=")
        return WRITERS[name]((sentence for part in parts for sentence in part), options)


def process(models: ServedModels, fields: Fields, limits: Limits | None = None) -> str:
    r"""The ``result`` that ``/process`` answers these fields with.

    >>> from arbora.server.models import load_served
    >>> models = ServedModels([load_served("en")])
    >>> process(models, {"data": "Dogs bark.", "tokenizer": "", "output": "vertical"})
    'Dogs\nbark\n.\n\n'
    """
    asked = read_process(models.named(fields.get("model")), fields, limits or Limits())
    return asked.result(asked.task.done())


def read_process(model: ServedModel, fields: Fields, limits: Limits, threads: int = 1) -> Process:
    """What these fields ask for; RequestError if that cannot be done."""
    if "data" not in fields:
        raise RequestError(400, "The parameter 'data' is required.")
    output = fields.get("output", CONLLU[0])
    if output not in CONLLU and output.partition("=")[0] not in WRITERS:
        raise RequestError(400, f"Unknown output format '{output}'.")
    tags, trees = _is_on(fields, "tagger"), _is_on(fields, "parser")
    _check_model(model, fields, tags, trees)
    constraints = trees and "constraints" in fields["parser"].split(";")
    options = ParseOptions(constraints=constraints, threads=threads)
    # A parser wants tags; where nobody asked for new ones, those that are there stay.
    part = model.part(tags or trees, trees)
    batch = read_input(part, fields, options)
    check_lengths(batch.lengths, limits)
    kind = ("udpipe", model.name, tags, trees, options)
    task = Task(batch, kind, bound_steps(part, options, keep_tags=not tags), _finisher(output))
    return Process(model, task, batch.characters, output)


def read_input(part: Pipeline, fields: Fields, options: ParseOptions) -> _core.Batch:
    """The sentences of the data; RequestError if there are none in it."""
    data = unicodedata.normalize("NFC", fields["data"])
    input = fields.get("input", CONLLU[0])
    name, _, input_options = input.partition("=")
    if _is_on(fields, "tokenizer") or name == GENERIC:
        own = fields["tokenizer"] if _is_on(fields, "tokenizer") else input_options
        return _tokenized(part, data, own.split(";"), options.threads)
    encoded = data.replace("\r\n", "\n").encode()
    try:
        if input in CONLLU:
            batches = read_batches([encoded], threads=options.threads, check=part.check(options))
            return _joined(batches)
        if name in READERS:
            return make_batch(list(READERS[name](encoded)))
    except FileError as error:
        error.file = "data"
        raise RequestError(400, f"Cannot parse the input in '{name}' format: {error}") from None
    raise RequestError(400, f"Cannot parse the input in '{input}' format: there is no such format.")


def header(model: ServedModel) -> str:
    """The comments that CoNLL-U of this model begins with."""
    return (
        f"# generator = Arbora {arbora.__version__}\n"
        f"# udpipe_model = {model.name}\n"
        f"# udpipe_model_licence = {model.licence}\n"
    )


def _is_on(fields: Fields, name: str) -> bool:
    return fields.get(name, "none") != "none"


def _check_model(model: ServedModel, fields: Fields, tags: bool, trees: bool) -> None:
    raw = _is_on(fields, "tokenizer") or fields.get("input", "").startswith(GENERIC)
    for (part, column), wanted in zip(PARTS.items(), (raw, tags, trees), strict=True):
        if wanted and column not in model.adds:
            raise RequestError(400, f"The model '{model.name}' has no {part}.")


def _tokenized(part: Pipeline, text: str, own: list[str], threads: int) -> _core.Batch:
    batch = _joined(
        part.tokenizer.batches(
            [text.encode()], ranges="ranges" in own, lines="presegmented" in own, threads=threads
        )
    )
    if "normalized_spaces" not in own:
        return batch
    sentences = list(to_sentences([batch]))
    for sentence in sentences:
        without_spaces(sentence)
    return make_batch(sentences)


def _joined(batches: Iterable[_core.Batch]) -> _core.Batch:
    result = _core.Batch()
    for batch in batches:
        result.append(batch)
    return result


def _finisher(output: str) -> Any:
    def finish(part: _core.Batch) -> Any:
        if part.sound < len(part):
            raise RequestError(400, f"{refusal_of(part)}.")
        return part.to_conllu() if output in CONLLU else list(to_sentences([part]))

    return finish


def routes(service: Service) -> list[Route]:
    """The addresses."""

    async def list_models(request: Request) -> Response:
        with service.bodies.room(request):
            await _fields(request, service)  # what is wrong with them is said here too
        models = {
            model.name: [part for part, column in PARTS.items() if column in model.adds]
            for model in service.models
        }
        answer = {"models": models, "default_model": service.models.default.name}
        return Response(json.dumps(answer, indent=1), media_type="application/json", headers=CORS)

    async def answer_process(request: Request) -> Response:
        service.queue.check_room()
        with service.bodies.room(request):
            fields = await _fields(request, service)
            asked, found = await _run(request, service, fields)
            return await service.read(asked.characters, _json_answer, asked, found)

    async def weblicht(request: Request) -> Response:
        service.queue.check_room()
        with service.bodies.room(request):
            own = WEBLICHT[request.scope["path"].rpartition("/")[2]]
            fields = _query(request)
            if request.method == "POST":
                try:
                    data = (await service.bodies.read(request)).decode()
                except UnicodeDecodeError:
                    raise RequestError(400, "The payload is not in UTF-8 encoding.") from None
                fields = {name: value for name, value in fields.items() if name == "model"}
                fields = {**fields, "data": data}
            asked, found = await _run(request, service, {**fields, **own})
            return Response(asked.result(found), media_type="application/conllu", headers=CORS)

    both = ["GET", "POST"]
    return [
        Route("/models", list_models, methods=both),
        Route("/process", answer_process, methods=both),
        *(Route(f"/weblicht/{what}", weblicht, methods=both) for what in WEBLICHT),
    ]


async def _run(request: Request, service: Service, fields: Fields) -> tuple[Process, list[Any]]:
    model = service.model(request, fields.get("model"))
    size = len(fields.get("data", ""))
    asked = await service.read(size, read_process, model, fields, service.limits, service.threads)
    return asked, await service.run(asked.task)


async def _fields(request: Request, service: Service) -> Fields:
    """The parameters of the query and of the body, which counts more."""
    fields = _query(request)
    if request.method == "POST":
        body = await service.bodies.read(request)
        content_type = request.headers.get("content-type", "")
        fields |= await service.read(len(body), body_fields, body, content_type)
    return fields


def _query(request: Request) -> dict[str, str]:
    return urlencoded(request.scope["query_string"], "request URL")


def _json_answer(asked: Process, found: list[Any]) -> Response:
    text = asked.result(found)
    if asked.output in CONLLU:
        text = header(asked.model) + text
    card = asked.model.card
    thanks = [str(card[key]) for key in ("data", "url") if card.get(key)]
    answer = {"model": asked.model.name, "acknowledgements": thanks, "result": text}
    return Response(
        json.dumps(answer, indent=1, ensure_ascii=False) + "\n",
        media_type="application/json",
        headers={**CORS, "X-Billing-Input-NFC-Len": str(asked.characters)},
    )
