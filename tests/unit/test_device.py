"""Devices: the CPU is always there, and a missing one raises ValueError."""

import pytest
import torch

from alibi_viz import device


def test_the_cpu_is_the_last_resort() -> None:
    devices = device.available()
    assert devices[-1].name == "cpu"
    assert devices[-1].label.startswith("CPU, ")
    assert device.pick() == devices[0]
    assert device.pick("cpu") == devices[-1]
    assert torch.zeros(1, device=device.pick().name).item() == 0


def test_a_gpu_comes_before_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Some GPU")
    assert device.pick() == device.Device("cuda", "Some GPU")


@pytest.mark.parametrize("name", ["tpu", "", "CPU"])
def test_an_absent_device_raises(name: str) -> None:
    with pytest.raises(ValueError, match="no device"):
        device.pick(name)


def test_threads() -> None:
    device.set_threads(1)
    assert torch.get_num_threads() == 1
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="threads"):
            device.set_threads(wrong)  # type: ignore[arg-type]
