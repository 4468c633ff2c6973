"""``arbora serve``: parsers over HTTP, and the annotation page."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.errors import ArboraError
from arbora.pipeline.shipped import DEFAULT

LIMITS = "Limits"
HOST, PORT = "127.0.0.1", 8000


def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="A model that comes with Arbora, or a file; NAME=FILE serves it under that name. May be "
            f"given several times: the first is the default. By default {DEFAULT}.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(help="The address to listen on. 0.0.0.0 opens the server to other machines."),
    ] = HOST,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 is any that is free.")] = PORT,
    threads: Annotated[int, typer.Option(metavar="N", min=1, help="That work on a batch.")] = 1,
    treebank: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A CoNLL-U file that the page shows, and saves each change to."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name by which requests may call the server (their Host), such as parser.example.org; "
            "localhost and addresses in numbers are known. May be given several times.",
        ),
    ] = None,
    body: Annotated[
        float, typer.Option(metavar="MB", help="The largest body of a request.", rich_help_panel=LIMITS)
    ] = 4,
    held: Annotated[
        float,
        typer.Option(
            metavar="MB",
            help="Of the bodies of all requests under way; others get 503.",
            rich_help_panel=LIMITS,
        ),
    ] = 32,
    words: Annotated[
        int, typer.Option(metavar="N", help="Of a sentence, at most.", rich_help_panel=LIMITS)
    ] = 1000,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="S",
            help="How long a request may wait and be worked on; then it gets 503.",
            rich_help_panel=LIMITS,
        ),
    ] = 60,
    arrival: Annotated[
        float, typer.Option(metavar="S", help="How long it may take to arrive.", rich_help_panel=LIMITS)
    ] = 30,
    waiting: Annotated[
        int,
        typer.Option(metavar="N", help="Requests in the queue; others get 503.", rich_help_panel=LIMITS),
    ] = 256,
    connections: Annotated[
        int, typer.Option(metavar="N", help="That are open at once.", rich_help_panel=LIMITS)
    ] = 1000,
) -> None:
    """Serve parsers over HTTP, and the annotation page.

    Existing clients of UDPipe's REST need no change: /process, /models, /weblicht. /v1 is a JSON API with
    all that Arbora knows (/v1/openapi.json describes it), /inception/predict a recommender for INCEpTION, and
    / a page where an annotator and the parser work together. Only this machine can reach the server, unless
    --host says otherwise. SIGTERM and Ctrl-C finish what is under way. Examples:

        arbora serve
        arbora serve --treebank started.conllu
        arbora serve -m en -m german=de.arbora --host 0.0.0.0 --name parser.example.org --threads 4
        curl -F data=@book.txt -F tokenizer= -F tagger= -F parser= http://127.0.0.1:8000/process
    """
    try:
        from arbora.server.app import make_app
        from arbora.server.limits import Limits
        from arbora.server.models import ServedModels, load_served
        from arbora.server.running import serve as run
        from arbora.server.treebank_file import TreebankFile
    except ModuleNotFoundError as error:
        raise ArboraError(f"a server needs {error.name}: pip install 'arbora[server]'") from None
    limits = Limits(
        body=int(body * 2**20),
        held=int(held * 2**20),
        sentence=words,
        seconds=seconds,
        arrival=arrival,
        waiting=waiting,
        connections=connections,
    ).check()
    models = ServedModels(load_served(one) for one in model or [DEFAULT])
    served = None if treebank is None else TreebankFile(treebank)
    app = make_app(models, limits, threads=threads, names=[host, *(name or [])], treebank=served)

    def tell(address: str, own_port: int) -> None:
        shown = f"[{address}]" if ":" in address else address
        typer.echo(f"arbora serves {', '.join(own.name for own in models)} at http://{shown}:{own_port}")

    run(app, host=host, port=port, limits=limits, on_ready=tell)
