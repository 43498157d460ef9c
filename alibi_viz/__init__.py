"""alibi_viz: how a Transformer knows where its tokens are, computed live by one real PyTorch attention.

Shapes are written with these letters everywhere in the package:

    B  batch                 T   tokens (Tq of the queries, Tk of the keys)
    H  query heads           Hkv key and value heads (grouped queries when fewer than H)
    D  model width           d   width of one head

The floors, each standing only on those before it: positions, attention, model, training and evaluation, jobs.
"""

from pathlib import Path

__version__ = "0.1.0"
_PACKAGE = Path(__file__).parent
#: Where app.py and pages/ stand: inside the package once it is installed, else beside it.
APP_FOLDER = next(folder for folder in (_PACKAGE / "_app", _PACKAGE.parent) if (folder / "app.py").is_file())
