"""What lies beside the pages of the site: the app to install, what search engines and phones look for, and all of it as one
file.
"""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from alibi_viz import APP_FOLDER, __version__
from alibi_viz.lessons import load

WHEEL = f"alibi_viz-{__version__}-py3-none-any.whl"
ARCHIVE = "alibi-viz-site.zip"
OLDEST = (1980, 1, 1, 0, 0, 0)  # time of a file in an archive: two of the same site are equal


def write_wheel(out: Path) -> None:
    """The app as a package: of a checkout, where what builds it is installed."""
    if (APP_FOLDER / "pyproject.toml").is_file() and find_spec("hatchling"):
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
        subprocess.run(build, cwd=APP_FOLDER, check=True, capture_output=True)


def files(url: str, folders: Sequence[str]) -> dict[str, bytes]:
    """For phones that keep the site on their first screen; and for search engines, where its address is known."""
    icon = {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}
    manifest = {"name": load("shared").label("app"), "start_url": "./", "display": "standalone", "icons": [icon]}
    texts = {"site.webmanifest": json.dumps(manifest)}
    if url:
        places = "".join(f"<url><loc>{url}{folder}</loc></url>\n" for folder in folders)
        texts["sitemap.xml"] = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'
        texts["robots.txt"] = f"Sitemap: {url}sitemap.xml\n"
    return {name: text.encode() for name, text in texts.items()}


def write_archive(out: Path) -> None:
    """All files as one, without the line that leads to it."""
    with zipfile.ZipFile(out / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in out.rglob("*") if file.is_file() and file.name != ARCHIVE):
            content = file.read_bytes()
            if file.suffix == ".html":
                content = re.sub(rb'<p class="offline">.*?</p>\n', b"", content)
            archive.writestr(zipfile.ZipInfo(f"alibi-viz/{file.relative_to(out).as_posix()}", OLDEST), content)
