"""What `alibi-viz site` runs, in a process of its own."""

import logging
import sys
from pathlib import Path

from alibi_viz.lessons import languages
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.site import files, states


def build(out: Path, url: str = "") -> int:
    """Write the site into a folder. url: where it will be, for search engines. Returns the number of pages."""
    count = 0
    for language in languages.LANGUAGES:
        for page in states.ran(language):
            for path in (path for path, name in navigation.PATHS.items() if name == page[""].name):
                files.write_page(out, page, language, path, url)
                count += 1
    files.write_shared(out, url)
    return count


def main(out: str, url: str = "") -> int:
    logging.disable(logging.WARNING)  # Streamlit's lines about running without a server
    try:
        print(build(Path(out), url), "pages")
    except (ValueError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
