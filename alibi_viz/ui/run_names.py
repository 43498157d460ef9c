"""Names of runs."""

from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.positions import METHODS

#: Rules of ALiBi's slopes: "paper" is the default of the method, "blog" is that of many blog posts.
PAPER, BLOG = "paper", "blog"
SLOPES = {PAPER: "paper", BLOG: "2⁻ʰ"}


def method_title(config: TrainConfig) -> str:
    """The title of a run's method, with the rule of its slopes where that is not the paper's."""
    title = METHODS[config.method].title
    rule = dict(config.options).get("rule", PAPER)
    return (
        title if rule == PAPER else load("words").entry("run_names", "rule", title=title, rule=SLOPES.get(rule, rule))
    )
