"""What `alibi-viz site` runs."""

import contextlib
import os
import shutil
import sys
from multiprocessing import get_context
from pathlib import Path

from alibi_viz.lessons import languages
from alibi_viz.ui.site import cards, extras, files


def build(out: Path, url: str = "", repository: str = "") -> int:
    """Write the site into a folder; what ends this before all is written leaves the folder as it was.

    Files of others in it stay. url: where it will be; repository: where its code is. Returns the number of pages. Raises
    OSError.
    """
    is_new = not out.exists()
    building = out / ".building"  # inside: on the same disk, and where this account may write
    shutil.rmtree(building, ignore_errors=True)  # of one that was killed
    building.mkdir(parents=True)
    try:
        count = _write(building, url and f"{url.rstrip('/')}/", repository)
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


def _write(out: Path, url: str, repository: str) -> int:
    site, (own, *others) = files.Site(out, url, repository, has_cards=bool(cards.browser())), languages.LANGUAGES
    extras.write_wheel(out)
    with get_context("spawn").Pool(len(others)) as processes:  # it ends with this block, whatever happens
        writing = processes.starmap_async(files.write_pages, [(site, language) for language in others])
        count = files.write_pages(site, own) + sum(writing.get())
        files.write_shared(site)
        if site.has_cards:
            drawn = [out / "icon.svg", *(file.with_name("index.html") for file in sorted(out.rglob("page.js")))]
            processes.map(cards.draw, [drawn[at :: len(others)] for at in range(len(others))])
    extras.write_archive(out)
    return count


def main(out: str, *address: str) -> int:
    os.environ |= {"ALIBI_VIZ_WARM": "0", "OMP_NUM_THREADS": "1"}  # nobody trains; processes share the cores
    try:
        print(build(Path(out), *address), "pages")
    except (ValueError, OSError) as error:
        said = f"{out} cannot be written: {error.strerror}." if isinstance(error, OSError) else error
        print(f"Error: {said}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
