"""What the tests of the lessons on attention share."""

import numpy as np
import torch


def seen(picture: np.ndarray, whole: torch.Tensor, scores: torch.Tensor, atol: float = 1e-6) -> None:
    """The picture is the whole matrix where the mask lets a query look, and -inf elsewhere."""
    hidden = scores.isneginf().numpy()
    np.testing.assert_allclose(picture[~hidden], whole.numpy()[~hidden], atol=atol)
    assert np.isneginf(picture[hidden]).all()
