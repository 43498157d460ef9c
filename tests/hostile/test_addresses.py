"""Addresses that nobody meant to be opened, over all lessons: one page each, and no exception."""

from __future__ import annotations

import random

import pytest

from tests.hostile.looking import NIGHTLY, campaign, check
from tests.hostile.nonsense import link
from tests.pages.apptest import open_page


def case(rng: random.Random) -> None:
    lesson, url = link(rng)
    try:
        check(open_page(lesson, **url))
    except AssertionError as error:
        raise AssertionError(f"/{lesson} {url}: {error}") from None


def test_a_few_hostile_addresses():
    campaign("address", 40, case)


@pytest.mark.slow
def test_hostile_addresses():
    campaign("address", NIGHTLY, case)
