"""The style in the document: every HTML answer has it, and nothing else is touched."""

from __future__ import annotations

import pytest

from alibi_viz.ui.shell.first_paint import FirstPaint
from tests.threads import run_in_a_thread

PAGE = b"<html><head></head><body><div id=root></div></body></html>"


def answer(accept="text/html", query=b"", kind=b"text/html; charset=utf-8", status=200, body=PAGE):
    """What FirstPaint makes of an answer that comes in two pieces: its headers, its body, and the request as it went on."""
    sent, asked = [], {}

    async def app(scope, receive, send):
        asked.update(scope)
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"etag", b"old")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body[:20], "more_body": True})
        await send({"type": "http.response.body", "body": body[20:]})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept.encode()), (b"accept-encoding", b"gzip"), (b"if-none-match", b"old")]
    scope = {"type": "http", "headers": headers, "query_string": query}
    run_in_a_thread(FirstPaint(app)(scope, None, send))
    return dict(sent[0]["headers"]), b"".join(part["body"] for part in sent[1:]), dict(asked["headers"])


def test_a_document_has_the_style_at_the_end_of_its_body():
    headers, body, asked = answer()
    assert b"</style><script>" in body
    assert body.endswith(b"</script></body></html>")
    assert b".st-key-stage_row" in body
    assert b"margin-left: 300px" in body
    assert int(headers[b"content-length"]) == len(body)
    assert b"etag" not in headers
    assert b"accept-encoding" not in asked
    assert b"if-none-match" not in asked


def test_a_presented_page_keeps_no_place_for_a_sidebar():
    _, body, _ = answer(query=b"heads=4&present=true")
    assert b".st-key-stage_row" in body
    assert b"margin-left: 300px" not in body


@pytest.mark.parametrize("other", [{"kind": b"application/json"}, {"status": 404}, {"accept": "*/*"}])
def test_other_answers_pass_unchanged(other):
    headers, body, _ = answer(**other)
    assert body == PAGE
    assert headers[b"etag"] == b"old"
