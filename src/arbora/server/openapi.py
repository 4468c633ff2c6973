"""The OpenAPI file of the JSON API, made of the types that check requests."""

from __future__ import annotations

from typing import Any

import msgspec

import arbora
from arbora.server import json_types

TYPES = (
    json_types.ParseRequest,
    json_types.ParseAnswer,
    json_types.JudgeRequest,
    json_types.JudgeAnswer,
    json_types.ModelsAnswer,
    json_types.TreebankEdit,
    json_types.TreebankAnswer,
    json_types.Saved,
    json_types.Conflict,
    json_types.Failure,
)


def document(treebank: bool = True) -> dict[str, Any]:
    """The whole file, as plain data; without a ``treebank``, its addresses are left out.

    >>> document()["paths"]["/v1/parse"]["post"]["operationId"]
    'parse'
    """
    _, schemas = msgspec.json.schema_components(TYPES, ref_template="#/components/schemas/{name}")
    paths = {
        "/v1/models": {"get": _operation("models", "The models of the server.", "ModelsAnswer")},
        "/v1/parse": {
            "post": _operation("parse", "Trees for a text, or for sentences.", "ParseAnswer", "ParseRequest")
        },
        "/v1/judge": {
            "post": _operation("judge", "What a model thinks of trees.", "JudgeAnswer", "JudgeRequest")
        },
    }
    if treebank:
        paths |= _treebank_paths()
    return {
        "openapi": "3.1.0",
        "info": {"title": "Arbora", "version": arbora.__version__, "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _treebank_paths() -> dict[str, Any]:
    edit = _operation("save", "Save a sentence of the treebank file.", "Saved", "TreebankEdit")
    edit["responses"]["409"] = _answer("The file has something else there.", "Conflict")
    edit["responses"]["507"] = _answer("The disk does not take it.", "Failure")
    edit["parameters"] = [
        {
            "name": "place",
            "in": "path",
            "required": True,
            "description": "Which sentence, from 0.",
            "schema": {"type": "integer", "minimum": 0},
        }
    ]
    return {
        "/v1/treebank": {"get": _operation("treebank", "The treebank file.", "TreebankAnswer")},
        "/v1/treebank/sentences/{place}": {"put": edit},
    }


def _operation(name: str, summary: str, answer: str, request: str | None = None) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "responses": {"200": _answer(summary, answer)},
    }
    refusals = {"400": "The request is wrong.", "503": "The server is busy."}
    if name in ("treebank", "save"):
        refusals["404"] = "There is no such sentence, or no treebank."
    if request is not None:
        operation["requestBody"] = {"required": True, "content": _content(request)}
        refusals |= {
            "403": "The request comes from a page of another site.",
            "408": "The request took too long to arrive.",
            "413": "The request is too large.",
            "415": "The request is not said to be JSON.",
        }
    operation["responses"] |= {code: _answer(reason, "Failure") for code, reason in refusals.items()}
    return operation


def _answer(description: str, schema: str) -> dict[str, Any]:
    return {"description": description, "content": _content(schema)}


def _content(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
