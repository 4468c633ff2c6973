"""The OpenAPI file: schemathesis asks what it allows, and what it does not, and holds answers to it."""

from __future__ import annotations

from functools import cache
from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)
from server_cases import ask, two_models

from arbora.server.app import make_app

EXAMPLES = 10


@cache
def app() -> Any:
    return make_app(two_models(), names=["testserver"])


generation = GenerationConfig(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
config = SchemathesisConfig(projects=ProjectsConfig(default=ProjectConfig(generation=generation)))
schema = schemathesis.openapi.from_asgi("/v1/openapi.json", app(), config=config)


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_answers_are_what_the_file_says(case: schemathesis.Case) -> None:
    # What a model cannot do is refused, though the file cannot say it: so not all that it allows is accepted.
    case.call_and_validate(
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
            negative_data_rejection,
        ]
    )


def test_every_address_of_the_api_is_in_the_file():
    paths = ask("GET", "/v1/openapi.json").json()["paths"]
    assert list(paths) == [
        "/v1/models",
        "/v1/parse",
        "/v1/judge",
        "/v1/treebank",
        "/v1/treebank/sentences/{place}",
    ]
