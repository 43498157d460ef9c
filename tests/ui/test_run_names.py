"""Names of own runs: what differs is told, and no two different runs share a name."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from alibi_viz.lm.config import TrainConfig
from alibi_viz.ui.run_names import run_name

SHIPPED, TEXT, OTHER = TrainConfig(), "ab12" + 60 * "0", "cd34" + 60 * "0"


def name(config: TrainConfig = SHIPPED, corpus: str = TEXT) -> str:
    return run_name("ALiBi", config, corpus, SHIPPED, TEXT)


def test_a_run_like_the_shipped_ones_has_a_short_name():
    assert name() == "ALiBi, L = 128, 2,000 steps"


def test_what_differs_is_told():
    assert name(replace(SHIPPED, layers=3)).endswith(", 3 layers of width 64")
    assert name(replace(SHIPPED, heads=4)).endswith(", heads: 4")
    assert name(replace(SHIPPED, batch=8)).startswith("ALiBi, L = 128, 2,000 steps, other settings (")


def test_a_text_is_known_by_its_sha_and_not_by_its_configuration():
    assert name(corpus=OTHER).endswith(", other text (cd34)")
    assert name(replace(SHIPPED, corpus="text:ab")) == name()


def test_every_change_has_its_own_name():
    changes = [
        *({"length": n} for n in (64, 256)),
        *({"steps": n} for n in (100, 200)),
        *({"layers": n} for n in (1, 3)),
        *({"width": n} for n in (32, 128)),
        *({"heads": n} for n in (2, 4)),
        *({"batch": n} for n in (8, 32)),
        *({"learning_rate": n} for n in (1e-3, 3e-3)),
        {"weight_decay": 0.0},
        {"warmup": 1},
        {"clip": 2.0},
        {"options": {"max_bias": 4}},
    ]
    configs = [SHIPPED, *(replace(SHIPPED, **change) for change in changes)]
    runs = [(config, text) for config in configs for text in (TEXT, OTHER)]
    for first, second in combinations(runs, 2):
        assert name(*first) != name(*second)


def test_seeds_share_a_name():
    changed = replace(SHIPPED, batch=8)
    assert name(changed) == name(replace(changed, seed=7))


def test_recall_has_no_text():
    recall = replace(SHIPPED, corpus="recall")
    other = replace(recall, recall_distance=20)
    assert run_name("ALiBi", recall, "", recall, "") == name()
    assert "other settings" in run_name("ALiBi", other, "", recall, "")
