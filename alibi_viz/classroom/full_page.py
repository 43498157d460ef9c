"""What a reader sees for whom the server has no room: a page of its own, since the app cannot run for them.

It asks again by itself, so whoever leaves it open comes in as soon as somebody else leaves.
"""

from functools import cache
from html import escape
from string import Template

from alibi_viz.lessons import load

RETRY_AFTER = 20  # seconds
_PAGE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="$seconds">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1.1rem/1.6 system-ui, sans-serif;
  color: light-dark(#22262B, #E4E2DD); background: light-dark(#FDFCFA, #15181C); }
main { max-width: 34rem; padding: 1.5rem; }
h1 { font: 600 2rem/1.2 Georgia, serif; }
</style>
</head>
<body>
<main>
<h1>$title</h1>
<p>$reason</p>
<p>$wait</p>
</main>
</body>
</html>
""")


@cache
def html() -> str:
    """The document."""
    words = load("words")
    texts = {key: words.entry("full", key, seconds=RETRY_AFTER) for key in words.entries("full")}
    return _PAGE.substitute({name: escape(text) for name, text in texts.items()}, seconds=RETRY_AFTER)
