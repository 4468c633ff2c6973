"""The treebank file: saved atomically, everything else the same bytes, and no change lost to another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import httpx
import pytest
from server_cases import ask, two_models

from arbora.errors import FileError
from arbora.server.app import make_app
from arbora.server.json_types import TreebankEdit
from arbora.server.limits import RequestError
from arbora.server.treebank_file import ConflictError, TreebankFile

ROW = "{}\t{}\t_\t_\t_\t_\t{}\t_\t_\t_\n"
FIRST = "# sent_id = a\n" + ROW.format(1, "Dogs", 2) + ROW.format(2, "bark", 0)
SECOND = "# odd  comment \r\n" + ROW.format(1, "Größe", "_").replace("\n", "\r\n")
THIRD = ROW.format(1, "Go", 0)
WHOLE = ("\n" + FIRST + "\n\n\n" + SECOND + "\r\n" + THIRD).encode()
"""With empty lines at odd places, other ends of lines in the second sentence, and none at the end."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    own = tmp_path / "own.conllu"
    own.write_bytes(WHOLE)
    return own


def app_of(path: Path) -> Any:
    return make_app(two_models(), treebank=TreebankFile(path))


def put(app: Any, place: int, conllu: str, version: str, **named: Any) -> httpx.Response:
    edit = {"conllu": conllu, "version": version}
    return ask("PUT", f"/v1/treebank/sentences/{place}", app=app, json=edit, **named)


def test_all_is_shown_as_it_is_in_the_file(path):
    found = ask("GET", "/v1/treebank", app=app_of(path)).json()
    assert found["name"] == "own.conllu"
    blocks = [sentence["conllu"] for sentence in found["sentences"]]
    assert "\n" + "".join(blocks) == WHOLE.decode()
    assert len({sentence["version"] for sentence in found["sentences"]} | {found["version"]}) == 4


@pytest.mark.parametrize("place", range(3))
def test_a_change_leaves_all_else_the_same_bytes(path, place):
    os.chmod(path, 0o640)
    app = app_of(path)
    before = ask("GET", "/v1/treebank", app=app).json()
    old = before["sentences"][place]
    new = ROW.format(1, "Neu", 0)
    response = put(app, place, new, old["version"])
    assert response.status_code == 200
    ends = ["\n\n\n\n", "\r\n\r\n", "\n"][place]
    written = new.rstrip("\n") + ends
    assert path.read_bytes() == WHOLE.replace(old["conllu"].encode(), written.encode())
    after = ask("GET", "/v1/treebank", app=app).json()
    assert after["sentences"][place] == {"conllu": written, "version": response.json()["version"]}
    assert after["version"] != before["version"]
    assert [p.name for p in path.parent.iterdir()] == ["own.conllu"]
    assert path.stat().st_mode & 0o777 == 0o640


def test_two_tabs_cannot_overwrite_each_other(path):
    app = app_of(path)
    version = ask("GET", "/v1/treebank", app=app).json()["sentences"][0]["version"]
    mine, yours = ROW.format(1, "Mine", 0), ROW.format(1, "Yours", 0)
    saved = put(app, 0, mine, version)
    refused = put(app, 0, yours, version)
    assert refused.status_code == 409
    assert refused.json()["conllu"].startswith(mine.rstrip())
    assert refused.json()["version"] == saved.json()["version"]
    assert b"Yours" not in path.read_bytes()
    assert put(app, 0, yours, refused.json()["version"]).status_code == 200


def test_what_another_program_writes_is_noticed(path):
    own = TreebankFile(path)
    versions = [sentence.version for sentence in own.shown().sentences]
    path.write_bytes(WHOLE.replace(b"Dogs", b"Cats"))
    with pytest.raises(ConflictError) as error:
        own.save(0, TreebankEdit(THIRD, versions[0]))
    assert "Cats" in error.value.conflict.conllu
    own.save(2, TreebankEdit(ROW.format(1, "Stay", 0), versions[2]))  # that one is the same
    assert b"Cats" in path.read_bytes()
    assert b"Stay" in path.read_bytes()


def test_a_program_that_writes_just_before_the_name_is_given(path, monkeypatch):
    own = TreebankFile(path)
    version = own.shown().sentences[0].version
    sync = os.fsync

    def meanwhile(number: int) -> None:
        sync(number)
        path.write_bytes(WHOLE.replace(b"Dogs", b"Cats"))

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(ConflictError, match="just been changed"):
        own.save(0, TreebankEdit(THIRD, version))
    assert path.read_bytes() == WHOLE.replace(b"Dogs", b"Cats")


def test_a_full_disk_leaves_the_file_as_it_was(path, monkeypatch):
    own = TreebankFile(path)
    version = own.shown().sentences[0].version

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RequestError, match="No space left"):
        own.save(0, TreebankEdit(THIRD, version))
    assert path.read_bytes() == WHOLE
    assert [p.name for p in path.parent.iterdir()] == ["own.conllu"]


@pytest.mark.parametrize(
    ("conllu", "reason"),
    [
        ("# one\n1\tx\n", "conllu:2: sentence #1: "),
        ("", "the block must have one sentence, and has 0"),
        (THIRD + "\n" + THIRD, "the block must have one sentence, and has 2"),
        (ROW.format(1, "x", 7), "conllu:1: sentence #1: "),
    ],
)
def test_blocks_that_break_the_format_are_refused(path, conllu, reason):
    app = app_of(path)
    version = ask("GET", "/v1/treebank", app=app).json()["sentences"][0]["version"]
    response = put(app, 0, conllu, version)
    assert response.status_code == 400
    assert response.json()["error"].startswith(reason)
    assert path.read_bytes() == WHOLE


def test_only_the_servers_own_page_may_write(path):
    app = app_of(path)
    version = ask("GET", "/v1/treebank", app=app).json()["sentences"][0]["version"]
    for origin in ("http://evil.example", "null", "http://localhost:1"):
        assert put(app, 0, THIRD, version, headers={"origin": origin}).status_code == 403
    plain = {"content-type": "text/plain"}
    response = ask("PUT", "/v1/treebank/sentences/0", app=app, content=b"{}", headers=plain)
    assert response.status_code == 415
    misled = put(app, 0, THIRD, version, headers={"host": "evil.example"})
    assert (misled.status_code, list(misled.json())) == (421, ["error"])
    shown = ask("GET", "/v1/treebank", app=app, headers={"origin": "http://evil.example"})
    assert "access-control-allow-origin" not in shown.headers
    assert path.read_bytes() == WHOLE
    assert put(app, 0, THIRD, version, headers={"origin": "http://localhost"}).status_code == 200


def test_without_a_treebank_there_is_none():
    assert ask("GET", "/v1/treebank").status_code == 404
    assert ask("PUT", "/v1/treebank/sentences/0", json={"conllu": "", "version": ""}).status_code == 404


def test_places_that_are_none(path):
    assert put(app_of(path), 3, THIRD, "x").status_code == 404
    assert ask("PUT", "/v1/treebank/sentences/-1", app=app_of(path), json={}).status_code == 404


def test_a_file_that_breaks_the_format_is_not_served(tmp_path):
    broken = tmp_path / "broken.conllu"
    broken.write_text("1\tx\n")
    with pytest.raises(FileError, match=r"broken.conllu:1: "):
        TreebankFile(broken)
    with pytest.raises(FileError, match="No such file"):
        TreebankFile(tmp_path / "none.conllu")
