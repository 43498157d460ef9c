"""What a phone must fetch before it shows anything: every script and style sheet comes compressed, and is kept for good."""

from typing import Any

LARGE = 1_500  # bytes: what is smaller fits into one packet as it is
MOST_SCRIPTS = 1.0e6  # bytes of scripts, style sheets and the document


def test_the_scripts_of_the_first_page_come_compressed_and_are_kept(new_page: Any, app: str) -> None:
    page, asked_for = new_page(service_workers="block"), []  # a window of its own, which has kept nothing
    page.on("requestfinished", lambda request: asked_for.append(request))
    page.goto(app)
    page.locator("#frame").wait_for(state="detached")
    kinds = ("script", "stylesheet", "document")
    texts = [asked for asked in asked_for if asked.resource_type in kinds and asked.url.startswith("http")]
    scripts = [asked for asked in texts if asked.resource_type != "document"]
    assert len(scripts) > 50
    for asked in texts:
        headers = asked.response().headers
        assert headers.get("content-encoding") == "gzip" or int(headers["content-length"]) < LARGE, asked.url
    assert {asked.url for asked in scripts if "immutable" not in asked.response().headers["cache-control"]} == set()
    assert sum(asked.sizes()["responseBodySize"] for asked in texts) < MOST_SCRIPTS
