"""Devices: the CPU is always there, and a missing one raises ValueError."""

import pytest
import torch

from alibi_viz import device


def test_a_gpu_comes_first_the_cpu_is_the_last_resort_and_no_other_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert device.pick("cpu").cores >= 1
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Some GPU")
    assert device.pick() == device.Device("cuda", "Some GPU")
    assert device.available()[-1].name == "cpu"
    for absent in ("tpu", "", "CPU"):
        with pytest.raises(ValueError, match="no device"):
            device.pick(absent)
