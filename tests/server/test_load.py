"""The queue and the gate: what waits is one batch, nothing is lost, what is too much is refused kindly."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from server_cases import all_at_once, ask, client, two_model_app, two_models
from server_requests import ask_all

import arbora
from arbora import _core
from arbora.server.app import make_app
from arbora.server.limits import Limits, RequestError, is_own_host
from arbora.server.metrics import Metrics
from arbora.server.queue import PIECE, Task, WorkQueue
from arbora.treebank import Sentence
from arbora.treebank.batches import make_batch, to_sentences


def task(*lengths: int, kind: str = "same", steps: Any = (), name: str = "w") -> Task:
    sentences = [Sentence([f"{name}{place}"] * length) for place, length in enumerate(lengths)]
    return Task(make_batch(sentences), kind, steps, lambda part: [s.forms for s in to_sentences([part])])


class Recorded:
    """A step that remembers the sizes of batches; the first one waits until it may go on."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.go = threading.Event()

    def __call__(self, batch: _core.Batch) -> _core.Batch:
        self.sizes.append(len(batch))
        assert self.go.wait(20)
        return batch


def run_together(tasks: list[Task], step: Recorded, limits: Limits | None = None) -> list[Any]:
    """What a queue gives for tasks that all wait while the worker is busy with the first."""

    async def together() -> list[Any]:
        queue = WorkQueue(limits or Limits(), Metrics())
        waiting = [asyncio.ensure_future(queue.run(one)) for one in tasks]
        await asyncio.sleep(0.05)
        step.go.set()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert len(queue) == 0
        queue.close()
        return found

    return asyncio.run(together())


def test_what_waits_is_worked_on_as_one_batch_and_cut_apart():
    step = Recorded()
    tasks = [task(2, 1, steps=[step], name=f"t{number}.") for number in range(10)]
    found = run_together(tasks, step)
    assert step.sizes == [2, 18]
    for number, parts in enumerate(found):
        assert parts == [[[f"t{number}.0"] * 2, [f"t{number}.1"]]]


def test_other_kinds_are_other_batches():
    step = Recorded()
    tasks = [task(1, kind=kind, steps=[step]) for kind in "xabab"]
    run_together(tasks, step)
    assert step.sizes == [1, 2, 2]


def test_a_long_text_does_not_keep_short_ones_waiting():
    step = Recorded()
    done: list[str] = []
    long = task(*[PIECE] * 40, steps=[step])
    short = task(1, steps=[step])
    for name, one in (("long", long), ("short", short)):
        object.__setattr__(one, "finish", lambda part, name=name: done.append(name))
    run_together([long, short], step, Limits(batch=2 * PIECE))
    assert done.count("long") == 40
    assert done.index("short") < 5


def test_sentences_and_order_survive_any_load():
    chance = random.Random(3)
    step = Recorded()
    tasks = [
        task(*[chance.randrange(40) for _ in range(chance.randrange(60))], steps=[step], name=f"{n}-")
        for n in range(30)
    ]
    expected = [[s.forms for s in to_sentences([make_batch_of(one)])] for one in tasks]
    found = run_together(tasks, step, Limits(batch=500))
    assert [[own for part in parts for own in part] for parts in found] == expected


def make_batch_of(one: Task) -> _core.Batch:
    """A copy of a task's sentences."""
    return one.batch.repeated([1] * len(one.batch))


def test_a_task_that_fails_fails_alone():
    def fragile(batch: _core.Batch) -> _core.Batch:
        if any(s.forms[:1] == ["bad0"] for s in to_sentences([make_batch_of(Task(batch, "", (), len))])):
            raise RuntimeError("bad")
        return batch

    step = Recorded()
    tasks = [task(1, 1, steps=[step, fragile], name=name) for name in ("first", "good", "bad", "fine")]
    found = run_together(tasks, step)
    assert [isinstance(own, RuntimeError) for own in found] == [False, False, True, False]
    assert found[3] == [[["fine0"], ["fine1"]]]


def test_a_full_queue_and_a_slow_one_say_when_to_come_again():
    step = Recorded()
    tasks = [task(1, steps=[step]) for _ in range(5)]
    found = run_together(tasks, step, Limits(waiting=2))
    refused = [own for own in found if isinstance(own, RequestError)]
    assert len(refused) == 2
    assert all(own.status == 503 and own.retry_after and own.retry_after >= 1 for own in refused)
    assert sum(own == [[["w0"]]] for own in found) == 3


def test_what_would_be_too_late_is_refused_at_once():
    step = Recorded()
    queue_speed = 10_000  # words a second, before anything was measured
    tasks = [task(*[100] * 90, steps=[step]) for _ in range(3)]
    found = run_together(tasks, step, Limits(seconds=20_000 / queue_speed))
    assert [isinstance(own, RequestError) for own in found] == [False, False, True]
    assert found[2].retry_after == 2


def test_nobody_waits_for_longer_than_the_limit():
    async def given_up() -> None:
        step = Recorded()
        queue = WorkQueue(Limits(seconds=0.05), Metrics())
        with pytest.raises(RequestError, match=r"longer than 0\.05 seconds") as error:
            await queue.run(task(1, steps=[step]))
        assert (error.value.status, error.value.retry_after) == (503, 1)
        step.go.set()
        assert len(queue) == 0
        queue.close()

    asyncio.run(given_up())


def test_answers_are_the_same_whatever_else_is_asked():
    texts = [f"Number {n} barks. The dog that you saw {'again ' * (n % 7)}is {n}." for n in range(60)]
    fields = {"tokenizer": "", "tagger": "", "parser": ""}

    def requests(own: httpx.AsyncClient) -> list[Any]:
        return [own.post("/process", data={**fields, "data": text}) for text in texts]

    found = all_at_once(two_model_app(), requests)
    for text, response in zip(texts, found, strict=True):
        assert response.json()["result"].endswith(arbora.load()(text).to_conllu())


def test_bodies_that_are_too_large_or_too_many_together():
    app = make_app(two_models(), Limits(body=1000, held=1500))
    small, large = {"data": "x" * 500}, {"data": "x" * 2000}
    assert ask("POST", "/process", app=app, data=large).status_code == 413

    def requests(own: httpx.AsyncClient) -> list[Any]:
        return [own.post("/process", data={**small, "input": "vertical"}) for _ in range(5)]

    codes = [response.status_code for response in all_at_once(app, requests)]
    assert sorted(codes) == [200, 200, 503, 503, 503]
    assert ask("POST", "/process", app=app, data={**small, "input": "vertical"}).status_code == 200

    def endless() -> Iterator[bytes]:
        yield from [b"data="] + [b"x" * 400] * 1000

    async def stream() -> httpx.Response:
        async def pieces() -> Any:
            for piece in endless():
                yield piece

        async with client(app) as own:
            kind = {"content-type": "application/x-www-form-urlencoded"}
            return await own.post("/process", content=pieces(), headers=kind)

    assert asyncio.run(stream()).status_code == 413


def test_headers_that_are_too_large():
    for size, status in ((60_000, 200), (70_000, 400)):
        response = ask("GET", "/health", headers={"x-large": "x" * size})
        assert response.status_code == status
    assert response.text == "The headers are larger than 65536 bytes."
    both = ask("GET", "/health?x=" + "x" * 40_000, headers={"x-large": "x" * 40_000})
    assert both.status_code == 400
    assert ask("GET", "/health", headers=[("x", "")] * 40_000).status_code == 400


def test_metrics_count_what_happens():
    app = make_app(two_models())
    ask("GET", "/process?data=Dogs%20bark.&tokenizer&model=other", app=app)
    ask("GET", "/process", app=app)
    ask("GET", "/no/such/<place>", app=app)
    assert ask("GET", "/health", app=app).text == "ok\n"
    text = ask("GET", "/metrics", app=app).text
    for line in (
        'arbora_requests_total{code="200",endpoint="/process",model="other"} 1.0',
        'arbora_requests_total{code="400",endpoint="/process",model="english-ewt-ud"} 1.0',
        'arbora_requests_total{code="404",endpoint="other",model=""} 1.0',
        "arbora_request_duration_seconds_count 4.0",
        "arbora_batch_sentences_sum 1.0",
        "arbora_words_total 3.0",
        "arbora_queue_length 0.0",
        f'arbora_build_info{{version="{arbora.__version__}"}} 1.0',
    ):
        assert line in text.split("\n")


def test_every_answer_keeps_browsers_from_what_they_should_not_do():
    for path in ("/", "/models", "/v1/models", "/nowhere", "/metrics"):
        headers = ask("GET", path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("localhost", True),
        ("LOCALHOST:80", True),
        ("127.0.0.1:8000", True),
        ("[::1]", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
        ("localhost:x", False),
        ("127.0.0.1.evil.example", False),
        ("localhost@evil.example", False),
    ],
)
def test_names_of_the_server(host, is_own):
    assert is_own_host(host, ["localhost"]) == is_own
    assert ask("GET", "/health", headers={"host": host}).status_code == (200 if is_own else 421)


def test_limits_are_checked():
    with pytest.raises(arbora.errors.ArboraError, match="limit seconds must be greater"):
        Limits(seconds=0).check()
    with pytest.raises(arbora.errors.ArboraError, match="held must be at least"):
        Limits(held=10, body=20).check()


def test_random_requests_never_fail():
    codes = asyncio.run(ask_all(make_app(two_models()), 600, seed=7))
    assert sum(codes.values()) == 600
    assert {200, 400, 404, 405, 415, 421} <= set(codes)
