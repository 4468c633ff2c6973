"""Real clients against a real server: UDPipe's own protocol, udapi, curl; and how the server ends."""

from __future__ import annotations

import email.mime.multipart
import email.mime.nonmultipart
import email.policy
import http.client
import json
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from server_cases import RunningServer, own_command, running_server, until
from udapi.core.bundle import Bundle
from udapi.core.document import Document
from udapi.tool.udpipeonline import UDPipeOnline

import arbora
from arbora.server.running import bound

NAMED = "english-ewt-ud=en"
TEXT = "Dogs bark. Cats meow loudly.\n"


@pytest.fixture(scope="module")
def server():
    with running_server("--model", NAMED, "--arrival", "1", "--body", "2") as running:
        yield running


def like_udpipe2_client(server: str, fields: dict[str, str]) -> dict[str, Any]:
    """A request as UDPipe's own client makes it: a mail in parts, with all line ends as mail has them."""
    message = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in fields.items():
        part = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    body = message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]
    request = urllib.request.Request(f"{server}/process", body, {"Content-Type": message["Content-Type"]})
    with urllib.request.urlopen(request, timeout=30) as response:
        found: dict[str, Any] = json.loads(response.read())
    return found


def test_the_protocol_of_udpipes_own_client(server):
    asked = {"input": "conllu", "output": "conllu", "tokenizer": "", "tagger": "", "parser": ""}
    found = like_udpipe2_client(server.address, {**asked, "data": "Größe zählt. Dogs bark."})
    expected = arbora.load()("Größe zählt. Dogs bark.").to_conllu()
    assert found["result"].partition("licence = CC BY-SA 4.0\n")[2] == expected
    again = like_udpipe2_client(server.address, {"input": "conllu", "data": found["result"], "parser": ""})
    assert again["result"].count("\n") == found["result"].count("\n") + 3
    assert "\r" not in again["result"]


def test_udapi(server):
    online = UDPipeOnline("english-ewt", server.address)
    assert online.list_models() == ["english-ewt-ud"]
    assert online.segment_text(TEXT) == ["Dogs bark.", "Cats meow loudly."]
    tree = Bundle(document=Document()).create_tree()
    tree.text = "Dogs bark."
    online.tokenize_tag_parse_tree(tree, ranges=True)
    expected = arbora.load()("Dogs bark.")[0]
    assert [node.form for node in tree.descendants] == expected.forms
    assert [node.parent.ord for node in tree.descendants] == expected.heads
    assert [str(node.misc["TokenRange"]) for node in tree.descendants] == ["0:4", "5:9", "9:10"]
    for node in tree.descendants:
        node.upos = "X"
    online.tag_parse_tree(tree)
    assert [node.upos for node in tree.descendants] == expected.upos


@pytest.mark.parametrize("sends", ["curl", "by hand"] if shutil.which("curl") else ["by hand"])
def test_curl_sends_a_file_of_more_than_a_megabyte(server, tmp_path, sends):
    book = tmp_path / "book.txt"

    def post(lines: int) -> bytes:
        book.write_text(("x" * 1000 + "\n") * lines, "utf-8")
        if sends == "by hand":
            return like_curl(server, {"data": book.read_bytes(), "input": b"horizontal"})
        fields = ["-F", f"data=@{book}", "-F", "input=horizontal"]
        command = ["curl", "-s", *fields, f"{server.address}/process"]
        return subprocess.run(command, capture_output=True, check=True).stdout

    assert json.loads(post(1200))["result"].count("# sent_id") == 1200
    assert post(2200).decode() == f"The body is larger than {2 << 20} bytes."


def like_curl(server: RunningServer, fields: dict[str, bytes]) -> bytes:
    """What the server answers a form that curl sends: the file has a name and a type."""
    body = b""
    for name, value in fields.items():
        file = '; filename="book.txt"\r\nContent-Type: text/plain' if name == "data" else ""
        head = f'--limit\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
        body += head.encode() + value + b"\r\n"
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    kind = "multipart/form-data; boundary=limit"
    connection.request("POST", "/process", body + b"--limit--\r\n", {"Content-Type": kind})
    answer = connection.getresponse().read()
    connection.close()
    return answer


def connect(server: RunningServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=20)


def get(server: RunningServer, path: str) -> tuple[int, bytes, http.client.HTTPMessage]:
    """The status, the body and the headers that an address is answered with, on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    found = response.status, response.read(), response.headers
    connection.close()
    return found


def told(connection: socket.socket) -> bytes:
    """All that the server says until it hangs up."""
    said = b""
    while piece := connection.recv(65536):
        said += piece
    return said


def test_slow_headers_are_hung_up_on(server):
    with connect(server) as silent, connect(server) as slow:
        started = time.monotonic()
        for _ in range(4):
            slow.sendall(b"X")
            time.sleep(0.2)
        assert told(slow) == told(silent) == b""
        assert time.monotonic() - started < 10


def test_slow_bodies_get_408_and_a_closed_connection(server):
    head = b"POST /process HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nda"
    with connect(server) as slow:
        slow.sendall(head)
        assert told(slow).startswith(b"HTTP/1.1 408 ")


def test_huge_headers_and_bytes_that_are_no_request_are_refused(server):
    huge = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ".ljust((64 << 10) + 1, b"x")
    for request in (huge, b"\x16\x03\x01\xff\r\n\r\n"):
        with connect(server) as connection:
            connection.sendall(request)
            assert told(connection).startswith(b"HTTP/1.1 400 ")


def test_a_connection_too_many_is_told_when_to_come_again():
    with running_server("--model", NAMED, "--connections", "1", "--arrival", "600") as own:
        with connect(own):  # which is accepted before any other
            status, _, headers = get(own, "/health")
            assert (status, headers["Retry-After"], headers["Connection"]) == (503, "1", "close")
            assert headers["X-Content-Type-Options"] == "nosniff"
        until(lambda: get(own, "/health")[0] == 200, 60)

        def is_counted() -> bool:
            # Until the last connection is closed, this one is refused too.
            status, text = get(own, "/metrics")[:2]
            assert status in (200, 503)
            return b'arbora_requests_total{code="503",endpoint="/health"' in text

        until(is_counted, 60)


def test_only_the_servers_own_names_are_answered(server):
    for host, status in (("evil.example", 421), ("localhost:1", 200), ("127.0.0.1", 200), ("[::1]:80", 200)):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("GET", "/health", headers={"Host": host})
        assert connection.getresponse().status == status
        connection.close()


def test_answers_do_not_wait_for_acknowledgements():
    """Head and body of an answer are two writes; with Nagle's algorithm the second one waits for 40 ms.

    asyncio turns that off for sockets that are said to be of TCP.
    """
    with bound("127.0.0.1", 0) as own:
        assert own.proto == socket.IPPROTO_TCP


def test_only_this_machine_is_answered_unless_it_is_said(server):
    assert server.address.startswith("http://127.0.0.1:")


def test_sigterm_finishes_what_is_under_way():
    with running_server("--model", NAMED) as own:
        results: list[dict[str, Any]] = []
        text = "Dogs bark at cats, and cats meow loudly.\n\n" * 1000
        fields = {"data": text, "tokenizer": "", "tagger": "", "parser": ""}
        asking = threading.Thread(target=lambda: results.append(like_udpipe2_client(own.address, fields)))
        asking.start()

        def is_busy() -> bool:
            with urllib.request.urlopen(f"{own.address}/metrics", timeout=20) as response:
                return b"\narbora_words_total 0.0" not in response.read()

        until(is_busy, 60)
        own.process.send_signal(signal.SIGTERM)
        asking.join(60)
        assert own.process.wait(60) == 0
        assert results[0]["result"].count("# sent_id") == 1000


def test_an_address_that_is_taken_is_one_line(server):
    done = subprocess.run(
        [*own_command(), "serve", "--model", NAMED, "--port", str(server.port)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == f"arbora: 127.0.0.1:{server.port}: Address already in use\n"


def test_no_file_is_made_of_a_request(server):
    folder = Path(f"/proc/{server.process.pid}/fd")
    if not folder.is_dir():
        pytest.skip("no /proc here")
    before = len(list(folder.iterdir()))
    like_udpipe2_client(server.address, {"data": "Dogs bark.\n" * 20_000, "input": "horizontal"})
    assert len(list(folder.iterdir())) <= before + 1
