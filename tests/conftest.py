"""For all tests: a data folder of their own, one thread, the same random examples every time, and who runs beside whom."""

import gc
import os
from typing import Any

# Before torch is imported: another number of threads rounds otherwise, and the machine is shared.
os.environ["OMP_NUM_THREADS"] = "1"
# Training workers do not make way for the other tests: a test waits for them.
os.environ["ALIBI_VIZ_NICE"] = "0"
# A page that is only looked at starts no workers; the tests of training in a browser ask for them.
os.environ["ALIBI_VIZ_WARM"] = "0"

import pytest
from hypothesis import settings

settings.register_profile("tests", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("tests")
#: Tests in browsers, as three of them take about as long: what opens each page, what surrounds a picture, its hands.
BROWSERS = {
    "tours": ("compare", "export", "menu", "pages", "site", "write"),
    "stages": ("lecture", "stage", "story"),
}
#: What shares a browser, a server, a cluster, a slow import or the list of all controls stays in one worker, in turn.
TOGETHER = {
    "tests/jobs/": "jobs",
    "tests/serving/": "serving",
    "tests/faults/": "faults",
    "tests/browser/test_training.py": "jobs",
    **{f"tests/browser/test_{name}.py": group for group, names in BROWSERS.items() for name in names},
    "tests/browser/": "hands",
    "tests/parity/": "parity",
    "tests/checkpoints/": "parity",
    "tests/pages/models/": "parity",
    "tests/pages/use/": "parity",
    "tests/unit/test_identify.py": "parity",
    "tests/unit/test_cli_judge.py": "parity",
    "tests/hostile/": "controls",
    "tests/pages/test_contract.py": "controls",
    "tests/unit/test_docs.py": "controls",
}
#: What takes longest, or waits most, begins first, in this order.
FIRST = ("tests/browser/", "tests/parity/", "tests/serving/")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: [not item.nodeid.startswith(path) for path in FIRST])
    for item in items:
        if item.get_closest_marker("hook"):  # what it says of a library changes with the library alone
            item.add_marker("slow")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With pytest-xdist: groups, then single tests, as they are collected. (`xdist_group` has no effect with this pytest.)

    xdist alone would begin with the group of most tests.
    """
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = lambda test: next((TOGETHER[path] for path in TOGETHER if test.startswith(path)), test)
    return scheduler


def pytest_collection_finish() -> None:
    """Streamlit collects garbage after every run of a page: what the imports made is not looked through each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test sees or touches the reader's runs. Nobody waits for the disk: no power cut loses anything here."""
    os.fsync = lambda _: None
    os.environ["ALIBI_VIZ_DATA"] = str(tmp_path_factory.mktemp("data"))
