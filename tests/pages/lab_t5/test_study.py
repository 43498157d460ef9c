"""Buckets, which of them training uses, and their bias."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pages.lab_t5.study import Controls, study

T5 = Controls(32, 128, False, 64, 300, 1, 0)


def test_buckets_that_training_never_uses():
    result = study(T5)
    starts = [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert [int(result.distances[result.buckets == b][0]) for b in range(32)] == starts
    assert result.untrained == [b for b, start in enumerate(starts) if start > 63]
    assert study(dataclasses.replace(T5, train_length=128)).untrained == []
    both = study(dataclasses.replace(T5, bidirectional=True))
    assert (both.distances[0], both.distances[-1]) == (-300, 300)
    assert both.untrained == [14, 15, 30, 31]
    with pytest.raises(ValueError, match="max_distance"):
        study(dataclasses.replace(T5, max_distance=16))


@pytest.mark.parametrize(
    ("buckets", "max_distance", "bidirectional", "start"),
    [(32, 128, False, 113), (32, 128, True, 91), (32, 32, False, 31), (2, 2, False, 1), (32, 17, False, 17)],
)
def test_where_the_last_bucket_begins(buckets, max_distance, bidirectional, start):
    t5 = dataclasses.replace(T5, buckets=buckets, max_distance=max_distance, bidirectional=bidirectional)
    result = study(t5)
    assert result.last_start == start
    last = result.buckets[-1] if not bidirectional else buckets // 2 - 1
    assert result.distances[result.buckets == last].min() == start
    reaching, short = (study(dataclasses.replace(t5, train_length=start + more)) for more in (1, 0))
    assert reaching.untrained == []
    assert last in short.untrained


def test_one_bucket_one_bias():
    result = study(T5)
    for bucket in np.unique(result.buckets):
        assert len(set(result.bias[result.buckets == bucket].tolist())) == 1
