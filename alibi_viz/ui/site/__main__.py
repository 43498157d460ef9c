"""What `alibi-viz site` runs."""

import contextlib
import logging
import shutil
import sys
from pathlib import Path

from alibi_viz.lessons import languages
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.site import files, states


def build(out: Path, url: str = "") -> int:
    """Write the site into a folder; what ends this before all is written leaves the folder as it was.

    Files of others in it stay. url: where it will be, for search engines. Returns the number of pages. Raises OSError.
    """
    is_new = not out.exists()
    building = out / ".building"  # inside: on the same disk, and where this account may write
    shutil.rmtree(building, ignore_errors=True)  # of one that was killed
    building.mkdir(parents=True)
    try:
        count = _write(building, url)
        for file in [file for file in building.rglob("*") if file.is_file()]:
            place = out / file.relative_to(building)
            place.parent.mkdir(parents=True, exist_ok=True)
            file.replace(place)
    finally:
        shutil.rmtree(building, ignore_errors=True)
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty: the site
                out.rmdir()
    return count


def _write(out: Path, url: str) -> int:
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
        said = f"{out} cannot be written: {error.strerror}." if isinstance(error, OSError) else error
        print(f"Error: {said}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
